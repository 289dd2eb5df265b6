import { adoptCopy } from './adopt-copy.ts'
import { CopyKeeper } from './copy-keeper.ts'
import { type Leaf, type Leaves, leafAt, readLeaf, type Values } from './document-fields.ts'
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
import { type Failure, failureOf, type Issue, pauseAfter, type WaitReason, type WaitTimes } from './failure.ts'
import { type FieldPath, findLeaf, setInside } from './field-path.ts'
import { ItemKeys } from './item-keys.ts'
import {
  type CreateAttempt,
  type DocumentName,
  documentKey,
  type LeftCopy,
  type LocalCopies,
  type LocalCopy,
  leftCopies,
  type OpenEditors,
} from './local-copies.ts'
import type { Remote } from './remote.ts'
import { largestOf, planSave, type SavePlan, toBody } from './save-plan.ts'
import { type AppliedStep, type SeenLeaf, UndoSteps } from './undo-steps.ts'

/** Time, as the engine knows it. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number
  /** Calls once, after so many milliseconds. @returns takes it back */
  after(ms: number, call: () => void): () => void
}

/** When the engine does what. */
export interface SavingTimes extends WaitTimes {
  /** How long after the last edit it is saved. @default 800 */
  readonly debounceMs: number
  /** How long after the first edit it is saved, also while somebody types on. @default 5,000 */
  readonly longestUnsavedMs: number
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
/** The service remembers the answer to a creation for a day. */
const ATTEMPT_MS = 23 * 60 * 60 * 1000
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

/** A value that the service does not take; another one may be sent. */
interface RefusedValue {
  readonly value: unknown
  readonly code: string
  readonly message: string
  readonly issues: readonly Issue[]
}

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
  readonly #times: SavingTimes
  readonly #name: string
  readonly #keeper: CopyKeeper
  readonly #steps: UndoSteps
  readonly #listeners = new Set<() => void>()
  readonly #ending = new AbortController()
  readonly #release: () => void
  /** Keys of the items of lists and blocks, for forms. */
  readonly itemKeys: ItemKeys = new ItemKeys()
  #document: DocumentName
  #state: EditState
  #isLoaded = false
  #activity: 'loading' | 'saving' | undefined
  #halt: Halt | undefined
  #haltIssues: readonly Issue[] = []
  #wait: { readonly reason: WaitReason; readonly until: number } | undefined
  #refused: ReadonlyMap<string, RefusedValue> = new Map()
  #attempt: CreateAttempt | undefined
  /** Whether the attempt to create may have succeeded without an answer. */
  #isAttemptOpen = false
  #mustRead: boolean
  #left: readonly LeftCopy[] = []
  #failures = 0
  #newerInARow = 0
  #due: { readonly at: number; readonly atLatest: number } | undefined
  /** Whether everything is to be saved now. */
  #isAsked = false
  #work: Promise<void> | undefined
  #cancelTimer: (() => void) | undefined
  #shown: EditorState

