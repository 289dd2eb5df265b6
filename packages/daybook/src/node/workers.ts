import cluster from 'node:cluster'
import { setTimeout as sleep } from 'node:timers/promises'
import { StartupError } from '../errors.ts'
import type { Log } from '../log.ts'
import { waitForEmptyBacklog } from './connections.ts'
import { SHUTDOWN_STEPS, type ShutdownStep, type WorkerExit, WorkerProcess } from './worker.ts'

/** The options of {@link runWorkers}. */
export interface WorkersOptions {
  /** The number of workers, at least 1. */
  readonly count: number
  readonly log: Log
  readonly onExited?: (worker: WorkerProcess) => void
  /** Called once with `http://HOST:PORT`, when all workers listen. */
  readonly onListening: (url: string) => void
}

const MAX_FAILED_STARTS = 5
/** The number of attempts to start a replacement, since the database may be slow for a moment. */
const REPLACE_ATTEMPTS = 3
const FIRST_PAUSE_MS = 100
const MAX_PAUSE_MS = 10_000
/** The lifetime after which the exit of a worker is not a failed start, in milliseconds. */
const STEADY_MS = 60_000

/** Several processes that serve on one port. */
export interface RunningWorkers {
  /** Resolves with the exit status when all workers have exited; rejects with a {@link StartupError} if workers repeatedly fail to start. */
  readonly status: Promise<number>
  readonly alive: ReadonlySet<WorkerProcess>
}

/**
 * Runs the command of this process in several workers that share its port. SIGTERM or SIGINT drains all of them, a second signal
 * kills them, and SIGHUP replaces them one after the other. A worker that dies is replaced.
 */
export function runWorkers(options: WorkersOptions): RunningWorkers {
  // The parent distributes connections, and takes them back from a worker that no longer accepts them.
  cluster.schedulingPolicy = cluster.SCHED_RR
  const workers = new Workers(options)
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => workers.end(signal))
  process.on('SIGHUP', () => workers.rollOver())
  return { status: workers.run(), alive: workers.alive }
}

/** A numbered slot for one worker; a worker that replaces another takes its number. */
interface WorkerSlot {
  readonly number: number
  serving: WorkerProcess | undefined
  /** The end of the last task of this slot: tasks of one slot run in turn. */
  turn: Promise<void>
}

class Workers {
  readonly #options: WorkersOptions
  readonly #slots: readonly WorkerSlot[]
  readonly alive = new Set<WorkerProcess>()
  readonly #end = new AbortController()
  readonly #completed = Promise.withResolvers<number>()
  #url: string | undefined
  #status = 0
  #reason: StartupError | undefined
  /** The number of failed starts since a worker last listened. */
  #failedStarts = 0
  /** The number of consecutive workers that exited soon after their start. */
  #quickExits = 0
  #rollover = { isRunning: false, isRequestedAgain: false }

