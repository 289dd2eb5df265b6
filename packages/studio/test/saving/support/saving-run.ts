import { etagOf } from '@daybook/client'
import { expect } from 'vitest'
import type { DocumentEditor } from '../../../src/app/editor/saving/document-editor.ts'
import { getItemKey } from '../../../src/app/editor/saving/field-values.ts'
import type { DocumentRef } from '../../../src/app/editor/saving/local-copies.ts'
import type { Command } from './commands.ts'
import { type Browser, kindOf, type SavingWorld } from './saving-world.ts'
import { LEAVES, type LeafPath, TokenAccount, valueAt } from './token-account.ts'

type Of<K> = Extract<Command, { readonly kind: K }>

async function ticks(count: number): Promise<void> {
  for (let left = count; left > 0; left -= 1) await new Promise((resolve) => setImmediate(resolve))
}

/** A run of several editors on one entry. Each has a browser, which others may share. */
export class SavingRun {
  readonly #world: SavingWorld
  readonly #browsers: readonly Browser[]
  readonly #account = new TokenAccount()
  readonly #editors: DocumentEditor[] = []

  private constructor(world: SavingWorld, browsers: readonly Browser[]) {
    this.#world = world
    this.#browsers = browsers
  }

  static async begin(
    world: SavingWorld,
    browsers: readonly Browser[],
    document: Partial<DocumentRef>,
  ): Promise<SavingRun> {
    const run = new SavingRun(world, browsers)
    for (const browser of browsers) run.#editors.push(await world.edit(browser, document))
    return run
  }

  get documents(): readonly DocumentRef[] {
    return this.#editors.map((editor) => editor.getState().document)
  }

  get conflicts(): number {
    return this.#editors.reduce((sum, editor) => sum + editor.getState().conflicts.size, 0)
  }

  async carryOut(command: Command): Promise<void> {
    if (command.kind === 'wait') return this.#world.clock.advance(command.ms)
    if (command.kind === 'outside') return this.#changeOutside(command)
    if (command.kind === 'tick') return ticks(command.count)
    const editor = this.#editors[command.who]
    const browser = this.#browsers[command.who]
    if (!editor || !browser) return
    if (command.kind === 'crash') return this.#crash(command.who, editor, browser)
    if (command.kind === 'fault') browser.network.next(command.fault, command.method)
    else if (command.kind === 'call') this.#call(editor, browser, command)
    else if (editor.getState().isLoaded) this.#act(editor, command)
  }

  #call(editor: DocumentEditor, { network }: Browser, { call }: Of<'call'>): void {
    if (call === 'offline') network.isOffline = true
    if (call === 'online') network.isOffline = false
    if (call === 'online') void editor.online()
    if (call === 'sign-in') void editor.signedIn('mia')
    if (call === 'refresh') void editor.refresh()
    if (call === 'flush') void editor.flush()
  }

  #act(editor: DocumentEditor, command: Of<'type'> | Of<'rearrange'> | Of<'undo'> | Of<'decide'>): void {
    if (command.kind === 'decide') this.#decide(editor, command)
    else if (command.kind === 'undo') this.#account.book(editor, () => (command.isRedo ? editor.redo() : editor.undo()))
    else if (command.kind === 'type') this.#account.book(editor, () => this.#type(editor, command))
    else this.#account.book(editor, () => this.#rearrange(editor, command))
  }

  #type(editor: DocumentEditor, { leaf, at }: Of<'type'>): void {
    const { values } = editor.getState()
    const list = (valueAt(values, leaf) ?? []) as readonly object[]
    if (leaf === 'minutes') editor.edit(['minutes'], this.#account.newNumber())
    else if (leaf === 'tags') editor.edit(['tags'], [...list.slice(0, at), this.#account.newToken(), ...list.slice(at)])
    else if (leaf === 'parts') this.#typeInBlocks(editor, list, at)
    else editor.edit(leaf.split('.'), `some words ${this.#account.newToken()}`, { isTyping: at > 1 })
  }

  #typeInBlocks(editor: DocumentEditor, list: readonly object[], at: number): void {
    const item = list[at - 1]
    const body = this.#account.newToken()
    if (item) editor.edit(['parts', { item: getItemKey(item) ?? '' }, 'body'], body)
    else editor.edit(['parts'], [...list.slice(0, at), { _type: 'text', body }, ...list.slice(at)])
  }

  #rearrange(editor: DocumentEditor, { isMove, leaf, at }: Of<'rearrange'>): void {
    const list = (valueAt(editor.getState().values, leaf) ?? []) as readonly object[]
    const item = list[at]
    if (item === undefined) return
    const remaining = list.toSpliced(at, 1)
    editor.edit([leaf], isMove ? [...remaining, item] : remaining)
  }

  #decide(editor: DocumentEditor, { choice }: Of<'decide'>): void {
    const [conflict] = editor.getState().conflicts.values()
    if (!conflict) return
    const { path } = conflict
    const isText = path === 'title' || path === 'body'
    const decision = choice !== 'new' ? choice : isText ? { value: this.#account.newToken() } : 'mine'
    this.#account.bookDecision(editor, path, () => editor.resolve(path, decision))
  }

  /** Closes the editor without saving, and opens another that finds its local copy. */
  async #crash(who: number, editor: DocumentEditor, browser: Browser): Promise<void> {
    await ticks(3)
    editor.close()
    // As the page's URL does, the new editor names the entry once it is stored.
    this.#editors[who] = await this.#world.edit(browser, editor.getState().document)
  }

  async #changeOutside({ leaf }: Of<'outside'>): Promise<void> {
    const { pages } = this.#world
    const id = this.documents[0]?.id
    const before = id == null ? null : await pages.findById(id, { draft: true })
    if (!before) return
    const value = leaf === 'minutes' ? this.#account.newNumber() : this.#account.newToken()
    const saved = await pages.saveDraft(before, { [leaf]: value }, { ifMatch: etagOf(before) }).catch(() => null)
    if (saved) this.#account.bookStored(before[leaf], saved[leaf])
  }

  /** Removes all faults, signs everybody in, and saves everything that can be saved. */
  async end(): Promise<void> {
    for (const { network } of this.#browsers) network.heal()
    await this.#world.runUntilIdle(this.#editors)
    for (const editor of this.#editors) {
      await editor.signedIn('mia')
      await editor.online()
      await editor.retry()
      await this.#world.runUntilIdle(this.#editors)
    }
    // A read may end a conflict, and the save that follows is news for the other editors: hence two rounds.
    for (const editor of [...this.#editors, ...this.#editors]) {
      await editor.refresh()
      await this.#world.runUntilIdle(this.#editors)
    }
  }

  /** Asserts that no edit is lost, and that all editors show the same values except in conflicts. */
  async check(): Promise<void> {
    const id = this.documents[0]?.id
    const stored = id == null ? {} : await this.#world.pages.findById(id, { draft: true })
    expect(this.#account.missing(stored, this.#editors)).toEqual([])
    for (const editor of this.#editors) {
      expect(['saved', 'conflict']).toContain(kindOf(editor))
      const { dirty, conflicts, values } = editor.getState()
      expect([...dirty]).toEqual([...conflicts.keys()])
      const savedPaths = LEAVES.filter((path) => !dirty.has(path))
      const getShown = (path: LeafPath): unknown => valueAt(values, path)
      if (stored) expect(savedPaths.map(getShown)).toEqual(savedPaths.map((path) => valueAt(stored, path)))
    }
  }
}
