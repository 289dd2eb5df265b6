import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { DocumentEditor } from '../../src/app/editor/saving/document-editor.ts'
import { SavingWorld } from './support/saving-world.ts'

describe('undo and redo', () => {
  let world: SavingWorld
  let id: string
  let editor: DocumentEditor

  beforeEach(async () => {
    world = await SavingWorld.open()
    id = (await world.pages.create({ title: 'Ink', tags: ['a'], body: 'Oak galls and iron.' })).id
    editor = await world.edit(world.browser(), { id })
  })
  afterEach(() => world[Symbol.asyncDispose]())

  const stored = () => world.pages.findById(id, { draft: true })
  const seen = (key: string) => editor.getState().values[key]

  test('continuous typing is one step; a pause or another field begins a new one', () => {
    for (const title of ['Ink a', 'Ink an', 'Ink and']) editor.edit(['title'], title, { isTyping: true })
    editor.edit(['seo', 'title'], 'S', { isTyping: true })
    editor.edit(['title'], 'Ink and p', { isTyping: true })
    world.clock.advance(1001)
    editor.edit(['title'], 'Ink and paper', { isTyping: true })
    const titles = [1, 2, 3, 4].map(() => {
      const path = editor.undo()
      return [path, seen('title')]
    })
    expect(titles).toEqual([
      ['title', 'Ink and p'],
      ['title', 'Ink and'],
      ['seo.title', 'Ink and'],
      ['title', 'Ink'],
    ])
    expect([editor.getState().canUndo, editor.getState().canRedo, editor.undo()]).toEqual([false, true, undefined])
    editor.redo()
    expect(seen('title')).toBe('Ink and')
    editor.edit(['title'], 'Other')
    expect(editor.getState().canRedo).toBe(false)
  })

  test('steps survive a save, and undoing one is saved as an edit', async () => {
    editor.edit(['title'], 'Paper')
    await editor.flush()
    expect((await stored())?.title).toBe('Paper')
    editor.undo()
    await editor.flush()
    expect((await stored())?.title).toBe('Ink')
    editor.redo()
    await editor.flush()
    expect((await stored())?.title).toBe('Paper')
  })

  test('changes by others are not undone', async () => {
    editor.edit(['minutes'], 1)
    editor.edit(['tags'], ['a', 'mine'])
    editor.edit(['title'], 'Paper')
    await editor.flush()
    await world.pages.saveDraft(id, { title: 'Theirs', tags: ['theirs', 'a', 'mine'] })
    await editor.refresh()
    expect(editor.undo()).toBe('tags')
    expect([seen('title'), seen('tags')]).toEqual(['Theirs', ['theirs', 'a']])
    expect(editor.undo()).toBe('minutes')
    expect(seen('minutes')).toBeNull()
    editor.redo()
    editor.redo()
    expect([seen('minutes'), seen('tags')]).toEqual([1, ['theirs', 'a', 'mine']])
  })

  test('undoing an edit of a text keeps words that others wrote', async () => {
    editor.edit(['body'], 'Oak galls and rusty iron.')
    await editor.flush()
    await world.pages.saveDraft(id, { body: 'Fresh oak galls and rusty iron.' })
    await editor.refresh()
    editor.undo()
    expect(seen('body')).toBe('Fresh oak galls and iron.')
  })
})
