import type { Clock } from './clock.ts'
import { adoptCopy } from './copies/adopt-copy.ts'
import { CopyKeeper } from './copies/copy-keeper.ts'
import {
  type CreateAttempt,
  type DocumentName,
  documentKey,
  type LeftCopy,
  type LocalCopies,
  leftCopies,
  type OpenEditors,
} from './copies/local-copies.ts'
import { toLocalCopy } from './copies/to-local-copy.ts'
import { Creation } from './creation.ts'
import type { Leaf, Leaves } from './document-fields.ts'
import {
  cleanState,
  type Decision,
  decide,
  type EditState,
  editLeaf,
  markSent,
  seenAt,
  seenValues,
  takeAnswer,
  takeNewer,
} from './edit-state.ts'
import type { EditorState, SavingStatus } from './editor-state.ts'
import { type Failure, failureOf, type Issue } from './failure.ts'
import { type FieldPath, findLeaf, setInside } from './field-path.ts'
import { ItemKeys } from './item-keys.ts'
import { type Refusal, RefusedValues } from './refused-values.ts'
import type { Remote } from './remote.ts'
import { largestOf, planSave, type SavePlan, toBody } from './save-plan.ts'
import { SaveSchedule, type ScheduleTimes } from './save-schedule.ts'
import type { Values } from './saved-field.ts'
import { type AppliedStep, type SeenLeaf, UndoSteps } from './undo-steps.ts'
import { type UnfinishedText, type UnfinishedTexts, withUnfinished } from './unfinished-texts.ts'

/** When the engine does what. */
export interface SavingTimes extends ScheduleTimes {
  /** The longest pause within one step of undo. @default 1,000 */
  readonly coalesceMs: number
}

const DEFAULT_TIMES: SavingTimes = {
  debounceMs: 800,
  longestUnsavedMs: 5000,
  firstRetryMs: 1000,
  longestRetryMs: 60_000,
  coalesceMs: 1000,
}
const MOST_UNDO_STEPS = 200
/** After so many newer versions in a row, the engine waits before it tries again. */
const MOST_NEWER_IN_A_ROW = 5

/** What an editor of one document needs. */
export interface EditorOptions {
  readonly document: DocumentName
  /** Of a document that was never stored: what it begins with. */
  readonly initial?: Values
  readonly leaves: Leaves
  readonly remote: Remote
  /** Whether edits are saved by themselves; else by {@link DocumentEditor.flush}, as where a save is seen by readers at once. */
  readonly isAutosaved: boolean
  /**
   * Whether a document that was never stored is created by {@link DocumentEditor.flush} alone, as where its slug is made from a title that is
   * still being typed. @default false
   */
  readonly isCreatedWhenAsked?: boolean
  /** The subject of the session: local copies are the person's own. */
  readonly person: string
  readonly copies: LocalCopies
  readonly open: OpenEditors
  readonly clock: Clock
  /** Random names, such as `crypto.randomUUID`. */
  readonly newName: () => string
  /** @default `Math.random` */
  readonly random?: () => number
  readonly times?: Partial<SavingTimes>
}

