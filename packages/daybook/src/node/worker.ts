import type { ChildProcess } from 'node:child_process'
import cluster from 'node:cluster'
import { setTimeout as sleep } from 'node:timers/promises'
import type { MetricsSnapshot } from '../metrics/metrics.ts'
import { createMessage, isMessage } from '../threads/messages.ts'
import type { Listening } from './serve.ts'

/** Environment of a worker: its number, counted from 1. */
const WORKER_NUMBER = 'DAYBOOK_WORKER'
/** Environment of a worker: the port that was chosen when 0 was asked for. */
const CHOSEN_PORT = 'DAYBOOK_WORKER_PORT'
/** How long a worker may take to say what it has measured, in milliseconds. */
const MEASURE_MS = 2000
/** How long a retiring worker keeps connections without a request, in milliseconds: as long as clients keep them. */
const RETIRING_IDLE_MS = 10_000
/** How long a worker that ends waits for the others, in milliseconds. */
const OTHERS_MS = 1000

/** The steps that workers which end together take together. */
export const SHUTDOWN_STEPS = ['accepted', 'closed'] as const
export type ShutdownStep = (typeof SHUTDOWN_STEPS)[number]

/** How a process ended. */
export interface WorkerExit {
  readonly status: number | null
  readonly signal: string | null
}

/** The settings of a worker, from the process that started it. */
export interface WorkerIdentity {
  readonly number: number
  readonly port: number | undefined
}

/** The number and port of this process, if it is a worker. */
export function readWorkerIdentity(): WorkerIdentity | undefined {
  if (!cluster.isWorker) return undefined
  const port = process.env[CHOSEN_PORT]
  return { number: Number(process.env[WORKER_NUMBER]), port: port === undefined ? undefined : Number(port) }
}

/**
 * Says that this worker listens, and ends it when it is told to. Signals reach it from its parent and, from a terminal
 * or a service manager, also directly: however many come, it drains once.
 */
export function serveAsWorker(listening: Listening, measure: () => Promise<MetricsSnapshot>): void {
  const passes = { accepted: Promise.withResolvers<void>(), closed: Promise.withResolvers<void>() }
  const reach = async (step: ShutdownStep): Promise<void> => {
    process.send?.(createMessage(step, 0, undefined), () => {})
    await Promise.race([passes[step].promise, sleep(OTHERS_MS, undefined, { ref: false })])
  }
  const peers = { accepted: () => reach('accepted'), closed: () => reach('closed') }
  const end = (idleMs?: number): void => void listening.stop(undefined, idleMs, peers).then(() => process.exit(0))
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => end())
  process.on('SIGHUP', () => {})
  process.on('message', (received: unknown) => {
    if (isMessage(received, 'retire')) end(RETIRING_IDLE_MS)
    for (const step of SHUTDOWN_STEPS) if (isMessage(received, step)) passes[step].resolve()
    if (!isMessage(received, 'measure')) return
    // One that cannot be asked any more is missed by its parent.
    void measure().then((metrics) => process.send?.(createMessage('measured', received.job, metrics), () => {}))
  })
  process.send?.(createMessage('listening', 0, listening.url))
}

const isClosable = (handle: unknown): handle is { close(): void } =>
  typeof handle === 'object' && handle !== null && 'close' in handle && typeof handle.close === 'function'

/** A worker, from its start to its end, as its parent sees it. */
export class WorkerProcess {
  readonly number: number
  readonly pid: number | undefined
  /** Its address once it listens; undefined when it ended before. */
  readonly listening: Promise<string | undefined>
  readonly exited: Promise<WorkerExit>
  readonly #worker: ReturnType<typeof cluster.fork>
  readonly #onStep: (step: ShutdownStep) => void
  #measured: MetricsSnapshot = []
  #isListening = false
  readonly #reached = new Set<ShutdownStep>()
  #handedAt = 0
  readonly #said = Promise.withResolvers<string>()
  /** Requests that wait for an answer, by the number of the job. */
  readonly #asked = new Map<number, () => void>()
  #jobs = 0

  /** @param onStep told when it ends and has come to a step, where it waits for {@link release} */
  constructor(number: number, port: number | undefined, onStep: (step: ShutdownStep) => void) {
    this.number = number
    this.#onStep = onStep
    this.#worker = cluster.fork({ [WORKER_NUMBER]: number, ...(port === undefined ? {} : { [CHOSEN_PORT]: port }) })
    this.pid = this.#worker.process.pid
    // That it cannot be reached any more is known from its end.
    this.#worker.on('error', () => {})
    this.exited = new Promise((resolve) => {
      this.#worker.once('exit', (status, signal) => resolve({ status, signal }))
    })
    this.#worker.on('message', (received: unknown) => this.#received(received))
    this.listening = Promise.race([this.#said.promise, this.exited.then(() => undefined)])
    this.#closeWhatItLeaves()
  }

  /** Its metrics when they were last collected. */
  get lastMetrics(): MetricsSnapshot {
    return this.#measured
  }

  /** When it was last given a connection, as `performance.now()` has it. */
  get lastConnectionAt(): number {
    return this.#handedAt
  }

  /** Whether it has come so far with its end. */
  hasReached(step: ShutdownStep): boolean {
    return this.#reached.has(step)
  }

  /** Lets it go on. */
  release(step: ShutdownStep): void {
    if (this.#worker.isConnected()) this.#send(step)
  }

  /** Its metrics; when it does not answer, those last collected. */
  async collectMetrics(): Promise<MetricsSnapshot> {
    if (this.#isListening && this.#worker.isConnected()) await this.#measureAgain()
    return this.#measured
  }

  async #measureAgain(): Promise<void> {
    const job = this.#send('measure')
    const answered = new Promise<void>((resolve) => this.#asked.set(job, resolve))
    await Promise.race([answered, this.exited, sleep(MEASURE_MS, undefined, { ref: false })])
    this.#asked.delete(job)
  }

  #received(received: unknown): void {
    if (isMessage<'listening', string>(received, 'listening')) {
      this.#isListening = true
      this.#said.resolve(received.body)
    }
    for (const step of SHUTDOWN_STEPS) {
      if (!isMessage(received, step)) continue
      this.#reached.add(step)
      this.#onStep(step)
    }
    if (!isMessage<'measured', MetricsSnapshot>(received, 'measured')) return
    this.#measured = received.body
    this.#asked.get(received.job)?.()
  }

  #send(kind: 'retire' | 'measure' | ShutdownStep): number {
    this.#jobs += 1
    this.#worker.send(createMessage(kind, this.#jobs, undefined))
    return this.#jobs
  }

  /** Takes it out of service: it answers what is under way and ends. */
  retire(): void {
    if (this.#worker.isConnected()) this.#send('retire')
  }

  /** Ends it: in order, once it listens; at once before that. */
  stop(): void {
    this.#worker.process.kill('SIGTERM')
  }

  kill(): void {
    this.#worker.process.kill('SIGKILL')
  }

  /** The parent keeps a connection until the worker has taken it: when it dies before that, a client would wait forever. */
  #closeWhatItLeaves(): void {
    const child: ChildProcess = this.#worker.process
    const send = child.send as (this: ChildProcess, ...of: readonly unknown[]) => boolean
    let given: unknown
    child.send = (...message: readonly unknown[]) => {
      if (message[1]) this.#handedAt = performance.now()
      given = message[1] ?? given
      return send.apply(child, [...message])
    }
    void this.exited.then(() => {
      // What has been taken is closed here already, and closing it again does nothing.
      if (isClosable(given)) given.close()
    })
  }
}
