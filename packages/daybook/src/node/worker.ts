import type { ChildProcess } from 'node:child_process'
import cluster from 'node:cluster'
import { setTimeout as sleep } from 'node:timers/promises'
import type { MetricsSnapshot } from '../metrics/metrics.ts'
import { createMessage, isMessage } from '../threads/messages.ts'
import type { Listening } from './serve.ts'

/** The variable with the number of a worker, from 1. */
const WORKER_NUMBER_VARIABLE = 'DAYBOOK_WORKER'
/** The variable with the port that was chosen for 0. */
const WORKER_PORT_VARIABLE = 'DAYBOOK_WORKER_PORT'
const METRICS_TIMEOUT_MS = 2000
/** The time for which a retiring worker keeps idle connections, in milliseconds: as long as clients do. */
const RETIRING_IDLE_MS = 10_000
/** The timeout for a stopping worker to wait for the others, in milliseconds. */
const PEERS_TIMEOUT_MS = 1000

/** The steps of a shutdown that all workers reach together. */
export const SHUTDOWN_STEPS = ['accepted', 'closed'] as const
export type ShutdownStep = (typeof SHUTDOWN_STEPS)[number]

export interface WorkerExit {
  readonly status: number | null
  readonly signal: string | null
}

export interface WorkerIdentity {
  readonly number: number
  readonly port: number | undefined
}

/** Reads the settings of this process, if it is a worker. */
export function readWorkerIdentity(): WorkerIdentity | undefined {
  if (!cluster.isWorker) return undefined
  const port = process.env[WORKER_PORT_VARIABLE]
  return { number: Number(process.env[WORKER_NUMBER_VARIABLE]), port: port === undefined ? undefined : Number(port) }
}

/**
 * Reports to the parent that this worker listens, and stops it on request. Signals arrive from the parent and, from a terminal
 * or a service manager, also directly: the worker drains once.
 */
export function serveAsWorker(listening: Listening, measure: () => Promise<MetricsSnapshot>): void {
  const releases = { accepted: Promise.withResolvers<void>(), closed: Promise.withResolvers<void>() }
  const reach = async (step: ShutdownStep): Promise<void> => {
    process.send?.(createMessage(step, 0, undefined), () => {})
    await Promise.race([releases[step].promise, sleep(PEERS_TIMEOUT_MS, undefined, { ref: false })])
  }
  const peers = { accepted: () => reach('accepted'), closed: () => reach('closed') }
  const end = (idleMs?: number): void => void listening.stop(undefined, idleMs, peers).then(() => process.exit(0))
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => end())
  process.on('SIGHUP', () => {})
  process.on('message', (message: unknown) => {
    if (isMessage(message, 'retire')) end(RETIRING_IDLE_MS)
    for (const step of SHUTDOWN_STEPS) if (isMessage(message, step)) releases[step].resolve()
    if (!isMessage(message, 'measure')) return
    // If the channel is closed, the parent has noticed the end of this worker.
    void measure().then((metrics) => process.send?.(createMessage('measured', message.job, metrics), () => {}))
  })
  process.send?.(createMessage('listening', 0, listening.url))
}

const isClosable = (handle: unknown): handle is { close(): void } =>
  typeof handle === 'object' && handle !== null && 'close' in handle && typeof handle.close === 'function'

/** A worker process, from the view of its parent. */
export class WorkerProcess {
  readonly number: number
  readonly pid: number | undefined
  /** Resolves with the URL once the worker listens; with `undefined` if it exits before. */
  readonly listening: Promise<string | undefined>
  readonly exited: Promise<WorkerExit>
  readonly #worker: ReturnType<typeof cluster.fork>
  readonly #onStep: (step: ShutdownStep) => void
  #lastMetrics: MetricsSnapshot = []
  #isListening = false
  readonly #reachedSteps = new Set<ShutdownStep>()
  #lastConnectionAt = 0
  readonly #announcedUrl = Promise.withResolvers<string>()
  /** Callbacks of pending requests for metrics, by the number of the job. */
  readonly #measureCallbacks = new Map<number, () => void>()
  #jobs = 0

