import { setTimeout as sleep } from 'node:timers/promises'
import { SYSTEM } from '../auth/adapter.ts'
import { Access } from '../content/access/access.ts'
import { UnrestrictedAccess } from '../content/access/unrestricted-access.ts'
import { type ContentContext, toAuthor } from '../content/context.ts'
import { preparePublish, prepareUnpublish } from '../content/drafts/index.ts'
import { createWriteContext, execute, type Transact, type WriteContext } from '../content/writes/index.ts'
import { DaybookError } from '../errors.ts'
import type { Log } from '../log.ts'
import { Lease, LeaseLost } from '../store/records/lease.ts'
import type { Schedule } from '../store/records/schedules.ts'
import type { Writer } from '../store/writes/writer.ts'

/** The interval of looking for schedules, in milliseconds, since other nodes set them and clocks change. */
const POLL_MS = 5000
const LEASE_MS = 30_000
/** The expected duration of the transaction that sets a schedule, in milliseconds. If it takes longer, the next look finds it. */
const COMMIT_MS = 100
/** The pause after a failure of the database, and while another node has the lease, in milliseconds. */
const PAUSE_MS = 1000
/** The pause after the first failure of a schedule; each further one is twice as long, in milliseconds. */
const RETRY_MS = 30_000
const MAX_RETRY_MS = 60 * 60 * 1000

/** The schedule has changed, or is not due. */
class NotDue extends Error {
  override readonly name = 'NotDue'
}

/**
 * Publishes and unpublishes entries at their scheduled times, on the node that holds the lease. The transaction of the publication also
 * removes the schedule, so that it runs once, even if two nodes believe to hold the lease.
 */
export class Scheduler {
  readonly #context: ContentContext
  readonly #log: Log
  readonly #lease: Lease
  readonly #stopping = new AbortController()
  readonly #running: Promise<void>
  #wake = Promise.withResolvers<void>()

  constructor(context: ContentContext, log: Log) {
    this.#context = context
    this.#log = log
    this.#lease = new Lease(context.store, 'schedules', LEASE_MS)
    this.#running = this.#run()
  }

  /** Ends it after the running publication. */
  async close(): Promise<void> {
    this.#stopping.abort()
    this.#wake.resolve()
    await this.#running
  }

  get #isStopping(): boolean {
    return this.#stopping.signal.aborted
  }

  async #run(): Promise<void> {
    const { scheduleListeners } = this.#context
    const wake = (): void => this.#wake.resolve()
    scheduleListeners.add(wake)
    try {
      while (!this.#isStopping) {
        // A schedule may be set during the look, so renew the signal first.
        this.#wake = Promise.withResolvers()
        const waitMs = await this.#advance().catch((err) => this.#recover(err))
        await this.#pause(waitMs)
        // Wait until the transaction of a new schedule has committed.
        if (waitMs > 0) await this.#sleep(COMMIT_MS)
      }
      await this.#lease.release()
    } catch (err) {
      this.#log.error({ err }, 'schedules: the end failed')
    } finally {
      scheduleListeners.delete(wake)
    }
  }

  /** Executes a due schedule. Returns the time until the next look, in milliseconds. */
  async #advance(): Promise<number> {
    const first = await this.#context.store.read.schedules.first()
    if (!first) return POLL_MS
    if (first.wait > 0) return Math.min(first.wait, POLL_MS)
    if (!(await this.#lease.take())) return PAUSE_MS
    await this.#execute(first)
    return 0
  }

  async #execute(schedule: Schedule): Promise<void> {
    const { collection: key, id, action } = schedule
    try {
      const collection = this.#context.model.collections.get(key)
      if (!collection?.status)
        throw new DaybookError('NOT_FOUND', `The collection "${key}" does not exist, or has no status.`)
      const context = await this.#createContext(schedule)
      const locales = schedule.locales === null ? undefined : JSON.parse(schedule.locales)
      const prepare = action === 'publish' ? preparePublish : prepareUnpublish
      await execute(context, () => prepare(context, collection, id, { locales }))
      this.#log.info({ collection: key, id, action, at: schedule.at }, 'schedules: carried out')
    } catch (err) {
      if (err instanceof NotDue || err instanceof LeaseLost) throw err
      // A failing schedule must not delay the others.
      await this.#noteFailure(schedule, err)
    }
  }

  /**
   * Creates the context of a schedule, which has the current rights of the caller who set it.
   *
   * @throws FORBIDDEN if the caller may no longer sign in
   */
  async #createContext(schedule: Schedule): Promise<WriteContext> {
    const { actor, caller } = schedule
    const access =
      caller === null ? new UnrestrictedAccess(this.#context.model, SYSTEM) : await this.#resolveAccess(caller)
    const transact: Transact = (work, options) =>
      this.#lease.write(async (writer) => {
        await requireDue(writer, schedule)
        return work(writer)
      }, options)
    const context = await createWriteContext(this.#context, access, { transact })
    return { ...context, actor, author: toAuthor(actor) }
  }

  async #resolveAccess(caller: string): Promise<Access> {
    const currentCaller = await this.#context.refreshCaller(JSON.parse(caller))
    if (currentCaller) return new Access(this.#context.model, currentCaller)
    throw new DaybookError('FORBIDDEN', 'The account that set the time is no longer allowed to sign in.')
  }

  /** Records a failure in the journal and the log, and schedules the next attempt unless the entry is gone. */
  async #noteFailure(schedule: Schedule, error: unknown): Promise<void> {
    const { collection, id, action, actor, failures } = schedule
    const model = this.#context.model.collections.get(collection)
    const isGone = model !== undefined && (await this.#context.store.read.entries.statuses(model, [id])).length === 0
    const retryInMs = Math.min(RETRY_MS * 2 ** Math.min(failures, 20), MAX_RETRY_MS)
    await this.#lease.write(async (writer) => {
      await requireDue(writer, schedule)
      if (isGone) {
        await writer.schedules.drop(collection, id, action)
        return
      }
      await writer.journal.append({ at: new Date().toISOString(), actor, action: 'scheduleFailed', collection, id })
      const due = (await writer.schedules.now()) + retryInMs
      await writer.schedules.put({ ...schedule, due, failures: failures + 1 })
    })
    if (isGone) return
    const details = error instanceof DaybookError ? error.details : {}
    const fields = { err: error, details, collection, id, action, retryInMs }
    this.#log.error(fields, 'schedules: an entry could not be published or unpublished; it is tried again')
  }

  #recover(err: unknown): number {
    if (err instanceof NotDue || err instanceof LeaseLost) return 0
    this.#log.error({ err }, 'schedules: an attempt failed; it is made again')
    return PAUSE_MS
  }

  /** Waits for a time, or until a schedule is set on this node. */
  async #pause(ms: number): Promise<void> {
    if (this.#isStopping || ms <= 0) return
    const awake = new AbortController()
    await Promise.race([this.#sleep(ms, awake.signal), this.#wake.promise])
    awake.abort()
  }

  async #sleep(ms: number, awake?: AbortSignal): Promise<void> {
    const { signal: stopping } = this.#stopping
    const signal = awake ? AbortSignal.any([stopping, awake]) : stopping
    await sleep(ms, undefined, { signal, ref: false }).catch(() => {})
  }
}

/** @throws {NotDue} if another node was first, or the schedule was changed */
async function requireDue({ schedules }: Writer, { collection, id, action, seq, due }: Schedule): Promise<void> {
  const storedSchedule = (await schedules.byEntry(collection, id)).find((schedule) => schedule.action === action)
  if (storedSchedule?.seq !== seq || storedSchedule.due !== due || due > (await schedules.now())) throw new NotDue()
}
