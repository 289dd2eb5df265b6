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

/** How often it is looked for times, in milliseconds: other nodes set them, and clocks can be set. */
const LOOK_MS = 5000
/** How long the node that carries schedules out keeps the right to, in milliseconds. */
const LEASE_MS = 30_000
/** How long the transaction that sets a time may take before it is looked for, in milliseconds; a later look finds it, too. */
const COMMIT_MS = 100
/** The pause after a failure of the database, and while another node carries them out, in milliseconds. */
const PAUSE_MS = 1000
/** The pause after the first failure of a schedule; each further one is twice as long, in milliseconds. */
const RETRY_MS = 30_000
const MAX_RETRY_MS = 60 * 60 * 1000

/** The schedule is another one by now, or is not due yet. */
class NotDue extends Error {
  override readonly name = 'NotDue'
}

/**
 * Publishes and unpublishes entries at the times that were set for them. On many nodes, the one that holds the lease does it; the
 * transaction that does it also forgets the time, so that it is done once, whichever node believes to hold the lease.
 */
export class Scheduler {
  readonly #engine: ContentContext
  readonly #log: Log
  readonly #lease: Lease
  readonly #stopping = new AbortController()
  readonly #running: Promise<void>
  #wake = Promise.withResolvers<void>()

  constructor(engine: ContentContext, log: Log) {
    this.#engine = engine
    this.#log = log
    this.#lease = new Lease(engine.store, 'schedules', LEASE_MS)
    this.#running = this.#run()
  }

  /** Ends it, once what it is doing is done. */
  async close(): Promise<void> {
    this.#stopping.abort()
    this.#wake.resolve()
    await this.#running
  }

  get #isStopping(): boolean {
    return this.#stopping.signal.aborted
  }

  async #run(): Promise<void> {
    const { scheduleListeners: timeListeners } = this.#engine
    const wake = (): void => this.#wake.resolve()
    timeListeners.add(wake)
    try {
      while (!this.#isStopping) {
        // What is told while it is looked at may be of a new time.
        this.#wake = Promise.withResolvers()
        const waitMs = await this.#advance().catch((err) => this.#failed(err))
        await this.#pause(waitMs)
        // A time that was set is there once its transaction is over.
        if (waitMs > 0) await this.#sleep(COMMIT_MS)
      }
      await this.#lease.release()
    } catch (err) {
      this.#log.error({ err }, 'schedules: the end failed')
    } finally {
      timeListeners.delete(wake)
    }
  }

  /** Carries out what is due; answers how long there is nothing to do. */
  async #advance(): Promise<number> {
    const first = await this.#engine.store.read.schedules.first()
    if (!first) return LOOK_MS
    if (first.wait > 0) return Math.min(first.wait, LOOK_MS)
    if (!(await this.#lease.take())) return PAUSE_MS
    await this.#execute(first)
    return 0
  }

  async #execute(schedule: Schedule): Promise<void> {
    const { collection: key, id, action } = schedule
    try {
      const collection = this.#engine.model.collections.get(key)
      if (!collection?.status) throw new DaybookError('NOT_FOUND', `There is no collection "${key}" with a status.`)
      const context = await this.#contextOf(schedule)
      const locales = schedule.locales === null ? undefined : JSON.parse(schedule.locales)
      const prepare = action === 'publish' ? preparePublish : prepareUnpublish
      await execute(context, () => prepare(context, collection, id, { locales }))
      this.#log.info({ collection: key, id, action, at: schedule.at }, 'schedules: carried out')
    } catch (err) {
      if (err instanceof NotDue || err instanceof LeaseLost) throw err
      // One that fails, for whatever reason, keeps no others waiting.
      await this.#noteFailure(schedule, err)
    }
  }

  /**
   * What was set by a caller is done on their behalf, with the rights that they have now.
   *
   * @throws FORBIDDEN when they may not sign in any more
   */
  async #contextOf(schedule: Schedule): Promise<WriteContext> {
    const { actor, caller } = schedule
    const access = caller === null ? new UnrestrictedAccess(this.#engine.model, SYSTEM) : await this.#accessOf(caller)
    const transact: Transact = (work, options) =>
      this.#lease.write(async (writer) => {
        await requireDue(writer, schedule)
        return work(writer)
      }, options)
    const context = await createWriteContext(this.#engine, access, { transact })
    return { ...context, actor, author: toAuthor(actor) }
  }

  async #accessOf(caller: string): Promise<Access> {
    const present = await this.#engine.refreshCaller(JSON.parse(caller))
    if (present) return new Access(this.#engine.model, present)
    throw new DaybookError('FORBIDDEN', 'Whoever set the time may not sign in any more.')
  }

  /** Tells the journal and the log, and sets the time of the next attempt. An entry that is gone needs none. */
  async #noteFailure(schedule: Schedule, error: unknown): Promise<void> {
    const { collection, id, action, actor, failures } = schedule
    const model = this.#engine.model.collections.get(collection)
    const isGone = model !== undefined && (await this.#engine.store.read.entries.statuses(model, [id])).length === 0
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

  #failed(err: unknown): number {
    if (err instanceof NotDue || err instanceof LeaseLost) return 0
    this.#log.error({ err }, 'schedules: an attempt failed; it is made again')
    return PAUSE_MS
  }

  /** Waits so long, or until a time is set here. */
  async #pause(ms: number): Promise<void> {
    if (this.#isStopping || ms <= 0) return
    const over = new AbortController()
    await Promise.race([this.#sleep(ms, over.signal), this.#wake.promise])
    over.abort()
  }

  async #sleep(ms: number, over?: AbortSignal): Promise<void> {
    const { signal: stopping } = this.#stopping
    const signal = over ? AbortSignal.any([stopping, over]) : stopping
    await sleep(ms, undefined, { signal, ref: false }).catch(() => {})
  }
}

/** @throws {NotDue} when another node was first, or the time was set anew */
async function requireDue({ schedules }: Writer, { collection, id, action, seq, due }: Schedule): Promise<void> {
  const own = (await schedules.byEntry(collection, id)).find((one) => one.action === action)
  if (own?.seq !== seq || own.due !== due || due > (await schedules.now())) throw new NotDue()
}
