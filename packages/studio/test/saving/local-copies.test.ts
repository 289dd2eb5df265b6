import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { listLeaves } from '../../src/app/editor/saving/document-fields.ts'
import { findOrphanedCopies, pruneCopies } from '../../src/app/editor/saving/local-copies.ts'
import { type Browser, kindOf, SavingWorld } from './support/saving-world.ts'

const DAY = 24 * 60 * 60 * 1000

describe('a tab that closes with unsaved edits', () => {
  let world: SavingWorld
  let browser: Browser
  let id: string

  beforeEach(async () => {
    world = await SavingWorld.open()
    browser = world.browser()
    id = (await world.pages.create({ title: 'Ink', minutes: 1 })).id
  })
  afterEach(() => world[Symbol.asyncDispose]())

  const stored = () => world.pages.findById(id, { draft: true })
  /** Types a title, and closes the editor before it saves. */
  const typeAndCrash = async (title = 'Paper', document: { id?: string; newId?: string } = { id }) => {
    const editor = await world.edit(browser, document)
    editor.edit(['title'], title)
    await editor.idle()
    editor.close()
  }

  test('unsaved edits are restored and saved if the entry has not changed', async () => {
    await typeAndCrash()
    const editor = await world.edit(browser, { id })
    expect([kindOf(editor), editor.getState().values.title]).toEqual(['saved', 'Paper'])
    expect((await stored())?.title).toBe('Paper')
    expect(browser.copies.all()).toEqual([])
  })

  test('unsaved edits are merged into a newer revision', async () => {
    await typeAndCrash()
    await world.pages.saveDraft(id, { minutes: 9 })
    await world.edit(browser, { id })
    expect(await stored()).toMatchObject({ title: 'Paper', minutes: 9 })
  })

  test('unsaved edits conflict with a newer value of the same field, also after another crash', async () => {
    await typeAndCrash()
    await world.pages.saveDraft(id, { title: 'Newer' })
    const editor = await world.edit(browser, { id })
    const conflict = { base: 'Ink', mine: 'Paper', theirs: 'Newer' }
    expect(editor.getState().conflicts.get('title')).toMatchObject(conflict)
    await editor.idle()
    editor.close()
    const nextEditor = await world.edit(browser, { id })
    expect(nextEditor.getState().conflicts.get('title')).toMatchObject(conflict)
    expect((await stored())?.title).toBe('Newer')
  })

  test('a save whose response was lost with the tab causes no conflict', async () => {
    const editor = await world.edit(browser, { id })
    editor.edit(['title'], 'Paper')
    browser.network.next({ kind: 'answer-lost' }, 'PUT')
    await editor.flush()
    editor.edit(['title'], 'Paper and ink')
    await editor.idle()
    editor.close()
    const nextEditor = await world.edit(browser, { id })
    expect([kindOf(nextEditor), (await stored())?.title]).toEqual(['saved', 'Paper and ink'])
  })

  test('edits of an entry deleted since can be saved as a new one', async () => {
    await typeAndCrash()
    await world.pages.delete(id)
    const editor = await world.edit(browser, { id })
    expect([kindOf(editor), editor.getState().values.title]).toEqual(['gone', 'Paper'])
    await editor.saveAsNew()
    const created = await world.pages.findById(editor.getState().document.id ?? '')
    expect(created).toMatchObject({ title: 'Paper', minutes: 1 })
    expect(browser.copies.all()).toEqual([])
  })

  test('an edit of a field that the config has dropped is set aside and shown', async () => {
    await typeAndCrash()
    const { collections } = await browser.client.model()
    const fields = collections.find(({ key }) => key === 'pages')?.fields ?? []
    const leaves = listLeaves(fields, { except: ['status', 'title'] })
    const editor = await world.edit(browser, { id }, { leaves })
    expect(editor.getState().aside).toEqual([{ path: 'title', value: 'Paper', reason: 'unknown-field' }])
    await editor.idle()
    expect(browser.copies.all()).toHaveLength(1)
    editor.dismiss('aside')
    await editor.idle()
    expect(browser.copies.all()).toEqual([])
  })

  test('while offline, the document is shown from its local copy, and saved later', async () => {
    await typeAndCrash()
    browser.network.isOffline = true
    const editor = await world.edit(browser, { id })
    expect([kindOf(editor), editor.getState().values]).toMatchObject(['waiting', { title: 'Paper', minutes: 1 }])
    editor.edit(['minutes'], 2)
    await world.pages.saveDraft(id, { body: 'Newer' })
    browser.network.isOffline = false
    await world.runUntilIdle([editor])
    expect(await stored()).toMatchObject({ title: 'Paper', minutes: 2, body: 'Newer' })
  })

  test('two tabs with the same entry keep separate copies', async () => {
    const tabs = [await world.edit(browser, { id }), await world.edit(browser, { id })] as const
    browser.network.isOffline = true
    tabs[0].edit(['title'], 'First tab')
    tabs[1].edit(['title'], 'Second tab')
    await Promise.all(tabs.map((tab) => tab.idle()))
    expect(browser.copies.all()).toHaveLength(2)
    const third = await world.edit(browser, { id })
    expect(third.getState().isLoaded).toBe(false)
    for (const tab of tabs) tab.close()
    browser.network.isOffline = false
    const editor = await world.edit(browser, { id })
    const { values, aside } = editor.getState()
    expect([values.title, aside.map(({ value }) => value)]).toEqual(['First tab', ['Second tab']])
  })

  test('a full browser store is reported, and saving still works', async () => {
    browser.copies.isFull = true
    const editor = await world.edit(browser, { id })
    editor.edit(['title'], 'Paper')
    await editor.idle()
    expect(editor.getState().localCopy).toBe('failed')
    await editor.flush()
    expect([kindOf(editor), editor.getState().localCopy, (await stored())?.title]).toEqual(['saved', 'none', 'Paper'])
  })

  test('copies of other users are ignored', async () => {
    await typeAndCrash()
    const editor = await world.edit(browser, { id }, { person: 'tom' })
    expect(editor.getState().values.title).toBe('Ink')
    expect(await findOrphanedCopies(browser.copies, browser.editors, 'mia/')).toHaveLength(1)
  })

  test('copies are limited by number and age, except those of open editors', async () => {
    await typeAndCrash('Oldest', { newId: 'a' })
    world.clock.advance(DAY)
    const openEditor = await world.edit(browser, { newId: 'b' }, { isAutosaved: false })
    openEditor.edit(['title'], 'Open')
    await typeAndCrash('Old', { newId: 'c' })
    await typeAndCrash('New', { newId: 'd' })
    const prune = (bounds: { count?: number; age?: number }) =>
      pruneCopies(browser.copies, browser.editors, world.clock.now(), bounds)
    const titles = () => browser.copies.all().map(({ edits }) => edits[0]?.mine)
    await prune({ age: DAY - 1 })
    expect(titles()).toEqual(['Open', 'Old', 'New'])
    await prune({ count: 1 })
    expect(titles()).toEqual(['Open', 'New'])
  })
})