  constructor(options: WorkersOptions) {
    this.#options = options
    this.#slots = Array.from({ length: options.count }, (_, index) => {
      return { number: index + 1, serving: undefined, turn: Promise.resolve() }
    })
  }

  async run(): Promise<number> {
    const [first, ...otherSlots] = this.#slots as [WorkerSlot, ...WorkerSlot[]]
    // The first worker prepares the store or reports a fault, so that the others need not.
    const failed = await this.#start(first)
    if (failed) this.#failFirstStart(failed)
    await Promise.all(otherSlots.map((slot) => this.#fill(slot)))
    if (!this.#end.signal.aborted && this.#url) this.#options.onListening(this.#url)
    return this.#completed.promise
  }

  /** Drains all workers at the first signal, and kills them at the second one. */
  end(signal: NodeJS.Signals): void {
    if (this.#end.signal.aborted) {
      this.#status = 1
      for (const worker of this.alive) worker.kill()
      return
    }
    this.#options.log.info({ signal }, 'draining')
    this.#drain()
  }

  /** Replaces all workers, one after the other; a call during a run starts another run after it. */
  rollOver(): void {
    if (!this.#url || this.#end.signal.aborted) return
    this.#rollover.isRequestedAgain = true
    if (!this.#rollover.isRunning) void this.#rollOver()
  }

  async #rollOver(): Promise<void> {
    this.#rollover.isRunning = true
    while (this.#rollover.isRequestedAgain) {
      this.#rollover.isRequestedAgain = false
      const done = await this.#replaceAll()
      if (done) this.#options.log.info({}, 'all workers are replaced')
    }
    this.#rollover.isRunning = false
  }

  async #replaceAll(): Promise<boolean> {
    for (const slot of this.#slots) {
      const done = await this.#inTurn(slot, () => this.#replace(slot))
      if (this.#end.signal.aborted) return false
      if (done) continue
      this.#options.log.error({ worker: slot.number }, 'the new worker did not start; the running workers continue')
      return false
    }
    return true
  }

  /** Retires a worker once its replacement listens. Returns false if no replacement starts. */
  async #replace(slot: WorkerSlot): Promise<boolean> {
    const old = slot.serving
    for (let attempt = 1; await this.#start(slot); attempt += 1) {
      if (attempt === REPLACE_ATTEMPTS || this.#end.signal.aborted) return false
      await this.#pause(attempt)
    }
    old?.retire()
    await old?.exited
    return true
  }

  /** Starts workers until one listens. */
  async #fill(slot: WorkerSlot): Promise<void> {
    while (!slot.serving && !this.#end.signal.aborted) {
      const failed = await this.#start(slot)
      if (!failed) return
      this.#failedStarts += 1
      if (this.#failedStarts >= MAX_FAILED_STARTS) return this.#giveUp(failed)
      await this.#pause(this.#failedStarts)
    }
  }

  /** Starts one worker; returns its exit if it never listened. */
  async #start(slot: WorkerSlot): Promise<WorkerExit | undefined> {
    if (this.#end.signal.aborted) return { status: 0, signal: null }
    // While a worker listens, 0 stands for the shared port. Otherwise, the port has to be requested by its number.
    const port = this.#url && !this.#isServing ? Number(new URL(this.#url).port) : undefined
    const worker = new WorkerProcess(slot.number, port, (step) => void this.#release(step))
    this.alive.add(worker)
    void worker.exited.then((exit) => this.#handleExit(worker, exit))
    const url = await worker.listening
    if (!url) return worker.exited
    this.#url ??= url
    this.#failedStarts = 0
    slot.serving = worker
    this.#options.log.info({ worker: slot.number, pid: worker.pid }, 'worker listens')
    void this.#watch(slot, worker)
    return undefined
  }

  /** Fills the slot again when its worker dies. */
  async #watch(slot: WorkerSlot, worker: WorkerProcess): Promise<void> {
    const startedAt = performance.now()
    const { status, signal } = await worker.exited
    if (slot.serving !== worker) return
    slot.serving = undefined
    if (this.#end.signal.aborted) return
    this.#quickExits = performance.now() - startedAt > STEADY_MS ? 1 : this.#quickExits + 1
    this.#options.log.error({ worker: slot.number, status, signal }, 'a worker ended; another one replaces it')
    await this.#pause(this.#quickExits)
    await this.#inTurn(slot, () => this.#fill(slot))
  }

  #inTurn<T>(slot: WorkerSlot, work: () => Promise<T>): Promise<T> {
    const done = slot.turn.then(work)
    slot.turn = done.then(() => {})
    return done
  }

  get #isServing(): boolean {
    return this.#slots.some(({ serving }) => serving)
  }

  async #pause(times: number): Promise<void> {
    const ms = Math.min(FIRST_PAUSE_MS * 2 ** (times - 1), MAX_PAUSE_MS)
    await sleep(ms, undefined, { signal: this.#end.signal }).catch(() => {})
  }

  /** Stops after a failed first start. A worker that exits by itself has reported the reason. */
  #failFirstStart({ status, signal }: WorkerExit): void {
    if (this.#end.signal.aborted) return
    this.#status = status || 1
    if (signal) this.#reason = new StartupError(`The first worker was ended by ${signal} before it listened.`)
    this.#drain()
  }

  #giveUp({ status, signal }: WorkerExit): void {
    this.#reason = new StartupError(
      `Workers failed to start ${MAX_FAILED_STARTS} times in a row (the last one with ${signal ?? `status ${status}`}).`,
    )
    this.#drain()
  }

  #drain(): void {
    this.#end.abort()
    for (const worker of this.alive) worker.stop()
    this.#resolveWhenOver()
  }

  #handleExit(worker: WorkerProcess, { status }: WorkerExit): void {
    this.alive.delete(worker)
    this.#options.onExited?.(worker)
    if (!this.#end.signal.aborted) return
    for (const step of SHUTDOWN_STEPS) void this.#release(step)
    // A worker that was still starting is killed by the signal, and has no status.
    if (status) this.#status ||= status
    this.#resolveWhenOver()
  }

  /** Releases workers from a step. Stopping workers continue together, since a connection that one does not accept must reach another. */
  async #release(step: ShutdownStep): Promise<void> {
    const waiting = [...this.alive].filter((worker) => worker.hasReached(step))
    if (waiting.length === 0) return
    if (this.#end.signal.aborted) {
      if (waiting.length < this.alive.size) return
      if (step === 'accepted')
        await waitForEmptyBacklog(() => Math.max(...waiting.map(({ lastConnectionAt }) => lastConnectionAt)))
    }
    for (const worker of waiting) worker.release(step)
  }

  #resolveWhenOver(): void {
    if (this.alive.size > 0) return
    if (this.#reason) this.#completed.reject(this.#reason)
    else this.#completed.resolve(this.#status)
  }
}
