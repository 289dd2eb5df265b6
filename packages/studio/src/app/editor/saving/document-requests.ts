import type { Issue } from 'daybook'
import type { CreateAttempt } from './copies/local-copies.ts'
import { cleanState, markSent, takeAnswer, takeNewer } from './edit-state.ts'
import type { EditedDocument } from './edited-document.ts'
import { DEFAULT_TIMES, type EditorOptions } from './editor-options.ts'
import type { SavingStatus } from './editor-state.ts'
import { type Failure, failureOf } from './failure.ts'
import { type Refusal, RefusedValues } from './refused-values.ts'
import { largestOf, planSave, type SavePlan, toBody } from './save-plan.ts'
import { SaveSchedule } from './save-schedule.ts'

/** After so many newer versions in a row, the engine waits before it tries again. */
const MOST_NEWER_IN_A_ROW = 5

/** What keeps the engine from saving until somebody does something. */
type Halt = Extract<SavingStatus, { readonly kind: 'refused' | 'signed-out' | 'gone' | 'uncertain' }>

/** Reads, creates and saves a document: one request at a time, again where that helps, and not before a person has decided where it does not. */
export class DocumentRequests {
  readonly #options: EditorOptions
  readonly #document: EditedDocument
  readonly #onChange: () => void
  readonly #schedule: SaveSchedule
  readonly #refused: RefusedValues
  readonly #ending = new AbortController()
  #activity: 'loading' | 'saving' | undefined
  #halt: Halt | undefined
  #haltIssues: readonly Issue[] = []
  #mustRead: boolean
  #newerInARow = 0
  #work: Promise<void> | undefined
  #cancelTimer: (() => void) | undefined

  /** @param onChange told when the state of saving is another one */
  constructor(options: EditorOptions, document: EditedDocument, onChange: () => void) {
    const { clock, random = Math.random, isAutosaved, isCreatedWhenAsked = false, leaves, times } = options
    const isAutomatic = (): boolean => isAutosaved && (document.name.id !== null || !isCreatedWhenAsked)
    this.#options = options
    this.#document = document
    this.#onChange = onChange
    this.#schedule = new SaveSchedule(clock, { ...DEFAULT_TIMES, ...times }, random, isAutomatic)
    this.#refused = new RefusedValues(leaves)
    this.#mustRead = document.name.id !== null
  }