describe('a new entry', () => {
  let world: SavingWorld
  let browser: Browser

  beforeEach(async () => {
    world = await SavingWorld.open()
    browser = world.browser()
  })
  afterEach(() => world[Symbol.asyncDispose]())

  const all = async () => (await world.pages.findMany({ draft: true })).items

  test('is created as a draft by its first save, and then edited like any entry', async () => {
    const editor = await world.edit(browser, { newId: 'a' })
    expect([kindOf(editor), editor.getState().document.id]).toEqual(['saved', null])
    editor.edit(['title'], 'Paper')
    await world.runUntilIdle([editor])
    editor.edit(['minutes'], 2)
    await world.runUntilIdle([editor])
    expect(await all()).toMatchObject([{ title: 'Paper', slug: 'paper', minutes: 2, status: 'draft', hasDraft: true }])
    expect(editor.getState().values.slug).toBe('paper')
    expect(browser.copies.all()).toEqual([])
  })

  test('without a required field is rejected with an issue, and created once the field is set', async () => {
    const editor = await world.edit(browser, { newId: 'a' })
    editor.edit(['minutes'], 2)
    await world.runUntilIdle([editor])
    expect(editor.getState()).toMatchObject({ status: { kind: 'refused' }, issues: [{ path: '/title' }] })
    expect(browser.copies.all()).toHaveLength(1)
    editor.edit(['title'], 'Paper')
    await world.runUntilIdle([editor])
    expect(await all()).toMatchObject([{ title: 'Paper', minutes: 2 }])
  })

  test('is created once, however many responses are lost', async () => {
    const editor = await world.edit(browser, { newId: 'a' })
    editor.edit(['title'], 'Paper')
    for (let count = 0; count < 3; count += 1) browser.network.next({ kind: 'answer-lost' }, 'POST')
    world.clock.advance(5000)
    await editor.idle()
    editor.edit(['title'], 'Paper and ink')
    await world.runUntilIdle([editor])
    expect(await all()).toMatchObject([{ title: 'Paper and ink' }])
  })

  test('is created once, even if the tab closes before the response arrives', async () => {
    const editor = await world.edit(browser, { newId: 'a' })
    editor.edit(['title'], 'Paper')
    browser.network.next({ kind: 'answer-lost' }, 'POST')
    await editor.flush()
    editor.edit(['title'], 'Paper and ink')
    await editor.idle()
    editor.close()
    const nextEditor = await world.edit(browser, { newId: 'a' })
    await world.runUntilIdle([nextEditor])
    expect(await all()).toMatchObject([{ title: 'Paper and ink' }])
    expect(nextEditor.getState().document.id).toBe((await all())[0]?.id)
    expect(browser.copies.all()).toEqual([])
  })

  test('with an old create request of unknown outcome is created again only on request', async () => {
    const editor = await world.edit(browser, { newId: 'a' })
    editor.edit(['title'], 'Paper')
    browser.network.next({ kind: 'request-lost' }, 'POST')
    await editor.flush()
    editor.close()
    world.clock.advance(DAY)
    const nextEditor = await world.edit(browser, { newId: 'a' })
    expect([kindOf(nextEditor), nextEditor.getState().values.title, await all()]).toEqual(['uncertain', 'Paper', []])
    await nextEditor.createAgain()
    expect([kindOf(nextEditor), await all()]).toMatchObject(['saved', [{ title: 'Paper' }]])
  })

  test('leaves nothing behind if it is discarded', async () => {
    const editor = await world.edit(browser, { newId: 'a' })
    editor.edit(['title'], 'Paper')
    await editor.discard()
    expect([browser.copies.all(), editor.getState().values, kindOf(editor)]).toEqual([[], {}, 'saved'])
  })
})