  constructor(options: EditorOptions) {
    this.#options = options
    this.#times = { ...DEFAULT_TIMES, ...options.times }
    this.#document = options.document
    this.#mustRead = options.document.id !== null
    this.#name = options.newName()
    this.#release = options.open.hold(this.#name)
    this.#keeper = new CopyKeeper(options.copies, () => this.#publish())
    this.#steps = new UndoSteps({ coalesceMs: this.#times.coalesceMs, most: MOST_UNDO_STEPS })
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
    this.#isAsked = true
    if (this.#wait?.reason === 'offline') this.#wait = undefined
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
    this.#wait = undefined
    await this.#run()
  }

  /** Says that somebody has signed in. */
  async signedIn(person: string): Promise<void> {
    if (this.#halt?.kind !== 'signed-out') return
    const isOtherPerson = person !== this.#options.person
    this.#halt = isOtherPerson ? { kind: 'signed-out', isOtherPerson } : undefined
    this.#publish()
    await this.#run()
  }

  /** Asks again after a refusal, or for a document that was gone. */
  async retry(): Promise<void> {
    if (this.#halt?.kind === 'gone') this.#mustRead = this.#document.id !== null
    if (this.#halt?.kind === 'gone' || this.#halt?.kind === 'refused') this.#halt = undefined
    this.#refused = new Map()
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
    this.#attempt = undefined
    await this.flush()
  }

  /** Drops all that is not stored, on purpose. */
  async discard(): Promise<void> {
    this.#attempt = undefined
    this.#refused = new Map()
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
    const { clock } = this.#options
    const since = this.#hasWork() ? this.#due : undefined
    this.#state = state
    const at = clock.now() + this.#times.debounceMs
    const atLatest = since?.atLatest ?? clock.now() + this.#times.longestUnsavedMs
    this.#due = { at: Math.min(at, atLatest), atLatest }
    void this.#keep()
    this.#publish()
    this.#arm()
  }

  #keep(): Promise<void> {
    return this.#keeper.keep(this.#toCopy())
  }

  #toCopy(): LocalCopy | undefined {
    const { edits, conflicts, sent, aside, stored } = this.#state
    if (edits.size + conflicts.size + aside.length === 0 && !this.#attempt) return undefined
    const { leaves, person, clock } = this.#options
    const baseOf = (path: string): unknown => {
      const leaf = leaves.get(path)
      return leaf ? readLeaf(stored.values, leaf) : null
    }
    return {
      version: 1,
      person,
      document: this.#document,
      editor: this.#name,
      tag: stored.tag,
      values: stored.values,
      edits: [
        ...[...edits].map(([path, mine]) => ({ path, base: baseOf(path), mine })),
        ...[...conflicts.values()].map(({ path, base, mine }) => ({ path, base, mine })),
      ],
      sent: [...sent],
      aside,
      ...(this.#attempt ? { attempt: this.#attempt } : {}),
      savedAt: clock.now(),
    }
  }

  /** Takes up what other editors left behind, once there is a document to put it beside. */
  async #takeUp(): Promise<void> {
    const { leaves, copies } = this.#options
    for (const { copy } of this.#left) {
      this.#state = adoptCopy(this.#state, leaves, copy)
      if (this.#document.id === null) this.#adoptAttempt(copy.attempt)
    }
    const left = this.#left
    this.#left = []
    this.#isLoaded = true
    if (left.length === 0) return
    this.#due = { at: this.#options.clock.now(), atLatest: this.#options.clock.now() }
    await this.#keep()
    if (this.#keeper.state !== 'failed') for (const { key } of left) await copies.delete(key).catch(() => undefined)
  }

  #adoptAttempt(attempt: CreateAttempt | undefined): void {
    if (!attempt) return
    this.#attempt ??= attempt
    this.#isAttemptOpen = true
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
    if (this.#halt || !this.#hasWork()) this.#isAsked = false
    this.#publish()
    this.#arm()
  }

  #nextStep(): (() => Promise<void>) | undefined {
    const now = this.#options.clock.now()
    if (this.#ending.signal.aborted || this.#halt || (this.#wait && this.#wait.until > now)) return undefined
    this.#wait = undefined
    if (this.#mustRead) return () => this.#read()
    const isDue = this.#isAsked || (this.#options.isAutosaved && this.#due !== undefined && this.#due.at <= now)
    if (!isDue || !this.#hasWork()) return undefined
    return this.#document.id === null ? () => this.#create() : () => this.#save(this.#document.id ?? '')
  }

  /** Sets the timer for what comes next. */
  #arm(): void {
    this.#cancelTimer?.()
    this.#cancelTimer = undefined
    const { clock, isAutosaved } = this.#options
    if (this.#ending.signal.aborted || this.#halt || this.#work) return
    const willSave = (isAutosaved || this.#isAsked) && this.#hasWork()
    const at = this.#wait?.until ?? (this.#mustRead ? clock.now() : this.#due?.at)
    if (at === undefined || !(this.#mustRead || willSave)) return
    this.#cancelTimer = clock.after(Math.max(0, at - clock.now()), () => void this.#run())
  }

  /** Whether there is something to send. */
  #hasWork(): boolean {
    return this.#attempt !== undefined || this.#sendable().size > 0
  }

  /** The edits that can be sent: in no conflict, and not refused as they are. */
  #sendable(): ReadonlyMap<string, unknown> {
    const isRefused = (path: string, value: unknown): boolean => {
      const refused = this.#refused.get(path)
      return refused !== undefined && Object.is(refused.value, value)
    }
    return new Map([...this.#state.edits].filter(([path, value]) => !isRefused(path, value)))
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
    const attempt = this.#attempt ?? this.#newAttempt(clock.now(), newName())
    if (clock.now() - attempt.at > ATTEMPT_MS) return this.#fail({ kind: 'used-key' })
    this.#attempt = attempt
    await this.#beginSave()
    if (this.#ending.signal.aborted) return
    const values = new Map(attempt.values)
    try {
      const { id, ...stored } = await remote.create(attempt.body, attempt.idempotencyKey, this.#ending.signal)
      if (this.#ending.signal.aborted) return
      this.#attempt = undefined
      this.#isAttemptOpen = false
      const { newId: _, ...document } = this.#document
      this.#document = { ...document, id }
      this.#receive(takeAnswer(this.#state, leaves, values, stored))
      this.#succeed(values)
    } catch (error) {
      this.#failToCreate(failureOf(error))
    }
    if (!this.#ending.signal.aborted) await this.#keep()
  }

  #newAttempt(at: number, idempotencyKey: string): CreateAttempt {
    const values = this.#sendable()
    const body = toBody(values, this.#options.leaves)
    return { idempotencyKey, body: { ...this.#options.initial, ...body }, values: [...values], at }
  }

  #failToCreate(failure: Failure): void {
    if (failure.kind === 'wait') this.#isAttemptOpen = true
    // An answer that may not be given again is no refusal of the first request.
    const isUncertain = this.#isAttemptOpen && failure.kind === 'refused' && failure.code === 'FORBIDDEN'
    if (isUncertain) {
      this.#fail({ kind: 'used-key' })
      return
    }
    if (failure.kind === 'refused' || failure.kind === 'too-large') {
      this.#attempt = undefined
      this.#isAttemptOpen = false
    }
    this.#fail(failure)
  }

  #begin(activity: 'loading' | 'saving'): void {
    this.#activity = activity
    this.#publish()
  }

  /** What is about to be sent is in this browser before the network is asked. */
  async #beginSave(): Promise<void> {
    this.#due = undefined
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
    this.#failures = 0
    this.#refused = new Map([...this.#refused].filter(([path]) => !saved.has(path)))
    this.#goOn()
  }

  /** What is left is saved next: what was edited meanwhile in its own time, everything else at once. */
  #goOn(): void {
    const now = this.#options.clock.now()
    this.#due = this.#hasWork() ? (this.#due ?? { at: now, atLatest: now }) : undefined
  }

  #fail(failure: Failure, plan?: SavePlan): void {
    this.#activity = undefined
    if (this.#ending.signal.aborted) return
    this.#goOn()
    if (failure.kind === 'wait') this.#pause(failure.reason, failure.retryAfterMs)
    if (failure.kind === 'newer') this.#readNewer()
    if (failure.kind === 'signed-out') this.#halt = { kind: 'signed-out', isOtherPerson: false }
    if (failure.kind === 'gone') this.#halt = { kind: 'gone' }
    if (failure.kind === 'used-key') this.#halt = { kind: 'uncertain' }
    if (failure.kind === 'too-large') this.#refuseLargest(failure.message, plan)
    if (failure.kind === 'refused') this.#refuse(failure, plan)
  }

  #pause(reason: WaitReason, retryAfterMs: number): void {
    const { clock, random = Math.random } = this.#options
    this.#failures += 1
    this.#wait = { reason, until: clock.now() + pauseAfter(this.#failures, retryAfterMs, random(), this.#times) }
  }

  #readNewer(): void {
    this.#mustRead = true
    this.#newerInARow += 1
    if (this.#newerInARow > MOST_NEWER_IN_A_ROW) this.#pause('busy', 0)
  }

  #refuseLargest(message: string, plan: SavePlan | undefined): void {
    const path = plan && largestOf(plan.values)
    const issues = path === undefined ? [] : [toIssue(path, 'too_large', message)]
    this.#refuse({ code: 'PAYLOAD_TOO_LARGE', message, issues }, plan)
  }

  /** Sets refused values aside, so that the others are saved; where they cannot be told, nothing is saved before the next edit. */
  #refuse({ code, message, issues }: Omit<RefusedValue, 'value'>, plan: SavePlan | undefined): void {
    const { leaves } = this.#options
    const told = [...(plan?.values ?? [])].flatMap(([path, value]) => {
      const own = issues.filter((issue) => leafAt(leaves, issue.path)?.path === path)
      return own.length > 0 ? [[path, { value, code, message, issues: own }] as const] : []
    })
    this.#refused = new Map([...this.#refused, ...told])
    if (told.length > 0) return
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
    const refused = this.#refusedNow()
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

  #refusedNow(): readonly RefusedValue[] {
    const { edits } = this.#state
    return [...this.#refused].flatMap(([path, one]) => (Object.is(edits.get(path), one.value) ? [one] : []))
  }

  #status([refused]: readonly RefusedValue[]): SavingStatus {
    if (this.#halt) return this.#halt
    if (this.#wait) return { kind: 'waiting', ...this.#wait }
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
