import type { Leaf } from './document-fields.ts'
import { DocumentRequests } from './document-requests.ts'
import { cleanState, type Decision, decide, type EditState, editLeaf, seenAt, seenValues } from './edit-state.ts'
import { EditedDocument } from './edited-document.ts'
import { DEFAULT_TIMES, type EditorOptions } from './editor-options.ts'
import type { EditorState, SavingStatus } from './editor-state.ts'
import { type FieldPath, findLeaf, setInside } from './field-path.ts'
import { type AppliedStep, type SeenLeaf, UndoSteps } from './undo-steps.ts'
import type { UnfinishedText } from './unfinished-texts.ts'

const MOST_UNDO_STEPS = 200

/**
 * Edits one document, and saves what is typed: first in this browser, then at the service. Whatever answers, nothing that was typed is
 * dropped, and nothing that others stored is replaced without a decision.
 *
 * @example
 * ```tsx
 * const { status, values } = useSyncExternalStore(editor.subscribe, editor.getState)
 * return <input value={String(values.title ?? '')} onChange={(event) => editor.edit(['title'], event.target.value)} />
 * ```
 */
export class DocumentEditor {
  readonly #options: EditorOptions
  readonly #document: EditedDocument
  readonly #requests: DocumentRequests
  readonly #steps: UndoSteps
  readonly #listeners = new Set<() => void>()
  readonly #release: () => void
  #isClosed = false
  #shown: EditorState

  constructor(options: EditorOptions) {
    const { coalesceMs = DEFAULT_TIMES.coalesceMs } = options.times ?? {}
    const name = options.newName()
    const publish = (): void => this.#publish()
    this.#options = options
    this.#release = options.open.hold(name)
    this.#document = new EditedDocument(options, name, publish)
    this.#requests = new DocumentRequests(options, this.#document, publish)
    this.#steps = new UndoSteps({ coalesceMs, most: MOST_UNDO_STEPS })
    this.#shown = this.#show()
  }

  /** Calls a listener after each change. @returns ends that */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** The same object until something changes. */
  readonly getState = (): EditorState => this.#shown

  /** Reads the document, and takes up what was left behind of it in this browser. @returns when it can be edited, or cannot be read */
  start(): Promise<void> {
    return this.#requests.start()
  }

