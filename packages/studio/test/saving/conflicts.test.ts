import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { DocumentEditor } from '../../src/app/editor/saving/document-editor.ts'
import { type Browser, kindOf, SavingWorld } from './support/saving-world.ts'

const PARTS = [
  { _type: 'text', body: 'One' },
  { _type: 'quote', words: 'Two', by: 'Ada' },
  { _type: 'text', body: 'Three' },
] as const

describe('two people in one entry', () => {
  let world: SavingWorld
  let browser: Browser
  let id: string
  let mine: DocumentEditor
  let theirs: DocumentEditor

  beforeEach(async () => {
    world = await SavingWorld.open()
    browser = world.browser()
    const entry = { title: 'Ink', body: 'Oak galls and iron.', seo: { title: 'a', description: 'b' }, tags: ['x', 'y'] }
    id = (await world.pages.create({ ...entry, parts: [...PARTS] })).id
    mine = await world.edit(browser, { id })
    theirs = await world.edit(world.browser(), { id })
  })
  afterEach(() => world[Symbol.asyncDispose]())

  const stored = () => world.pages.findById(id, { draft: true })
  /** Theirs is stored first, then mine is saved. */
  const saveBoth = async () => {
    await theirs.flush()
    await mine.flush()
  }

  test('different fields merge, and what the other changed is told', async () => {
    mine.edit(['title'], 'Paper')
    mine.edit(['seo', 'title'], 'c')
    theirs.edit(['minutes'], 4)
    theirs.edit(['seo', 'description'], 'd')
    await saveBoth()
    expect(kindOf(mine)).toBe('saved')
    expect(await stored()).toMatchObject({ title: 'Paper', minutes: 4, seo: { title: 'c', description: 'd' } })
    expect(mine.getState().notes).toMatchObject([
      { path: 'minutes', from: null, to: 4, isJoint: false, by: 'service' },
      { path: 'seo.description', from: 'b', to: 'd' },
    ])
    mine.dismiss('notes')
    expect(mine.getState().notes).toEqual([])
  })

  test('the same field is in conflict, and other fields go on being saved', async () => {
    mine.edit(['title'], 'Paper')
    mine.edit(['minutes'], 3)
    theirs.edit(['title'], 'Ink!')
    await saveBoth()
    expect(kindOf(mine)).toBe('conflict')
    expect(mine.getState().values.title).toBe('Paper')
    expect([...mine.getState().conflicts.values()]).toEqual([
      expect.objectContaining({ path: 'title', base: 'Ink', mine: 'Paper', theirs: 'Ink!', by: 'service' }),
    ])
    expect(await stored()).toMatchObject({ title: 'Ink!', minutes: 3 })
  })

  test.each([
    ['mine', 'Paper'],
    ['theirs', 'Ink!'],
    [{ value: 'Ink and paper' }, 'Ink and paper'],
  ] as const)('a conflict ends by a decision: %j', async (decision, title) => {
    mine.edit(['title'], 'Paper')
    theirs.edit(['title'], 'Ink!')
    await saveBoth()
    mine.resolve('title', decision)
    await mine.flush()
    expect([kindOf(mine), mine.getState().values.title, (await stored())?.title]).toEqual(['saved', title, title])
  })

  test('a decision is about what was shown: what came since is another conflict', async () => {
    mine.edit(['title'], 'Paper')
    theirs.edit(['title'], 'Ink!')
    await saveBoth()
    theirs.edit(['title'], 'Ink?')
    await theirs.flush()
    mine.resolve('title', 'mine')
    await mine.flush()
    expect(mine.getState().conflicts.get('title')).toMatchObject({ base: 'Ink!', mine: 'Paper', theirs: 'Ink?' })
  })

  test('words of a text that both changed are merged as an offer, and never without a decision', async () => {
    mine.edit(['body'], 'Oak galls and rusty iron.')
    theirs.edit(['body'], 'Fresh oak galls and iron.'.replace('oak', 'Oak'))
    await saveBoth()
    expect(mine.getState().conflicts.get('body')?.merged).toBe('Fresh Oak galls and rusty iron.')
    expect((await stored())?.body).toBe('Fresh Oak galls and iron.')
    const { merged = '' } = mine.getState().conflicts.get('body') ?? {}
    mine.resolve('body', { value: merged })
    await mine.flush()
    expect((await stored())?.body).toBe(merged)
  })

  test('of the same words, there is no offer', async () => {
    mine.edit(['body'], 'Oak galls and steel.')
    theirs.edit(['body'], 'Oak galls and copper.')
    await saveBoth()
    expect(mine.getState().conflicts.get('body')).not.toHaveProperty('merged')
  })

  test('items of a list, and members of different blocks, merge; the same text in a block is a conflict', async () => {
    mine.edit(['tags'], ['x', 'y', 'mine'])
    theirs.edit(['tags'], ['y', 'theirs'])
    mine.edit(['parts', 0, 'body'], 'One, mine')
    mine.edit(['parts', 1, 'by'], 'Ada L.')
    theirs.edit(['parts', 1, 'words'], 'Two, theirs')
    theirs.edit(['parts'], [...(theirs.getState().values.parts as object[]), { _type: 'text', body: 'Four' }])
    await saveBoth()
    expect(kindOf(mine)).toBe('saved')
    const merged = await stored()
    expect(merged?.tags?.toSorted()).toEqual(['mine', 'theirs', 'y'])
    expect(merged?.parts).toMatchObject([
      { body: 'One, mine', bodyHtml: '<p>One, mine</p>' },
      { words: 'Two, theirs', by: 'Ada L.' },
      { body: 'Three' },
      { body: 'Four' },
    ])
    mine.edit(['parts', 2, 'body'], 'mine')
    theirs.edit(['parts', 2, 'body'], 'theirs')
    await theirs.flush()
    await theirs.flush()
    await mine.flush()
    expect(kindOf(mine)).toBe('conflict')
    expect(mine.getState().conflicts.has('parts')).toBe(true)
  })

  test('a block that one removes and the other edits is a conflict', async () => {
    mine.edit(['parts'], PARTS.slice(1))
    theirs.edit(['parts', 0, 'body'], 'theirs')
    await saveBoth()
    expect(kindOf(mine)).toBe('conflict')
    expect((await stored())?.parts).toMatchObject([{ body: 'theirs' }, {}, {}])
  })

  test('what both changed to the same is no conflict', async () => {
    mine.edit(['title'], 'Paper')
    theirs.edit(['title'], 'Paper')
    await saveBoth()
    expect(kindOf(mine)).toBe('saved')
  })

  test('what others changed is shown as soon as the editor hears of it, and keeps what is typed', async () => {
    mine.edit(['title'], 'Paper')
    theirs.edit(['minutes'], 4)
    await theirs.flush()
    await mine.refresh()
    expect(mine.getState()).toMatchObject({ values: { title: 'Paper', minutes: 4 }, status: { kind: 'unsaved' } })
  })

  test('a value that was sent long ago is no excuse for replacing what another person stores now', async () => {
    browser.network.next({ kind: 'answer-lost' }, 'PUT')
    mine.edit(['title'], 'Paper')
    await mine.flush()
    await mine.flush()
    expect(kindOf(mine)).toBe('saved')
    await theirs.refresh()
    theirs.edit(['title'], 'Ink!')
    await theirs.flush()
    await mine.refresh()
    mine.edit(['title'], 'Mine')
    theirs.edit(['title'], 'Paper')
    await saveBoth()
    expect(mine.getState().conflicts.get('title')).toMatchObject({ base: 'Ink!', mine: 'Mine', theirs: 'Paper' })
  })

  test('people are named where the service names them', async () => {
    const tom = await world.personal('tom')
    const toms = await world.edit(tom, { id })
    const { principal } = await tom.client.auth.session()
    toms.edit(['title'], 'Tom')
    mine.edit(['title'], 'Mia')
    await toms.flush()
    await mine.flush()
    expect(mine.getState().conflicts.get('title')?.by).toBe(principal?.id)
  })
})
