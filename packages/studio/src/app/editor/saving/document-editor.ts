import { type FieldPath, findLeaf, type Leaf, setInside } from './document-fields.ts'
import {
  createEditState,
  type Decision,
  type EditState,
  editLeaf,
  getCurrentValue,
  resolveConflict,
  setUnfinished,
  type UnfinishedText,
} from './edit-state.ts'
import { EditedDocument, type RequestOutcome } from './edited-document.ts'
import { DEFAULT_TIMES, type EditorOptions } from './editor-options.ts'
import { createEditorState, type EditorState, type Halt, type SavingStatus } from './editor-state.ts'
import { SaveSchedule } from './save-schedule.ts'
import { type AppliedStep, type EditOptions, UndoSteps } from './undo-steps.ts'

const MAX_UNDO_STEPS = 200
/** The number of consecutive newer revisions after which the editor pauses. */
const MAX_NEWER_IN_A_ROW = 5

/**
 * Edits one document, and saves every edit, first in this browser, then at the service. Whatever the service responds, no edit is lost, and no
 * value stored by another user is replaced without a decision.
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
  readonly #schedule: SaveSchedule
  readonly #steps: UndoSteps
  readonly #listeners = new Set<() => void>()
  readonly #release: () => void
  readonly #closing = new AbortController()
  #isSaving = false
  #halt: Halt | undefined
  #mustRead: boolean
  #newerInARow = 0
  #work: Promise<void> | undefined
  #cancelTimer: (() => void) | undefined
  #state: EditorState

  constructor(options: EditorOptions) {
    const { clock, random = Math.random, isAutosaved, isCreatedOnFlush = false } = options
    const times = { ...DEFAULT_TIMES, ...options.times }
    const name = options.generateName()
    const isAutomatic = (): boolean => isAutosaved && (this.#document.ref.id !== null || !isCreatedOnFlush)
    this.#options = options
    this.#release = options.openEditors.register(name)
    this.#document = new EditedDocument(options, name, () => this.#publish())
    this.#schedule = new SaveSchedule(clock, times, random, isAutomatic)
    this.#steps = new UndoSteps({ coalesceMs: times.coalesceMs, maxSteps: MAX_UNDO_STEPS })
    this.#mustRead = options.document.id !== null
    this.#state = this.#createState()
  }

  /** Calls a listener after each change. @returns a function that removes it */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Returns the state, which stays the same object until something changes. */
  readonly getState = (): EditorState => this.#state

  /** Reads the document, and adopts edits of closed editors. Resolves once the document can be edited, or cannot be read. */
  async start(): Promise<void> {
    await this.#document.findOrphanedCopies()
    if (this.#closing.signal.aborted) return
    if (this.#document.ref.id === null) await this.#adoptOrphanedCopies()
    await this.#run()
  }

  /**
   * Sets a field, or a value inside one.
   *
   * @param options.isTyping true for a keystroke; consecutive ones are one undo step
   * @param options.completes a text that completes an earlier step, of which the edit is a part
   * @throws {TypeError} if the path leads to no writable field
   */
  edit(path: FieldPath, value: unknown, { isTyping = false, completes }: EditOptions = {}): void {
    const place = findLeaf(this.#options.leaves, path)
    if (!place || !this.#document.isLoaded)
      throw new TypeError(`There is no field at ${JSON.stringify(path)} that can be edited.`)
    const { leaf, inside } = place
    const before = getCurrentValue(this.#document.state, leaf)
    const edited = setInside(before, inside, value)
    // Another user has removed the item.
    if (edited === undefined) return
    const after = leaf.addItemKeys(edited)
    const at = this.#options.clock.now()
    if (completes) this.#steps.complete(leaf.path, completes)
    else this.#steps.add({ path: leaf.path, place: JSON.stringify(path), before, after, at, isTyping })
    this.#editLeaf(leaf, after)
  }

  /** Returns the text at a place that is not a valid value yet. @param place the dotted path, with indexes of items */
  getUnfinishedText(place: string): UnfinishedText | undefined {
    return this.#document.state.unfinished.get(place)
  }

  /** Stores such a text in this browser for the next editor of the document, or deletes it if `undefined`. */
  setUnfinishedText(place: string, text: UnfinishedText | undefined): void {
    const { state } = this.#document
    const unfinished = setUnfinished(state.unfinished, place, text)
    if (unfinished === state.unfinished) return
    this.#document.state = { ...state, unfinished }
    void this.#document.writeLocalCopy()
  }

  /** Undoes the last edit, but keeps later changes by others. @returns the path of the changed leaf */
  undo(): string | undefined {
    return this.#applyStep(this.#steps.undo(this.#document.state, this.#options.leaves))
  }

  /** Repeats the edit that was undone last. @returns the path of the changed leaf */
  redo(): string | undefined {
    return this.#applyStep(this.#steps.redo(this.#document.state, this.#options.leaves))
  }

  /** @param path the path of the leaf in conflict */
  resolve(path: string, decision: Decision): void {
    const leaf = this.#options.leaves.get(path)
    if (leaf) this.#change(resolveConflict(this.#document.state, leaf, decision))
  }

  /** Saves now, even without autosave. @returns the resulting status */
  async flush(): Promise<SavingStatus> {
    this.#schedule.requestSave()
    await this.#run()
    return this.#state.status
  }

  /** Reads the document again, for example after a live event. */
  async refresh(): Promise<void> {
    if (this.#document.ref.id === null) return
    this.#mustRead = true
    await this.#run()
  }

  /** Ends a pause after the network has returned. */
  async online(): Promise<void> {
    this.#schedule.resume()
    await this.#run()
  }

  /** Stops sending until {@link signedIn}, because the session has expired. */
  signedOut(): void {
    if (this.#halt?.kind === 'signed-out') return
    this.#halt = { kind: 'signed-out', isOtherPerson: false }
    this.#publish()
  }

  /** Resumes sending if the same user has signed in. Nothing is sent in the name of another user. */
  async signedIn(person: string): Promise<void> {
    const isOtherPerson = person !== this.#options.person
    if (!isOtherPerson && this.#halt?.kind !== 'signed-out') return
    this.#halt = isOtherPerson ? { kind: 'signed-out', isOtherPerson } : undefined
    this.#publish()
    await this.#run()
  }

  /** Sends rejected values again, or reads a missing document again. */
  async retry(): Promise<void> {
    if (this.#halt?.kind === 'gone') this.#mustRead = this.#document.ref.id !== null
    if (this.#halt?.kind === 'gone' || this.#halt?.kind === 'refused') this.#halt = undefined
    this.#document.forgetRefusals()
    await this.flush()
  }

  /** Saves the shown values of a deleted document as a new one. */
  async saveAsNew(): Promise<void> {
    if (this.#halt?.kind !== 'gone') return
    this.#halt = undefined
    this.#mustRead = false
    const { leaves, generateName } = this.#options
    const { state, ref } = this.#document
    const values = [...leaves.values()].map((leaf) => [leaf.path, getCurrentValue(state, leaf)] as const)
    const edits = new Map(values.filter(([, value]) => value !== null))
    const { aside, unfinished } = state
    this.#document.ref = { ...ref, id: null, newId: generateName() }
    this.#document.isLoaded = true
    this.#change({ ...createEditState({ tag: null, values: {} }), edits, aside, unfinished })
    await this.flush()
  }

  /** Creates an entry that an earlier attempt may have created already. */
  async createAgain(): Promise<void> {
    if (this.#halt?.kind !== 'uncertain') return
    this.#halt = undefined
    this.#document.endCreation()
    await this.flush()
  }

  async discard(): Promise<void> {
    this.#document.endCreation()
    this.#document.forgetRefusals()
    this.#change(createEditState(this.#document.state.stored))
    await this.#document.writeLocalCopy()
  }

  /** Removes the notes about merges, or the values set aside. */
  dismiss(what: 'notes' | 'aside'): void {
    this.#change({ ...this.#document.state, [what]: [] })
  }

  /** Waits until no request and no local write is running. */
  async idle(): Promise<void> {
    while (this.#work) await this.#work
    await this.#document.localCopy.idle()
  }

  /** Closes the editor. Unsaved edits stay in this browser for the next editor of the document. */
  close(): void {
    this.#closing.abort()
    this.#cancelTimer?.()
    this.#listeners.clear()
    this.#release()
  }

  #applyStep(step: AppliedStep | undefined): string | undefined {
    if (step) this.#editLeaf(step.leaf, step.value)
    else this.#publish()
    return step?.leaf.path
  }

  #editLeaf(leaf: Leaf, value: unknown): void {
    // After an edit, a document that was rejected as a whole can be sent again.
    if (this.#halt?.kind === 'refused') this.#halt = undefined
    this.#change(editLeaf(this.#document.state, leaf, value))
  }

  /** Sets the state after a user's action, writes it to this browser at once, and schedules a save. */
  #change(state: EditState): void {
    this.#schedule.noteEdit(this.#document.hasWork)
    this.#document.state = state
    void this.#document.writeLocalCopy()
    this.#publish()
    this.#setTimer()
  }

  /** Sends pending work, one request at a time. Resolves once nothing can be sent now. */
  #run(): Promise<void> {
    this.#work ??= this.#runAll()
    return this.#work
  }

  async #runAll(): Promise<void> {
    // Lets the caller set `#work` before the first request begins.
    await Promise.resolve()
    while (!this.#closing.signal.aborted && !this.#halt && !this.#schedule.isWaiting()) {
      if (this.#mustRead) await this.#read()
      else if (!this.#schedule.isDue() || !this.#document.hasWork) break
      else if (this.#document.ref.id === null) await this.#create()
      else await this.#save()
    }
    // Synchronously after the loop, so that later work starts another run.
    this.#work = undefined
    // A save that was requested before the session expired continues in the next session.
    const isOver = this.#halt !== undefined && this.#halt.kind !== 'signed-out'
    if (isOver || !this.#document.hasWork) this.#schedule.clearRequest()
    this.#publish()
    this.#setTimer()
  }

  #setTimer(): void {
    this.#cancelTimer?.()
    this.#cancelTimer = undefined
    if (this.#closing.signal.aborted || this.#halt || this.#work) return
    const ms = this.#schedule.getNextDelay({ mustRead: this.#mustRead, hasWork: this.#document.hasWork })
    if (ms !== undefined) this.#cancelTimer = this.#options.clock.after(ms, () => void this.#run())
  }

  async #read(): Promise<void> {
    const { signal } = this.#closing
    this.#publish()
    const outcome = await this.#document.read(signal)
    if (signal.aborted) return
    if (outcome.kind === 'done') this.#mustRead = false
    this.#finish(outcome)
    if (this.#document.isLoaded) return this.#document.writeLocalCopy()
    // If the document cannot be read, edit the values of the newest local copy.
    const { lastKnownState } = this.#document
    if (this.#mustRead && lastKnownState) this.#document.state = lastKnownState
    if (!this.#mustRead || lastKnownState) await this.#adoptOrphanedCopies()
  }

  /** Adopts the edits of closed editors, and deletes their copies once this editor's copy contains them. */
  async #adoptOrphanedCopies(): Promise<void> {
    const orphans = this.#document.adoptOrphanedCopies()
    if (orphans.length === 0) return
    this.#schedule.scheduleRemaining(this.#document.hasWork)
    await this.#document.writeLocalCopy()
    await this.#document.deleteOrphanedCopies(orphans)
  }

  async #save(): Promise<void> {
    const plan = this.#document.prepareSave()
    await this.#beginSave()
    const { signal } = this.#closing
    if (signal.aborted) return
    const outcome = await this.#document.save(plan, signal)
    if (signal.aborted) return
    if (outcome.kind === 'done') this.#newerInARow = 0
    this.#finish(outcome)
    await this.#document.writeLocalCopy()
  }

  async #create(): Promise<void> {
    const attempt = this.#document.prepareCreation()
    if (!attempt) return this.#finish({ kind: 'used-key' })
    await this.#beginSave()
    const { signal } = this.#closing
    if (signal.aborted) return
    const outcome = await this.#document.create(attempt, signal)
    if (signal.aborted) return
    this.#finish(outcome)
    await this.#document.writeLocalCopy()
  }

  /** Updates the local copy before a request is sent. */
  async #beginSave(): Promise<void> {
    this.#schedule.startSave()
    this.#isSaving = true
    this.#publish()
    await this.#document.writeLocalCopy()
  }

  /** Schedules the next request, a pause or a halt, depending on the outcome of the last one. */
  #finish(outcome: RequestOutcome): void {
    this.#isSaving = false
    if (outcome.kind === 'done') this.#schedule.resetFailures()
    this.#schedule.scheduleRemaining(this.#document.hasWork)
    if (outcome.kind === 'wait') this.#schedule.pause(outcome.reason, outcome.retryAfterMs)
    if (outcome.kind === 'newer') {
      this.#mustRead = true
      this.#newerInARow += 1
      if (this.#newerInARow > MAX_NEWER_IN_A_ROW) this.#schedule.pause('busy', 0)
    }
    if (outcome.kind === 'signed-out') this.#halt = { kind: 'signed-out', isOtherPerson: false }
    if (outcome.kind === 'used-key') this.#halt = { kind: 'uncertain' }
    if (outcome.kind === 'gone' || outcome.kind === 'refused') this.#halt = outcome
  }

  #publish(): void {
    if (this.#closing.signal.aborted) return
    this.#state = this.#createState()
    for (const listener of this.#listeners) listener()
  }

  #createState(): EditorState {
    return createEditorState(this.#document, {
      leaves: this.#options.leaves,
      halt: this.#halt,
      wait: this.#schedule.wait,
      isSaving: this.#isSaving,
      steps: this.#steps,
    })
  }
}
