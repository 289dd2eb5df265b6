import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { DocumentEditor } from '../../src/app/editor/saving/document-editor.ts'
import { type Browser, kindOf, SavingWorld } from './support/saving-world.ts'

const PARTS = [
  { _type: 'text', body: 'One' },
  { _type: 'quote', words: 'Two', by: 'Ada' },
  { _type: 'text', body: 'Three' },
] as const

describe('two users in one entry', () => {
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
  const saveBoth = async () => {
    await theirs.flush()
    await mine.flush()
  }

  test('changes to different fields merge, and foreign changes are noted', async () => {
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

  test('changes to the same field conflict, while other fields are saved', async () => {
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
  ] as const)('a decision resolves a conflict: %j', async (decision, title) => {
    mine.edit(['title'], 'Paper')
    theirs.edit(['title'], 'Ink!')
    await saveBoth()
    mine.resolve('title', decision)
    await mine.flush()
    expect([kindOf(mine), mine.getState().values.title, (await stored())?.title]).toEqual(['saved', title, title])
  })

  test('a decision covers the shown revision only; a newer one conflicts again', async () => {
    mine.edit(['title'], 'Paper')
    theirs.edit(['title'], 'Ink!')
    await saveBoth()
    theirs.edit(['title'], 'Ink?')
    await theirs.flush()
    mine.resolve('title', 'mine')
    await mine.flush()
    expect(mine.getState().conflicts.get('title')).toMatchObject({ base: 'Ink!', mine: 'Paper', theirs: 'Ink?' })
  })

  test('a text that both changed gets a merged proposal, which needs a decision', async () => {
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

  test('changes to the same words get no merged proposal', async () => {
    mine.edit(['body'], 'Oak galls and steel.')
    theirs.edit(['body'], 'Oak galls and copper.')
    await saveBoth()
    expect(mine.getState().conflicts.get('body')).not.toHaveProperty('merged')
  })

  test('list items and fields of blocks merge; changes to the same text in a block conflict', async () => {
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

  test('removing a block conflicts with editing it', async () => {
    mine.edit(['parts'], PARTS.slice(1))
    theirs.edit(['parts', 0, 'body'], 'theirs')
    await saveBoth()
    expect(kindOf(mine)).toBe('conflict')
    expect((await stored())?.parts).toMatchObject([{ body: 'theirs' }, {}, {}])
  })

  test('equal changes do not conflict', async () => {
    mine.edit(['title'], 'Paper')
    theirs.edit(['title'], 'Paper')
    await saveBoth()
    expect(kindOf(mine)).toBe('saved')
  })

  test('refresh() shows foreign changes, and keeps unsaved edits', async () => {
    mine.edit(['title'], 'Paper')
    theirs.edit(['minutes'], 4)
    await theirs.flush()
    await mine.refresh()
    expect(mine.getState()).toMatchObject({ values: { title: 'Paper', minutes: 4 }, status: { kind: 'unsaved' } })
  })

  test('a stored value that equals one sent earlier still conflicts', async () => {
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

  test('a conflict names the author if the service does', async () => {
    const tom = await world.personal('tom')
    const tomsEditor = await world.edit(tom, { id })
    const { principal } = await tom.client.auth.session()
    tomsEditor.edit(['title'], 'Tom')
    mine.edit(['title'], 'Mia')
    await tomsEditor.flush()
    await mine.flush()
    expect(mine.getState().conflicts.get('title')?.by).toBe(principal?.id)
  })
})
