import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { DocumentEditor } from '../../src/app/editor/saving/document-editor.ts'
import { type Browser, kindOf, SavingWorld } from './support/saving-world.ts'

describe('when a save fails', () => {
  let world: SavingWorld
  let browser: Browser
  let id: string
  let editor: DocumentEditor

  beforeEach(async () => {
    world = await SavingWorld.open()
    browser = world.browser()
    id = (await world.pages.create({ title: 'Ink' })).id
    editor = await world.edit(browser, { id })
  })
  afterEach(() => world[Symbol.asyncDispose]())

  const stored = () => world.pages.findById(id, { draft: true })
  const saves = () => browser.network.requests.filter((request) => /^(PUT|PATCH|POST)/.test(request)).length
  const tryOnce = async () => {
    world.clock.advance(5000)
    await editor.idle()
  }

  test('offline, the pauses grow, and saving resumes as soon as the network returns', async () => {
    browser.network.isOffline = true
    editor.edit(['title'], 'Paper')
    const pauses: number[] = []
    for (let count = 0; count < 8; count += 1) {
      world.clock.advanceToNext()
      await editor.idle()
      const { status } = editor.getState()
      if (status.kind === 'waiting') pauses.push(status.until - world.clock.now())
    }
    expect(pauses).toEqual([750, 1500, 3000, 6000, 12_000, 24_000, 45_000, 45_000])
    expect([browser.copies.all().length, editor.getState().localCopy]).toEqual([1, 'kept'])
    browser.network.isOffline = false
    await editor.online()
    expect([kindOf(editor), (await stored())?.title]).toEqual(['saved', 'Paper'])
    expect([browser.copies.all().length, editor.getState().localCopy]).toEqual([0, 'none'])
  })

  test('a lost response causes no conflict, even if the field was edited since', async () => {
    browser.network.next({ kind: 'answer-lost' }, 'PUT')
    editor.edit(['title'], 'Paper')
    editor.edit(['parts'], [{ _type: 'text', body: 'a' }])
    await tryOnce()
    expect(kindOf(editor)).toBe('waiting')
    expect((await stored())?.title).toBe('Paper')
    editor.edit(['title'], 'Paper and ink')
    await world.runUntilIdle([editor])
    expect([kindOf(editor), (await stored())?.title]).toEqual(['saved', 'Paper and ink'])
    expect(editor.getState().notes).toEqual([])
  })

  test.each([429, 503])('%i: the save is retried after the Retry-After of the response', async (status) => {
    browser.network.next({ kind: 'answered', status, code: 'ANY', retryAfter: 20 }, 'PUT')
    editor.edit(['title'], 'Paper')
    await tryOnce()
    expect(editor.getState().status).toEqual({ kind: 'waiting', reason: 'busy', until: world.clock.now() + 20_500 })
    world.clock.advance(20_499)
    await editor.idle()
    expect(saves()).toBe(1)
    await world.runUntilIdle([editor])
    expect([kindOf(editor), (await stored())?.title]).toEqual(['saved', 'Paper'])
  })

  test('401: saving waits for a session of the same user', async () => {
    browser.network.next({ kind: 'answered', status: 401, code: 'UNAUTHORIZED' }, 'PUT')
    editor.edit(['title'], 'Paper')
    await tryOnce()
    editor.edit(['minutes'], 3)
    await world.runUntilIdle([editor])
    expect([kindOf(editor), saves()]).toEqual(['signed-out', 1])
    await editor.signedIn('tom')
    expect(editor.getState().status).toEqual({ kind: 'signed-out', isOtherPerson: true })
    await world.runUntilIdle([editor])
    expect(saves()).toBe(1)
    await editor.signedIn('mia')
    await world.runUntilIdle([editor])
    expect(await stored()).toMatchObject({ title: 'Paper', minutes: 3 })
  })

  test('400: a rejected value is kept with its issue, the rest is saved, and a new value is sent', async () => {
    editor.edit(['title'], 'Paper')
    editor.edit(['minutes'], -1)
    editor.edit(['parts'], [{ _type: 'quote', words: 7 }])
    await world.runUntilIdle([editor])
    expect(editor.getState()).toMatchObject({
      status: { kind: 'refused', code: 'VALIDATION_ERROR' },
      values: { minutes: -1 },
      issues: [{ path: '/minutes' }, { path: '/parts/0/words' }],
    })
    expect(await stored()).toMatchObject({ title: 'Paper', minutes: null })
    expect(browser.copies.all()).toHaveLength(1)
    editor.edit(['minutes'], 1)
    editor.edit(['parts', 0, 'words'], 'seven')
    await world.runUntilIdle([editor])
    expect([kindOf(editor), editor.getState().issues]).toEqual(['saved', []])
    expect(await stored()).toMatchObject({ minutes: 1, parts: [{ words: 'seven' }] })
  })

  test('409: a value that another entry uses is kept with its issue', async () => {
    browser.network.next({ kind: 'answered', status: 409, code: 'CONFLICT' }, 'PUT')
    editor.edit(['code'], 'A-1')
    editor.edit(['title'], 'Paper')
    await world.runUntilIdle([editor])
    expect(editor.getState()).toMatchObject({ status: { kind: 'refused' }, issues: [{ path: '/code', code: 'taken' }] })
    expect((await stored())?.title).toBe('Paper')
  })

  test('413: the largest value is kept locally, and the rest is saved', async () => {
    editor.edit(['body'], 'x'.repeat(100_001))
    editor.edit(['title'], 'Paper')
    await world.runUntilIdle([editor])
    expect(editor.getState()).toMatchObject({
      status: { kind: 'refused' },
      issues: [{ path: '/body', code: 'too_large' }],
    })
    expect((await stored())?.title).toBe('Paper')
    expect(editor.getState().values.body).toHaveLength(100_001)
    editor.edit(['body'], 'x')
    await world.runUntilIdle([editor])
    expect([kindOf(editor), (await stored())?.body]).toEqual(['saved', 'x'])
  })

  test('403: nothing is sent until the next edit or retry()', async () => {
    browser.network.next({ kind: 'answered', status: 403, code: 'FORBIDDEN' }, 'PUT')
    editor.edit(['title'], 'Paper')
    await world.runUntilIdle([editor])
    expect([editor.getState().status, saves()]).toMatchObject([{ kind: 'refused', code: 'FORBIDDEN' }, 1])
    expect(browser.copies.all()).toHaveLength(1)
    await editor.retry()
    expect([kindOf(editor), (await stored())?.title]).toEqual(['saved', 'Paper'])
  })

  test('404: a deleted entry can be saved as a new one with all its values', async () => {
    await world.pages.delete(id)
    editor.edit(['minutes'], 5)
    await world.runUntilIdle([editor])
    expect(kindOf(editor)).toBe('gone')
    await editor.saveAsNew()
    const { document, status } = editor.getState()
    expect(status.kind).toBe('saved')
    expect(document.id).not.toBe(id)
    expect(await world.pages.findById(document.id ?? '')).toMatchObject({ title: 'Ink', minutes: 5, status: 'draft' })
  })

  test.each([200, 404, 502])('an HTML page from a proxy with status %i is retried', async (status) => {
    browser.network.next({ kind: 'page', status }, 'PUT')
    editor.edit(['title'], 'Paper')
    await tryOnce()
    expect(editor.getState().status).toMatchObject({ kind: 'waiting', reason: 'fault' })
    await world.runUntilIdle([editor])
    expect(kindOf(editor)).toBe('saved')
  })

  test('edits wait while the service restarts', async () => {
    await world.restart(async () => {
      editor.edit(['title'], 'Paper')
      await tryOnce()
      expect(editor.getState().status).toMatchObject({ kind: 'waiting' })
    })
    await world.runUntilIdle([editor])
    expect([kindOf(editor), (await stored())?.title]).toEqual(['saved', 'Paper'])
  })

  test('a document that cannot be read is read when the service returns', async () => {
    const other = world.browser()
    other.network.isOffline = true
    const otherEditor = await world.edit(other, { id })
    expect([kindOf(otherEditor), otherEditor.getState().isLoaded]).toEqual(['waiting', false])
    other.network.isOffline = false
    await world.runUntilIdle([otherEditor])
    expect([kindOf(otherEditor), otherEditor.getState().values.title]).toEqual(['saved', 'Ink'])
  })
})
