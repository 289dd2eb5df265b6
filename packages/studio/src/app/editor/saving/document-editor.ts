import type { Leaf } from './document-fields.ts'
import { type FieldPath, findLeaf, setInside } from './document-fields.ts'
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
import { type AppliedStep, UndoSteps } from './undo-steps.ts'

const MOST_UNDO_STEPS = 200
/** After so many newer versions in a row, the editor waits before it tries again. */
const MOST_NEWER_IN_A_ROW = 5

/**
 * Edits one document, and saves what is typed: first in this browser, then at the service. Whatever the service responds, nothing that was
 * typed is dropped, and nothing that other people stored is replaced without a decision.
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
  #shown: EditorState

  constructor(options: EditorOptions) {
    const { clock, random = Math.random, isAutosaved, isCreatedOnFlush: isCreatedWhenAsked = false } = options
    const times = { ...DEFAULT_TIMES, ...options.times }
    const name = options.newName()
    const isAutomatic = (): boolean => isAutosaved && (this.#document.ref.id !== null || !isCreatedWhenAsked)
    this.#options = options
    this.#release = options.open.register(name)
    this.#document = new EditedDocument(options, name, () => this.#publish())
    this.#schedule = new SaveSchedule(clock, times, random, isAutomatic)
    this.#steps = new UndoSteps({ coalesceMs: times.coalesceMs, most: MOST_UNDO_STEPS })
    this.#mustRead = options.document.id !== null
    this.#shown = this.#show()
  }

  /** Calls a listener after each change. @returns ends that */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** The same object until something changes. */
  readonly getState = (): EditorState => this.#shown

  /** Reads the document, and adopts the edits of closed editors of this browser. @returns when it can be edited, or cannot be read */
  async start(): Promise<void> {
    await this.#document.findOrphanedCopies()
    if (this.#closing.signal.aborted) return
    if (this.#document.ref.id === null) await this.#adoptLeft()
    await this.#run()
  }

  /**
   * Gives a field, or a value inside one, another value.
   *
   * @param isTyping true for one key of many: these are one step of undo
   * @throws {TypeError} for a path that leads to no field that can be written
   */
  edit(path: FieldPath, value: unknown, { isTyping = false }: { readonly isTyping?: boolean } = {}): void {
    const place = findLeaf(this.#options.leaves, path)
    if (!place || !this.#document.isLoaded)
      throw new TypeError(`There is no field at ${JSON.stringify(path)} that can be edited.`)
    const { leaf, inside } = place
    const before = getCurrentValue(this.#document.state, leaf)
    const edited = setInside(before, inside, value)
    // Another person has removed the item.
    if (edited === undefined) return
    const after = leaf.addItemKeys(edited)
    const at = this.#options.clock.now()
    this.#steps.add({ path: leaf.path, place: JSON.stringify(path), before, after, at, isTyping })
    this.#editLeaf(leaf, after)
  }

  /** The text at a place that is no value yet. @param place with dots between, items by their index */
  getUnfinishedText(place: string): UnfinishedText | undefined {
    return this.#document.state.unfinished.get(place)
  }

  /** Keeps such a text in this browser, where the next editor of the document finds it; without a text, deletes it. */
  setUnfinishedText(place: string, text: UnfinishedText | undefined): void {
    const { state } = this.#document
    const unfinished = setUnfinished(state.unfinished, place, text)
    if (unfinished === state.unfinished) return
    this.#document.state = { ...state, unfinished }
    void this.#document.writeLocalCopy()
  }

  /** Undoes the last edit; later changes by other people stay. @returns the path of the leaf that it was in */
  undo(): string | undefined {
    return this.#applyStep(this.#steps.undo(this.#document.state, this.#options.leaves))
  }

  /** Makes the edit again that was undone last. @returns the path of the leaf that it was in */
  redo(): string | undefined {
    return this.#applyStep(this.#steps.redo(this.#document.state, this.#options.leaves))
  }

  /** Decides a conflict. @param path of its leaf */
  resolve(path: string, decision: Decision): void {
    const leaf = this.#options.leaves.get(path)
    if (leaf) this.#change(resolveConflict(this.#document.state, leaf, decision))
  }

  /** Saves now, also without autosave. @returns the status after that */
  async flush(): Promise<SavingStatus> {
    this.#schedule.requestSave()
    await this.#run()
    return this.#shown.status
  }

  /** Reads the document again, since other people may have changed it, as live events say. */
  async refresh(): Promise<void> {
    if (this.#document.ref.id === null) return
    this.#mustRead = true
    await this.#run()
  }

  /** Ends a pause, since the network is back. */
  async online(): Promise<void> {
    this.#schedule.resume()
    await this.#run()
  }

  /** Sends nothing before {@link signedIn}, since the session has ended. */
  signedOut(): void {
    if (this.#halt?.kind === 'signed-out') return
    this.#halt = { kind: 'signed-out', isOtherPerson: false }
    this.#publish()
  }

  /** Goes on for the person who is signed in now: nothing is sent in the name of another person. */
  async signedIn(person: string): Promise<void> {
    const isOtherPerson = person !== this.#options.person
    if (!isOtherPerson && this.#halt?.kind !== 'signed-out') return
    this.#halt = isOtherPerson ? { kind: 'signed-out', isOtherPerson } : undefined
    this.#publish()
    await this.#run()
  }

  /** Sends everything again after a refusal, or reads a document again that was gone. */
  async retry(): Promise<void> {
    if (this.#halt?.kind === 'gone') this.#mustRead = this.#document.ref.id !== null
    if (this.#halt?.kind === 'gone' || this.#halt?.kind === 'refused') this.#halt = undefined
    this.#document.forgetRefusals()
    await this.flush()
  }

  /** Makes a new document of one that is gone, with everything that is seen of it. */
  async saveAsNew(): Promise<void> {
    if (this.#halt?.kind !== 'gone') return
    this.#halt = undefined
    this.#mustRead = false
    const { leaves, newName } = this.#options
    const { state, ref: name } = this.#document
    const seen = [...leaves.values()].map((leaf) => [leaf.path, getCurrentValue(state, leaf)] as const)
    const edits = new Map(seen.filter(([, value]) => value !== null))
    const { aside, unfinished } = state
    this.#document.ref = { ...name, id: null, newId: newName() }
    this.#document.isLoaded = true
    this.#change({ ...createEditState({ tag: null, values: {} }), edits, aside, unfinished })
    await this.flush()
  }

  /** Creates an entry that an earlier request may have created. */
  async createAgain(): Promise<void> {
    if (this.#halt?.kind !== 'uncertain') return
    this.#halt = undefined
    this.#document.endCreation()
    await this.flush()
  }

  /** Drops everything that is not stored, on purpose. */
  async discard(): Promise<void> {
    this.#document.endCreation()
    this.#document.forgetRefusals()
    this.#change(createEditState(this.#document.state.stored))
    await this.#document.writeLocalCopy()
  }

  /** Forgets notes of merges, or values that were kept aside. */
  dismiss(what: 'notes' | 'aside'): void {
    this.#change({ ...this.#document.state, [what]: [] })
  }

  /** @returns when no request and no write in this browser is under way */
  async idle(): Promise<void> {
    while (this.#work) await this.#work
    await this.#document.localCopy.idle()
  }

  /** Ends the editor. Everything that is not stored stays in this browser, and the next editor of the document adopts it. */
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
    // A document that was refused as a whole is another one now.
    if (this.#halt?.kind === 'refused') this.#halt = undefined
    this.#change(editLeaf(this.#document.state, leaf, value))
  }

  /** Takes a state that a person made: it is kept in this browser at once, and saved soon. */
  #change(state: EditState): void {
    this.#schedule.noteEdit(this.#document.hasWork)
    this.#document.state = state
    void this.#document.writeLocalCopy()
    this.#publish()
    this.#setTimer()
  }

  /** Sends what there is to send, one request at a time. @returns when nothing can be sent now */
  #run(): Promise<void> {
    this.#work ??= this.#runAll()
    return this.#work
  }

  async #runAll(): Promise<void> {
    // `#work` is set before the first request begins.
    await Promise.resolve()
    while (!this.#closing.signal.aborted && !this.#halt && !this.#schedule.isWaiting()) {
      if (this.#mustRead) await this.#read()
      else if (!this.#schedule.isDue() || !this.#document.hasWork) break
      else if (this.#document.ref.id === null) await this.#create()
      else await this.#save()
    }
    // In the same turn as the last look, so that later work begins another run.
    this.#work = undefined
    // A save that was requested before the session ended goes on in the next session.
    const isOver = this.#halt !== undefined && this.#halt.kind !== 'signed-out'
    if (isOver || !this.#document.hasWork) this.#schedule.clearRequest()
    this.#publish()
    this.#setTimer()
  }

  /** Sets the timer for the next run. */
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
    // A document that cannot be read is edited as the newest local copy has it.
    const { lastKnownState: lastSeen } = this.#document
    if (this.#mustRead && lastSeen) this.#document.state = lastSeen
    if (!this.#mustRead || lastSeen) await this.#adoptLeft()
  }

  /** Adopts the edits of closed editors. Their copies are deleted once the copy of this editor has everything. */
  async #adoptLeft(): Promise<void> {
    const left = this.#document.adoptOrphanedCopies()
    if (left.length === 0) return
    this.#schedule.scheduleRemaining(this.#document.hasWork)
    await this.#document.writeLocalCopy()
    await this.#document.deleteOrphanedCopies(left)
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

  /** Writes what is about to be sent to this browser, before anything goes to the network. */
  async #beginSave(): Promise<void> {
    this.#schedule.startSave()
    this.#isSaving = true
    this.#publish()
    await this.#document.writeLocalCopy()
  }

  /** Decides from the outcome of a request when to send the next one, or what to wait for. */
  #finish(outcome: RequestOutcome): void {
    this.#isSaving = false
    if (outcome.kind === 'done') this.#schedule.resetFailures()
    this.#schedule.scheduleRemaining(this.#document.hasWork)
    if (outcome.kind === 'wait') this.#schedule.pause(outcome.reason, outcome.retryAfterMs)
    if (outcome.kind === 'newer') {
      this.#mustRead = true
      this.#newerInARow += 1
      if (this.#newerInARow > MOST_NEWER_IN_A_ROW) this.#schedule.pause('busy', 0)
    }
    if (outcome.kind === 'signed-out') this.#halt = { kind: 'signed-out', isOtherPerson: false }
    if (outcome.kind === 'used-key') this.#halt = { kind: 'uncertain' }
    if (outcome.kind === 'gone' || outcome.kind === 'refused') this.#halt = outcome
  }

  #publish(): void {
    if (this.#closing.signal.aborted) return
    this.#shown = this.#show()
    for (const listener of this.#listeners) listener()
  }

  #show(): EditorState {
    return createEditorState(this.#document, {
      leaves: this.#options.leaves,
      halt: this.#halt,
      wait: this.#schedule.wait,
      isSaving: this.#isSaving,
      steps: this.#steps,
    })
  }
}