  /** @param onStep called when the worker has reached a step of its shutdown, where it waits for {@link release} */
  constructor(number: number, port: number | undefined, onStep: (step: ShutdownStep) => void) {
    this.number = number
    this.#onStep = onStep
    this.#worker = cluster.fork({
      [WORKER_NUMBER_VARIABLE]: number,
      ...(port === undefined ? {} : { [WORKER_PORT_VARIABLE]: port }),
    })
    this.pid = this.#worker.process.pid
    // The `exit` event reports an unreachable worker.
    this.#worker.on('error', () => {})
    this.exited = new Promise((resolve) => {
      this.#worker.once('exit', (status, signal) => resolve({ status, signal }))
    })
    this.#worker.on('message', (message: unknown) => this.#handleMessage(message))
    this.listening = Promise.race([this.#announcedUrl.promise, this.exited.then(() => undefined)])
    this.#closeAbandonedConnection()
  }

  get lastMetrics(): MetricsSnapshot {
    return this.#lastMetrics
  }

  /** The time at which the worker last got a connection, from `performance.now()`. */
  get lastConnectionAt(): number {
    return this.#lastConnectionAt
  }

  hasReached(step: ShutdownStep): boolean {
    return this.#reachedSteps.has(step)
  }

  /** Lets the worker continue its shutdown. */
  release(step: ShutdownStep): void {
    if (this.#worker.isConnected()) this.#send(step)
  }

  /** Collects the metrics; returns the last ones if the worker does not respond. */
  async collectMetrics(): Promise<MetricsSnapshot> {
    if (this.#isListening && this.#worker.isConnected()) await this.#measureAgain()
    return this.#lastMetrics
  }

  async #measureAgain(): Promise<void> {
    const job = this.#send('measure')
    const responded = new Promise<void>((resolve) => this.#measureCallbacks.set(job, resolve))
    await Promise.race([responded, this.exited, sleep(METRICS_TIMEOUT_MS, undefined, { ref: false })])
    this.#measureCallbacks.delete(job)
  }

  #handleMessage(message: unknown): void {
    if (isMessage<'listening', string>(message, 'listening')) {
      this.#isListening = true
      this.#announcedUrl.resolve(message.body)
    }
    for (const step of SHUTDOWN_STEPS) {
      if (!isMessage(message, step)) continue
      this.#reachedSteps.add(step)
      this.#onStep(step)
    }
    if (!isMessage<'measured', MetricsSnapshot>(message, 'measured')) return
    this.#lastMetrics = message.body
    this.#measureCallbacks.get(message.job)?.()
  }

  #send(kind: 'retire' | 'measure' | ShutdownStep): number {
    this.#jobs += 1
    this.#worker.send(createMessage(kind, this.#jobs, undefined))
    return this.#jobs
  }

  /** Retires the worker: it completes pending requests and exits. */
  retire(): void {
    if (this.#worker.isConnected()) this.#send('retire')
  }

  /** Stops the worker: it drains if it listens, and exits at once before that. */
  stop(): void {
    this.#worker.process.kill('SIGTERM')
  }

  kill(): void {
    this.#worker.process.kill('SIGKILL')
  }

  /** Closes the connection that a dying worker has not accepted. The parent holds it until then, so its client would wait forever. */
  #closeAbandonedConnection(): void {
    const child: ChildProcess = this.#worker.process
    const send = child.send as (this: ChildProcess, ...parameters: readonly unknown[]) => boolean
    let lastHandle: unknown
    child.send = (...parameters: readonly unknown[]) => {
      if (parameters[1]) this.#lastConnectionAt = performance.now()
      lastHandle = parameters[1] ?? lastHandle
      return send.apply(child, [...parameters])
    }
    void this.exited.then(() => {
      // An accepted connection is already closed here, and closing it again has no effect.
      if (isClosable(lastHandle)) lastHandle.close()
    })
  }
}