  /** Reads the document, and takes up what was left behind of it in this browser. */
  async start(): Promise<void> {
    await this.#document.findLeft()
    if (this.#ending.signal.aborted) return
    if (this.#document.name.id === null) await this.#takeUp()
    await this.#run()
  }

  /** Says that a person is about to change the document. */
  noteEdit(): void {
    this.#schedule.edited(this.#hasWork())
  }

  /** Says that what was refused as a whole is another document now. */
  noteChange(): void {
    if (this.#halt?.kind === 'refused') this.#halt = undefined
  }

  /** Saves now, also without autosave. */
  async flush(): Promise<void> {
    this.#schedule.ask()
    await this.#run()
  }

  /** Says that others may have changed the document. */
  async refresh(): Promise<void> {
    if (this.#document.name.id === null) return
    this.#mustRead = true
    await this.#run()
  }

  /** Says that the network is back. */
  async online(): Promise<void> {
    this.#schedule.resume()
    await this.#run()
  }

  /** Says that the session has ended. */
  signedOut(): void {
    if (this.#halt?.kind === 'signed-out') return
    this.#halt = { kind: 'signed-out', isOtherPerson: false }
    this.#onChange()
  }

  /** Says who is signed in now. */
  async signedIn(person: string): Promise<void> {
    const isOtherPerson = person !== this.#options.person
    if (!isOtherPerson && this.#halt?.kind !== 'signed-out') return
    this.#halt = isOtherPerson ? { kind: 'signed-out', isOtherPerson } : undefined
    this.#onChange()
    await this.#run()
  }

  /** Asks again after a refusal, or for a document that was gone. */
  async retry(): Promise<void> {
    if (this.#halt?.kind === 'gone') this.#mustRead = this.#document.name.id !== null
    if (this.#halt?.kind === 'gone' || this.#halt?.kind === 'refused') this.#halt = undefined
    this.#refused.clear()
    await this.flush()
  }

  /** Goes on with a document that is gone as with a new one. @returns whether it was gone */
  beginAnew(): boolean {
    if (this.#halt?.kind !== 'gone') return false
    this.#halt = undefined
    this.#mustRead = false
    return true
  }

  /** Creates an entry of which it is not known whether it was created before. */
  async createAgain(): Promise<void> {
    if (this.#halt?.kind !== 'uncertain') return
    this.#halt = undefined
    this.#document.creation.end()
    await this.flush()
  }

  /** Forgets which values were refused. */
  forgetRefused(): void {
    this.#refused.clear()
  }

  /** @returns when no request is under way */
  async idle(): Promise<void> {
    while (this.#work) await this.#work
  }

  /** Gives up what is under way, and begins nothing more. */
  close(): void {
    this.#ending.abort()
    this.#cancelTimer?.()
  }

  /** How far saving has come. */
  get status(): SavingStatus {
    if (this.#halt) return this.#halt
    const { wait } = this.#schedule
    if (wait) return { kind: 'waiting', ...wait }
    if (!this.#document.isLoaded) return { kind: 'loading' }
    if (this.#activity === 'saving') return { kind: 'saving' }
    if (this.#hasWork()) return { kind: 'unsaved' }
    if (this.#document.state.conflicts.size > 0) return { kind: 'conflict' }
    const [refused] = this.#refusals()
    if (refused) return { kind: 'refused', code: refused.code, message: refused.message }
    return { kind: 'saved' }
  }

  /** What the service says against values. */
  get issues(): readonly Issue[] {
    const ofHalt = this.#halt?.kind === 'refused' ? this.#haltIssues : []
    return [...this.#refusals().flatMap(({ issues }) => issues), ...ofHalt]
  }

  #refusals(): readonly Refusal[] {
    return this.#refused.among(this.#document.state.edits)
  }

  /** Sets the timer for what comes next. */
  arm(): void {
    this.#cancelTimer?.()
    this.#cancelTimer = undefined
    if (this.#ending.signal.aborted || this.#halt || this.#work) return
    const ms = this.#schedule.nextIn({ mustRead: this.#mustRead, hasWork: this.#hasWork() })
    if (ms !== undefined) this.#cancelTimer = this.#options.clock.after(ms, () => void this.#run())
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
    this.#onChange()
    this.arm()
  }

  #nextStep(): (() => Promise<void>) | undefined {
    if (this.#ending.signal.aborted || this.#halt || this.#schedule.isWaiting()) return undefined
    if (this.#mustRead) return () => this.#read()
    if (!this.#schedule.isDue() || !this.#hasWork()) return undefined
    return this.#document.name.id === null ? () => this.#create() : () => this.#save(this.#document.name.id ?? '')
  }

  /** Whether there is something to send. */
  #hasWork(): boolean {
    return this.#document.creation.attempt !== undefined || this.#sendable().size > 0
  }

  /** The edits that can be sent: in no conflict, and not refused as they are. */
  #sendable(): ReadonlyMap<string, unknown> {
    return this.#refused.accepted(this.#document.state.edits)
  }

  async #read(): Promise<void> {
    const { remote, leaves } = this.#options
    this.#begin('loading')
    try {
      const stored = await remote.read(this.#document.name.id ?? '', this.#ending.signal)
      if (this.#ending.signal.aborted) return
      if (stored) {
        this.#mustRead = false
        if (!this.#document.isLoaded) this.#document.state = cleanState(stored)
        else this.#document.receive(takeNewer(this.#document.state, leaves, stored))
        this.#succeed()
      } else this.#fail({ kind: 'gone' })
    } catch (error) {
      this.#fail(failureOf(error))
    }
    if (this.#ending.signal.aborted) return
    if (!this.#document.isLoaded) await this.#load()
    else await this.#document.keep()
  }

  /** The document can be edited once it is read; where it cannot be read, as the newest local copy knows it. */
  async #load(): Promise<void> {
    const { lastSeen } = this.#document
    if (this.#mustRead && lastSeen) this.#document.state = lastSeen
    if (!this.#mustRead || lastSeen) await this.#takeUp()
  }

  /** Takes up what other editors left behind. */
  async #takeUp(): Promise<void> {
    const left = this.#document.adoptLeft()
    if (left.length === 0) return
    this.#schedule.goOn(this.#hasWork())
    await this.#document.keep()
    await this.#document.dropLeft(left)
  }

  async #save(id: string): Promise<void> {
    const { remote, leaves } = this.#options
    const { tag } = this.#document.state.stored
    if (tag === null) throw new TypeError('A stored document has a tag.')
    const plan = planSave(this.#sendable(), leaves)
    this.#document.state = markSent(this.#document.state, plan.values)
    await this.#beginSave()
    if (this.#ending.signal.aborted) return
    try {
      const change = { body: plan.body, isMerge: plan.isMerge, tag }
      const stored = await remote.save(id, change, this.#ending.signal)
      if (this.#ending.signal.aborted) return
      this.#newerInARow = 0
      this.#document.receive(takeAnswer(this.#document.state, leaves, plan.values, stored))
      this.#succeed(plan.values)
    } catch (error) {
      this.#fail(failureOf(error), plan)
    }
    if (!this.#ending.signal.aborted) await this.#document.keep()
  }

  async #create(): Promise<void> {
    const { remote, leaves, clock, newName } = this.#options
    const attempt = this.#document.creation.begin(clock.now(), () => this.#newAttempt(clock.now(), newName()))
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
      this.#document.creation.end()
      const { newId: _, ...name } = this.#document.name
      this.#document.name = { ...name, id }
      this.#document.receive(takeAnswer(this.#document.state, leaves, values, stored))
      this.#succeed(values)
    } catch (error) {
      this.#fail(this.#document.creation.fail(failureOf(error)))
    }
    if (!this.#ending.signal.aborted) await this.#document.keep()
  }

  #newAttempt(at: number, idempotencyKey: string): CreateAttempt {
    const values = this.#sendable()
    const body = toBody(values, this.#options.leaves)
    return { idempotencyKey, body: { ...this.#options.initial, ...body }, values: [...values], at }
  }

  #begin(activity: 'loading' | 'saving'): void {
    this.#activity = activity
    this.#onChange()
  }

  /** What is about to be sent is in this browser before the network is asked. */
  async #beginSave(): Promise<void> {
    this.#schedule.begin()
    this.#begin('saving')
    await this.#document.keep()
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
}

const toIssue = (path: string, code: string, message: string): Issue => ({
  path: `/${path.replaceAll('.', '/')}`,
  code,
  message,
})
