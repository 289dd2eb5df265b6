import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { DocumentEditor } from '../../src/app/editor/saving/document-editor.ts'
import { getItemKey } from '../../src/app/editor/saving/field-values.ts'
import { type Browser, kindOf, SavingWorld } from './support/saving-world.ts'

describe('autosave', () => {
  let world: SavingWorld
  let browser: Browser
  let id: string
  let editor: DocumentEditor

  beforeEach(async () => {
    world = await SavingWorld.open()
    browser = world.browser()
    id = (await world.pages.create({ title: 'Ink', body: 'Oak galls.', seo: { title: 'Ink', description: 'Old' } })).id
    editor = await world.edit(browser, { id })
  })
  afterEach(() => world[Symbol.asyncDispose]())

  const stored = () => world.pages.findById(id, { draft: true })
  const saves = () => browser.network.requests.filter((request) => /^(PUT|PATCH|POST)/.test(request)).length

  test('edits are saved as a draft once typing pauses', async () => {
    expect(kindOf(editor)).toBe('saved')
    editor.edit(['title'], 'Ink a', { isTyping: true })
    world.clock.advance(500)
    editor.edit(['title'], 'Ink and paper', { isTyping: true })
    expect([kindOf(editor), saves()]).toEqual(['unsaved', 0])
    await world.runUntilIdle([editor])
    expect([kindOf(editor), saves()]).toEqual(['saved', 1])
    expect(browser.network.bodies).toEqual([{ title: 'Ink and paper' }])
    expect((await stored())?.title).toBe('Ink and paper')
    expect((await world.pages.findById(id))?.title).toBe('Ink')
  })

  test('continuous typing is saved every few seconds', async () => {
    for (let count = 0; count < 12; count += 1) {
      editor.edit(['title'], `Ink ${count}`, { isTyping: true })
      world.clock.advance(500)
      await editor.idle()
    }
    expect(saves()).toBe(1)
  })

  test('saves run one at a time; later edits are saved afterwards, and the response does not overwrite them', async () => {
    editor.edit(['title'], 'One')
    editor.edit(['body'], '*a*')
    const release = browser.network.hold('PUT')
    world.clock.advance(800)
    await expect.poll(() => saves()).toBe(1)
    editor.edit(['title'], 'Two')
    editor.edit(['minutes'], 4)
    world.clock.advance(10_000)
    expect([kindOf(editor), saves()]).toEqual(['saving', 1])
    release()
    await world.runUntilIdle([editor])
    expect(browser.network.bodies).toEqual([
      { title: 'One', body: '*a*' },
      { title: 'Two', minutes: 4 },
    ])
    expect(editor.getState().values).toMatchObject({ title: 'Two', body: '*a*', bodyHtml: '<p><em>a</em></p>' })
    expect(kindOf(editor)).toBe('saved')
  })

  test('only changed fields of a group are sent, but JSON is sent whole', async () => {
    editor.edit(['seo', 'title'], 'All about ink')
    editor.edit(['place'], { lat: 1, lon: 2 })
    await world.runUntilIdle([editor])
    expect(browser.network.bodies).toEqual([{ seo: { title: 'All about ink' } }, { place: { lat: 1, lon: 2 } }])
    editor.edit(['place', 'lon'], 3)
    await world.runUntilIdle([editor])
    editor.edit(['place'], { lat: 1 })
    await world.runUntilIdle([editor])
    expect(await stored()).toMatchObject({ seo: { title: 'All about ink', description: 'Old' }, place: { lat: 1 } })
  })

  test('items of a list are edited by index, and blocks by their keys, which survive saves', async () => {
    editor.edit(['tags'], ['a', 'b'])
    editor.edit(['tags', 1], 'c')
    editor.edit(
      ['parts'],
      [
        { _type: 'text', body: 'One' },
        { _type: 'quote', words: 'Two' },
      ],
    )
    const keys = () => (editor.getState().values.parts as object[]).map((part) => getItemKey(part))
    const before = keys()
    await world.runUntilIdle([editor])
    expect(editor.getState().values.parts).toMatchObject([{ bodyHtml: '<p>One</p>' }, { by: null }])
    expect(keys()).toEqual(before)
    editor.edit(['parts', { item: before[1] ?? '' }, 'words'], 'Three')
    editor.edit(['parts'], (editor.getState().values.parts as object[]).toReversed())
    expect(keys()).toEqual(before.toReversed())
    await world.runUntilIdle([editor])
    expect(await stored()).toMatchObject({ tags: ['a', 'c'], parts: [{ words: 'Three' }, { body: 'One' }] })
  })

  test('an edit reverted during its save is reverted at the service as well', async () => {
    editor.edit(['title'], 'One')
    const release = browser.network.hold('PUT')
    world.clock.advance(800)
    await expect.poll(() => saves()).toBe(1)
    editor.edit(['title'], 'Ink')
    release()
    await world.runUntilIdle([editor])
    expect((await stored())?.title).toBe('Ink')
  })

  test('another language is edited separately', async () => {
    const german = await world.edit(world.browser(), { id, locale: 'de' })
    expect(german.getState().values.title).toBeNull()
    german.edit(['title'], 'Tinte')
    await world.runUntilIdle([german])
    expect((await stored())?.title).toBe('Ink')
    expect((await world.pages.findById(id, { draft: true, locale: 'de' }))?.title).toBe('Tinte')
  })

  test('a global is saved on request only, and retried when the network returns', async () => {
    const site = await world.editSite(browser)
    site.edit(['name'], 'Blog')
    site.edit(['links', 'home'], '/home')
    await world.runUntilIdle([site])
    expect(kindOf(site)).toBe('unsaved')
    browser.network.isOffline = true
    expect((await site.flush()).kind).toBe('waiting')
    browser.network.isOffline = false
    await site.online()
    expect(kindOf(site)).toBe('saved')
    expect(await browser.client.globals.site.get()).toMatchObject({
      name: 'Blog',
      links: { home: '/home', help: null },
    })
  })

  test('editing an unknown path throws', () => {
    expect(() => editor.edit(['tittle'], 'x')).toThrow('There is no field at ["tittle"] that can be edited.')
    expect(() => editor.edit(['status'], 'published')).toThrow(TypeError)
  })

  test('a new entry is created by flush() if the options say so, and autosaved from then on', async () => {
    const newEditor = await world.edit(browser, { id: null, newId: 'n' }, { isCreatedOnFlush: true })
    newEditor.edit(['title'], 'Oak', { isTyping: true })
    await world.runUntilIdle([newEditor])
    expect([kindOf(newEditor), saves()]).toEqual(['unsaved', 0])
    newEditor.edit(['title'], 'Oak galls', { isTyping: true })
    await newEditor.flush()
    expect(kindOf(newEditor)).toBe('saved')
    expect(newEditor.getState().values).toMatchObject({ slug: 'oak-galls' })
    newEditor.edit(['minutes'], 3)
    await world.runUntilIdle([newEditor])
    expect([kindOf(newEditor), saves()]).toEqual(['saved', 2])
  })

  test('refresh() reads scheduled times', async () => {
    await world.pages.publish(id, { at: '2999-01-01T00:00:00Z' })
    await editor.refresh()
    expect(editor.getState().values.publishAt).toBe('2999-01-01T00:00:00.000Z')
    await world.pages.unschedule(id)
    await editor.refresh()
    expect(editor.getState().values.publishAt).toBeNull()
  })

  test('fallback values of another language are ignored, also in the response to a save', async () => {
    const german = await world.edit(browser, { id, locale: 'de' })
    german.edit(['minutes'], 7)
    await world.runUntilIdle([german])
    expect(german.getState().values).toMatchObject({ title: null, minutes: 7 })
  })
})