  /**
   * Gives a field, or a value inside one, another value.
   *
   * @param isTyping whether it is one key of many: these are one step of undo
   * @throws {TypeError} for a path that leads to no field that can be written
   */
  edit(path: FieldPath, value: unknown, { isTyping = false }: { readonly isTyping?: boolean } = {}): void {
    const place = findLeaf(this.#options.leaves, path)
    if (!place || !this.#document.isLoaded)
      throw new TypeError(`There is no field at ${JSON.stringify(path)} that can be edited.`)
    const { leaf, inside } = place
    const before = seenAt(this.#document.state, leaf)
    const edited = setInside(before, inside, value)
    // An item that another person has removed meanwhile.
    if (edited === undefined) return
    const after = leaf.keyed(edited)
    const at = this.#options.clock.now()
    this.#steps.add({ path: leaf.path, place: JSON.stringify(path), before, after, at, isTyping })
    this.#editLeaf(leaf, after)
  }

  /** The text at a place that says no value yet. @param place with dots between, items by their index */
  unfinishedAt(place: string): UnfinishedText | undefined {
    return this.#document.unfinishedAt(place)
  }

  /** Keeps such a text in this browser, where the next editor of the document finds it; without one, forgets it. */
  keepUnfinished(place: string, unfinished: UnfinishedText | undefined): void {
    this.#document.keepUnfinished(place, unfinished)
  }

  /** Takes the last edit back; what others changed meanwhile stays. @returns the leaf that it was in */
  undo(): string | undefined {
    return this.#applyStep(this.#steps.undo((path) => this.#seen(path)))
  }

  /** Makes the edit again that was taken back last. @returns the leaf that it was in */
  redo(): string | undefined {
    return this.#applyStep(this.#steps.redo((path) => this.#seen(path)))
  }

  /** Decides a conflict. @param path of its leaf */
  resolve(path: string, decision: Decision): void {
    const leaf = this.#options.leaves.get(path)
    if (leaf) this.#change(decide(this.#document.state, leaf, decision))
  }

  /** Saves now, also without autosave. @returns how far it came */
  async flush(): Promise<SavingStatus> {
    await this.#requests.flush()
    return this.#shown.status
  }

  /** Says that others may have changed the document, as live events do. */
  refresh(): Promise<void> {
    return this.#requests.refresh()
  }

  /** Says that the network is back. */
  online(): Promise<void> {
    return this.#requests.online()
  }

  /** Says that the session has ended: nothing is sent before {@link signedIn}. */
  signedOut(): void {
    this.#requests.signedOut()
  }

  /** Says who is signed in now: nothing is sent in the name of another person. */
  signedIn(person: string): Promise<void> {
    return this.#requests.signedIn(person)
  }

  /** Asks again after a refusal, or for a document that was gone. */
  retry(): Promise<void> {
    return this.#requests.retry()
  }

  /** Makes a new document of one that is gone, with all that is seen of it. */
  async saveAsNew(): Promise<void> {
    if (!this.#requests.beginAnew()) return
    const { leaves, newName } = this.#options
    const { state, name } = this.#document
    const seen = [...leaves.values()].map((leaf) => [leaf.path, seenAt(state, leaf)] as const)
    const edits = new Map(seen.filter(([, value]) => value !== null))
    this.#document.name = { ...name, id: null, newId: newName() }
    this.#document.isLoaded = true
    this.#change({ ...cleanState({ tag: null, values: {} }), edits, aside: state.aside })
    await this.flush()
  }

  /** Creates an entry of which it is not known whether it was created before. */
  createAgain(): Promise<void> {
    return this.#requests.createAgain()
  }

  /** Drops all that is not stored, on purpose. */
  async discard(): Promise<void> {
    this.#document.forget()
    this.#requests.forgetRefused()
    this.#change(cleanState(this.#document.state.stored))
    await this.#document.dropCopy()
  }

  /** Forgets what was shown: notes of merges, or what was kept aside. */
  dismiss(what: 'notes' | 'aside'): void {
    this.#change({ ...this.#document.state, [what]: [] })
  }

  /** @returns when no request and no write in this browser is under way */
  async idle(): Promise<void> {
    await this.#requests.idle()
    await this.#document.idle()
  }

  /** Ends the editor. What is not stored stays in this browser, and is taken up by the next editor of the document. */
  close(): void {
    this.#isClosed = true
    this.#requests.close()
    this.#listeners.clear()
    this.#release()
  }

  #seen(path: string): SeenLeaf | undefined {
    const leaf = this.#options.leaves.get(path)
    return leaf && { leaf, value: seenAt(this.#document.state, leaf) }
  }

  #applyStep(step: AppliedStep | undefined): string | undefined {
    const leaf = step && this.#options.leaves.get(step.path)
    if (!leaf) {
      this.#publish()
      return undefined
    }
    this.#editLeaf(leaf, step.value)
    return leaf.path
  }

  #editLeaf(leaf: Leaf, value: unknown): void {
    this.#requests.noteChange()
    this.#change(editLeaf(this.#document.state, leaf, value))
  }

  /** Takes a state that a person made: it is kept in this browser at once, and saved soon. */
  #change(state: EditState): void {
    this.#requests.noteEdit()
    this.#document.state = state
    void this.#document.keep()
    this.#publish()
    this.#requests.arm()
  }

  #publish(): void {
    if (this.#isClosed) return
    this.#shown = this.#show()
    for (const listener of this.#listeners) listener()
  }

  #show(): EditorState {
    const { name, state, isLoaded, localCopy } = this.#document
    const { conflicts, edits, notes, aside, stored } = state
    return {
      document: name,
      status: this.#requests.status,
      isLoaded,
      values: seenValues(state, this.#options.leaves),
      tag: stored.tag,
      dirty: new Set([...edits.keys(), ...conflicts.keys()]),
      conflicts,
      issues: this.#requests.issues,
      notes,
      aside,
      localCopy,
      canUndo: this.#steps.canUndo,
      canRedo: this.#steps.canRedo,
    }
  }
}