/** What keeps the engine from saving until somebody does something. */
type Halt = Extract<SavingStatus, { readonly kind: 'refused' | 'signed-out' | 'gone' | 'uncertain' }>

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
  readonly #name: string
  readonly #keeper: CopyKeeper
  readonly #steps: UndoSteps
  readonly #schedule: SaveSchedule
  readonly #refused: RefusedValues
  readonly #creation = new Creation()
  readonly #listeners = new Set<() => void>()
  readonly #ending = new AbortController()
  readonly #release: () => void
  /** Keys of the items of lists and blocks, for forms. */
  readonly itemKeys: ItemKeys = new ItemKeys()
  #document: DocumentName
  #state: EditState
  #unfinished: UnfinishedTexts = new Map()
  #isLoaded = false
  #activity: 'loading' | 'saving' | undefined
  #halt: Halt | undefined
  #haltIssues: readonly Issue[] = []
  #mustRead: boolean
  #left: readonly LeftCopy[] = []
  #newerInARow = 0
  #work: Promise<void> | undefined
  #cancelTimer: (() => void) | undefined
  #shown: EditorState

  constructor(options: EditorOptions) {
    this.#options = options
    const { clock, random = Math.random, isAutosaved, isCreatedWhenAsked = false } = options
    const times = { ...DEFAULT_TIMES, ...options.times }
    this.#document = options.document
    this.#mustRead = options.document.id !== null
    this.#name = options.newName()
    this.#release = options.open.hold(this.#name)
    this.#keeper = new CopyKeeper(options.copies, () => this.#publish())
    this.#steps = new UndoSteps({ coalesceMs: times.coalesceMs, most: MOST_UNDO_STEPS })
    const isAutomatic = (): boolean => isAutosaved && (this.#document.id !== null || !isCreatedWhenAsked)
    this.#schedule = new SaveSchedule(clock, times, random, isAutomatic)
    this.#refused = new RefusedValues(options.leaves)
    this.#state = cleanState({ tag: null, values: options.initial ?? {} })
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
  async start(): Promise<void> {
    const { copies, open, person } = this.#options
    this.#left = await leftCopies(copies, open, documentKey(person, this.#document)).catch(() => [])
    if (this.#ending.signal.aborted) return
    if (this.#document.id === null) await this.#takeUp()
    await this.#run()
  }

  /**
   * Gives a field, or a value inside one, another value.
   *
   * @param isTyping whether it is one key of many: these are one step of undo
   * @throws {TypeError} for a path that leads to no field that can be written
   */
  edit(path: FieldPath, value: unknown, { isTyping = false }: { readonly isTyping?: boolean } = {}): void {
    const place = findLeaf(this.#options.leaves, path)
    if (!place || !this.#isLoaded)
      throw new TypeError(`There is no field at ${JSON.stringify(path)} that can be edited.`)
    const { leaf, inside } = place
    const before = seenAt(this.#state, leaf)
    const after = setInside(before, inside, value, this.itemKeys)
    // An item that another person has removed meanwhile.
    if (after === undefined) return
    this.itemKeys.carryAll(before, after)
    const at = this.#options.clock.now()
    this.#steps.add({ path: leaf.path, place: JSON.stringify(path), before, after, at, isTyping })
    this.#editLeaf(leaf, after)
  }

  /** The text at a place that says no value yet. @param place with dots between, items by their index */
  unfinishedAt(place: string): UnfinishedText | undefined {
    return this.#unfinished.get(place)
  }

  /** Keeps such a text in this browser, where the next editor of the document finds it; without one, forgets it. */
  keepUnfinished(place: string, unfinished: UnfinishedText | undefined): void {
    const next = withUnfinished(this.#unfinished, place, unfinished)
    if (next === this.#unfinished) return
    this.#unfinished = next
    void this.#keep()
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
    if (!leaf) return
    this.#change(decide(this.#state, leaf, decision))
  }

  /** Saves now, also without autosave. @returns how far it came */
  async flush(): Promise<SavingStatus> {
    this.#schedule.ask()
    await this.#run()
    return this.#shown.status
  }

  /** Says that others may have changed the document, as live events do. */
  async refresh(): Promise<void> {
    if (this.#document.id === null) return
    this.#mustRead = true
    await this.#run()
  }

  /** Says that the network is back. */
  async online(): Promise<void> {
    this.#schedule.resume()
    await this.#run()
  }

  /** Says that the session has ended: nothing is sent before {@link signedIn}. */
  signedOut(): void {
    if (this.#halt?.kind === 'signed-out') return
    this.#halt = { kind: 'signed-out', isOtherPerson: false }
    this.#publish()
  }

  /** Says who is signed in now: nothing is sent in the name of another person. */
  async signedIn(person: string): Promise<void> {
    const isOtherPerson = person !== this.#options.person
    if (!isOtherPerson && this.#halt?.kind !== 'signed-out') return
    this.#halt = isOtherPerson ? { kind: 'signed-out', isOtherPerson } : undefined
    this.#publish()
    await this.#run()
  }

  /** Asks again after a refusal, or for a document that was gone. */
  async retry(): Promise<void> {
    if (this.#halt?.kind === 'gone') this.#mustRead = this.#document.id !== null
    if (this.#halt?.kind === 'gone' || this.#halt?.kind === 'refused') this.#halt = undefined
    this.#refused.clear()
    await this.flush()
  }

  /** Makes a new document of one that is gone, with all that is seen of it. */
  async saveAsNew(): Promise<void> {
    if (this.#halt?.kind !== 'gone') return
    const { leaves, newName } = this.#options
    const seen = [...leaves.values()].map((leaf) => [leaf.path, seenAt(this.#state, leaf)] as const)
    const edits = new Map(seen.filter(([, value]) => value !== null))
    this.#document = { ...this.#document, id: null, newId: newName() }
    this.#halt = undefined
    this.#mustRead = false
    this.#isLoaded = true
    this.#change({ ...cleanState({ tag: null, values: {} }), edits, aside: this.#state.aside })
    await this.flush()
  }

  /** Creates an entry of which it is not known whether it was created before. */
  async createAgain(): Promise<void> {
    if (this.#halt?.kind !== 'uncertain') return
    this.#halt = undefined
    this.#creation.end()
    await this.flush()
  }

  /** Drops all that is not stored, on purpose. */
  async discard(): Promise<void> {
    this.#creation.end()
    this.#refused.clear()
    this.#unfinished = new Map()
    this.#change(cleanState(this.#state.stored))
    await this.#keeper.keep(undefined)
  }

  /** Forgets what was shown: notes of merges, or what was kept aside. */
  dismiss(what: 'notes' | 'aside'): void {
    this.#change({ ...this.#state, [what]: [] })
  }

  /** @returns when no request and no write in this browser is under way */
  async idle(): Promise<void> {
    while (this.#work) await this.#work
    await this.#keeper.idle()
  }

  /** Ends the editor. What is not stored stays in this browser, and is taken up by the next editor of the document. */
  close(): void {
    this.#ending.abort()
    this.#cancelTimer?.()
    this.#listeners.clear()
    this.#release()
  }

  #seen(path: string): SeenLeaf | undefined {
    const leaf = this.#options.leaves.get(path)
    return leaf && { leaf, value: seenAt(this.#state, leaf) }
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
    if (this.#halt?.kind === 'refused') this.#halt = undefined
    this.#change(editLeaf(this.#state, leaf, value))
  }

  /** Takes a state that a person made: it is kept in this browser at once, and saved soon. */
  #change(state: EditState): void {
    this.#schedule.edited(this.#hasWork())
    this.#state = state
    void this.#keep()
    this.#publish()
    this.#arm()
  }

  #keep(): Promise<void> {
    const { leaves, person, clock } = this.#options
    const { attempt } = this.#creation
    const head = {
      person,
      document: this.#document,
      editor: this.#name,
      savedAt: clock.now(),
      ...(attempt ? { attempt } : {}),
      ...(this.#unfinished.size > 0 ? { unfinished: [...this.#unfinished] } : {}),
    }
    return this.#keeper.keep(toLocalCopy(this.#state, leaves, head))
  }

  /** Takes up what other editors left behind, once there is a document to put it beside. */
  async #takeUp(): Promise<void> {
    const { leaves, copies } = this.#options
    for (const { copy } of this.#left) {
      this.#state = adoptCopy(this.#state, leaves, copy)
      if (this.#document.id === null) this.#creation.adopt(copy.attempt)
      this.#unfinished = new Map([...this.#unfinished, ...(copy.unfinished ?? [])])
    }
    const left = this.#left
    this.#left = []
    this.#isLoaded = true
    if (left.length === 0) return
    this.#schedule.goOn(this.#hasWork())
    await this.#keep()
    if (this.#keeper.state !== 'failed') for (const { key } of left) await copies.delete(key).catch(() => undefined)
  }

  /** Does what there is to do, one request at a time. @returns when nothing can be done now */
  #run(): Promise<void> {
    this.#work ??= this.#runAll()
    return this.#work
  }

  async #runAll(): Promise<void> {
    // What runs is known before it begins.
    await Promise.resolve()
    for (let step = this.#nextStep(); step; step = this.#nextStep()) await step()
    // At once: what comes after the last look has to begin another run.
    this.#work = undefined
    // What was asked for before a session ended goes on in the next one.
    const isOver = this.#halt !== undefined && this.#halt.kind !== 'signed-out'
    if (isOver || !this.#hasWork()) this.#schedule.answerAsked()
    this.#publish()
    this.#arm()
  }

  #nextStep(): (() => Promise<void>) | undefined {
    if (this.#ending.signal.aborted || this.#halt || this.#schedule.isWaiting()) return undefined
    if (this.#mustRead) return () => this.#read()
    if (!this.#schedule.isDue() || !this.#hasWork()) return undefined
    return this.#document.id === null ? () => this.#create() : () => this.#save(this.#document.id ?? '')
  }

  /** Sets the timer for what comes next. */
  #arm(): void {
    this.#cancelTimer?.()
    this.#cancelTimer = undefined
    if (this.#ending.signal.aborted || this.#halt || this.#work) return
    const ms = this.#schedule.nextIn({ mustRead: this.#mustRead, hasWork: this.#hasWork() })
    if (ms !== undefined) this.#cancelTimer = this.#options.clock.after(ms, () => void this.#run())
  }

  /** Whether there is something to send. */
  #hasWork(): boolean {
    return this.#creation.attempt !== undefined || this.#sendable().size > 0
  }

  /** The edits that can be sent: in no conflict, and not refused as they are. */
  #sendable(): ReadonlyMap<string, unknown> {
    return this.#refused.accepted(this.#state.edits)
  }

  async #read(): Promise<void> {
    const { remote, leaves } = this.#options
    this.#begin('loading')
    try {
      const stored = await remote.read(this.#document.id ?? '', this.#ending.signal)
      if (this.#ending.signal.aborted) return
      if (stored) {
        this.#mustRead = false
        if (!this.#isLoaded) this.#state = cleanState(stored)
        else this.#receive(takeNewer(this.#state, leaves, stored))
        this.#succeed()
      } else this.#fail({ kind: 'gone' })
    } catch (error) {
      this.#fail(failureOf(error))
    }
    if (this.#ending.signal.aborted) return
    if (!this.#isLoaded) await this.#load()
    else await this.#keep()
  }

  /** The document can be edited once it is read; where it cannot be read, as the newest local copy knows it. */
  async #load(): Promise<void> {
    const newest = this.#left.at(-1)?.copy
    if (this.#mustRead && newest) this.#state = cleanState({ tag: newest.tag, values: newest.values })
    if (!this.#mustRead || newest) await this.#takeUp()
  }

  async #save(id: string): Promise<void> {
    const { remote, leaves } = this.#options
    const { tag } = this.#state.stored
    if (tag === null) throw new TypeError('A stored document has a tag.')
    const plan = planSave(this.#sendable(), leaves)
    this.#state = markSent(this.#state, plan.values)
    await this.#beginSave()
    if (this.#ending.signal.aborted) return
    try {
      const change = { body: plan.body, isMerge: plan.isMerge, tag }
      const stored = await remote.save(id, change, this.#ending.signal)
      if (this.#ending.signal.aborted) return
      this.#newerInARow = 0
      this.#receive(takeAnswer(this.#state, leaves, plan.values, stored))
      this.#succeed(plan.values)
    } catch (error) {
      this.#fail(failureOf(error), plan)
    }
    if (!this.#ending.signal.aborted) await this.#keep()
  }

  async #create(): Promise<void> {
    const { remote, leaves, clock, newName } = this.#options
    const attempt = this.#creation.begin(clock.now(), () => this.#newAttempt(clock.now(), newName()))
    if (!attempt) {
      this.#fail({ kind: 'used-key' })
      return
    }
    await this.#beginSave()
    if (this.#ending.signal.aborted) return
    const values = new Map(attempt.values)
    try {
      const { id, ...stored } = await remote.create(attempt.body, attempt.idempotencyKey, this.#ending.signal)
      if (this.#ending.signal.aborted) return
      this.#creation.end()
      const { newId: _, ...document } = this.#document
      this.#document = { ...document, id }
      this.#receive(takeAnswer(this.#state, leaves, values, stored))
      this.#succeed(values)
    } catch (error) {
      this.#fail(this.#creation.fail(failureOf(error)))
    }
    if (!this.#ending.signal.aborted) await this.#keep()
  }

  #newAttempt(at: number, idempotencyKey: string): CreateAttempt {
    const values = this.#sendable()
    const body = toBody(values, this.#options.leaves)
    return { idempotencyKey, body: { ...this.#options.initial, ...body }, values: [...values], at }
  }

  #begin(activity: 'loading' | 'saving'): void {
    this.#activity = activity
    this.#publish()
  }

  /** What is about to be sent is in this browser before the network is asked. */
  async #beginSave(): Promise<void> {
    this.#schedule.begin()
    this.#begin('saving')
    await this.#keep()
  }

  /** Takes a state that the service made. */
  #receive(state: EditState): void {
    for (const leaf of this.#options.leaves.values())
      this.itemKeys.carryAll(seenAt(this.#state, leaf), seenAt(state, leaf))
    this.#state = state
  }

  #succeed(saved: ReadonlyMap<string, unknown> = new Map()): void {
    this.#activity = undefined
    this.#schedule.succeeded()
    this.#refused.forget(saved)
    this.#schedule.goOn(this.#hasWork())
  }

  #fail(failure: Failure, plan?: SavePlan): void {
    this.#activity = undefined
    if (this.#ending.signal.aborted) return
    this.#schedule.goOn(this.#hasWork())
    if (failure.kind === 'wait') this.#schedule.pause(failure.reason, failure.retryAfterMs)
    if (failure.kind === 'newer') this.#readNewer()
    if (failure.kind === 'signed-out') this.#halt = { kind: 'signed-out', isOtherPerson: false }
    if (failure.kind === 'gone') this.#halt = { kind: 'gone' }
    if (failure.kind === 'used-key') this.#halt = { kind: 'uncertain' }
    if (failure.kind === 'too-large') this.#refuseLargest(failure.message, plan)
    if (failure.kind === 'refused') this.#refuse(failure, plan)
  }

  #readNewer(): void {
    this.#mustRead = true
    this.#newerInARow += 1
    if (this.#newerInARow > MOST_NEWER_IN_A_ROW) this.#schedule.pause('busy', 0)
  }

  #refuseLargest(message: string, plan: SavePlan | undefined): void {
    const path = plan && largestOf(plan.values)
    const issues = path === undefined ? [] : [toIssue(path, 'too_large', message)]
    this.#refuse({ code: 'PAYLOAD_TOO_LARGE', message, issues }, plan)
  }

  /** Sets refused values aside, so that the others are saved; where they cannot be told, nothing is saved before the next edit. */
  #refuse(refusal: Refusal, plan: SavePlan | undefined): void {
    if (plan && this.#refused.add(plan.values, refusal)) return
    const { code, message, issues } = refusal
    this.#halt = { kind: 'refused', code, message }
    this.#haltIssues = issues
  }

  #publish(): void {
    if (this.#ending.signal.aborted) return
    this.#shown = this.#show()
    for (const listener of this.#listeners) listener()
  }

  #show(): EditorState {
    const { conflicts, edits, notes, aside, stored } = this.#state
    const refused = this.#refused.among(edits)
    return {
      document: this.#document,
      status: this.#status(refused),
      isLoaded: this.#isLoaded,
      values: seenValues(this.#state, this.#options.leaves),
      tag: stored.tag,
      dirty: new Set([...edits.keys(), ...conflicts.keys()]),
      conflicts,
      issues: [...refused.flatMap(({ issues }) => issues), ...(this.#halt?.kind === 'refused' ? this.#haltIssues : [])],
      notes,
      aside,
      localCopy: this.#keeper.state,
      canUndo: this.#steps.canUndo,
      canRedo: this.#steps.canRedo,
    }
  }

  #status([refused]: readonly Refusal[]): SavingStatus {
    if (this.#halt) return this.#halt
    const { wait } = this.#schedule
    if (wait) return { kind: 'waiting', ...wait }
    if (!this.#isLoaded) return { kind: 'loading' }
    if (this.#activity === 'saving') return { kind: 'saving' }
    if (this.#hasWork()) return { kind: 'unsaved' }
    if (this.#state.conflicts.size > 0) return { kind: 'conflict' }
    if (refused) return { kind: 'refused', code: refused.code, message: refused.message }
    return { kind: 'saved' }
  }
}

const toIssue = (path: string, code: string, message: string): Issue => ({
  path: `/${path.replaceAll('.', '/')}`,
  code,
  message,
})
