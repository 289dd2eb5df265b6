import { Worker } from 'node:worker_threads'
import { DaybookError } from '../errors.ts'
import type { Statement, Values } from './compile.ts'
import type { Connection } from './database.ts'
import { translate } from './sqlite-connection.ts'
import type { ThreadAnswer, ThreadRequest } from './sqlite-thread-worker.ts'

/** Bounds of a {@link SqliteThread}. */
export interface ThreadLimits {
  /** How long one statement may run, in milliseconds. @default 10000 */
  readonly statementMs?: number
  /** How many statements may wait while one runs. @default 64 */
  readonly waiting?: number
}

const USUAL_LIMITS: Required<ThreadLimits> = { statementMs: 10_000, waiting: 64 }
/**
 * How many workers may still be at a statement that was given up. SQLite only looks up between statements,
 * so an ended worker computes on until its statement is through.
 */
const MAX_ENDING = 2

interface Job {
  readonly request: ThreadRequest
  readonly resolve: (result: unknown) => void
  readonly reject: (reason: unknown) => void
}

/** The statement that runs, and the clock on it. */
interface Running {
  readonly job: Job
  readonly timer: NodeJS.Timeout
}

/**
 * A connection that reads in a thread of its own, one statement after the other, so that a long one keeps nobody
 * else waiting. The thread starts with the first statement, keeps no process alive without work, and is replaced
 * when it dies or a statement overruns.
 */
export class SqliteThread implements Connection {
  readonly #file: string
  readonly #limits: Required<ThreadLimits>
  readonly #waiting: Job[] = []
  readonly #ending = new Set<Promise<unknown>>()
  #worker: Worker | undefined
  #running: Running | undefined
  #isClosed = false

  constructor(file: string, limits: ThreadLimits = {}) {
    this.#file = file
    this.#limits = { ...USUAL_LIMITS, ...limits }
  }

  /** @throws SERVICE_UNAVAILABLE when too many statements wait, this one takes too long, or the connection is closed */
  async all<Row>(statement: Statement<Row>, values: Values = {}): Promise<readonly Row[]> {
    return (await this.#ask(statement, values, 'all')) as readonly Row[]
  }

  /** @throws SERVICE_UNAVAILABLE, as {@link all} */
  async get<Row>(statement: Statement<Row>, values: Values = {}): Promise<Row | undefined> {
    return (await this.#ask(statement, values, 'get')) as Row | undefined
  }

  /** Always rejects: this connection only reads. */
  async run(): Promise<number> {
    throw new Error('The reading thread does not write.')
  }

  /** Refuses what runs and what waits, and ends the thread; resolves when it has let go of the file. */
  async close(): Promise<void> {
    this.#isClosed = true
    const refusal = unavailable('The store is closed.')
    for (const { reject } of this.#waiting.splice(0)) reject(refusal)
    this.#fail(refusal)
    await Promise.all(this.#ending)
  }

  #ask(statement: Statement, values: Values, method: ThreadRequest['method']): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (this.#isClosed) throw unavailable('The store is closed.')
      if (this.#waiting.length >= this.#limits.waiting) throw unavailable('Too many searches wait.')
      const request = { sql: statement.sql, parameters: statement.bind(values), method }
      this.#waiting.push({ request, resolve, reject })
      this.#next()
    })
  }

  #next(): void {
    if (this.#running) return
    const job = this.#waiting.shift()
    if (!job) return
    if (!this.#worker && this.#ending.size >= MAX_ENDING) {
      job.reject(unavailable('Searches that took too long still run.'))
      this.#next()
      return
    }
    this.#worker ??= this.#start()
    this.#worker.ref()
    const timer = setTimeout(() => this.#fail(unavailable('This took too long to find.')), this.#limits.statementMs)
    this.#running = { job, timer }
    try {
      this.#worker.postMessage(job.request)
    } catch (error) {
      // A parameter that cannot be sent.
      this.#settle()?.reject(error)
      this.#next()
    }
  }

  #start(): Worker {
    const file = import.meta.url.endsWith('.ts') ? './sqlite-thread-worker.ts' : './sqlite-thread-worker.js'
    const worker = new Worker(new URL(file, import.meta.url), { workerData: this.#file })
    const lost = (cause?: unknown): void => {
      if (worker === this.#worker) this.#fail(unavailable('The reading thread died.', cause))
    }
    worker.on('error', lost)
    worker.once('exit', () => lost())
    worker.on('message', (answer: ThreadAnswer) => {
      if (worker === this.#worker) this.#answered(answer)
    })
    return worker
  }

  #answered(answer: ThreadAnswer): void {
    const job = this.#settle()
    if ('result' in answer) job?.resolve(answer.result)
    else job?.reject(translate(Object.assign(new Error(answer.message), { code: answer.code })))
    this.#next()
  }

  /** Lets the worker go, and whoever it worked for know; the others go on with a new one. */
  #fail(reason: DaybookError): void {
    const worker = this.#worker
    this.#worker = undefined
    this.#settle()?.reject(reason)
    if (worker) this.#end(worker)
    this.#next()
  }

  #end(worker: Worker): void {
    worker.unref()
    const ended = worker.terminate().finally(() => {
      this.#ending.delete(ended)
      this.#next()
    })
    this.#ending.add(ended)
  }

  /** Takes the running statement off the clock. */
  #settle(): Job | undefined {
    const running = this.#running
    this.#running = undefined
    clearTimeout(running?.timer)
    this.#worker?.unref()
    return running?.job
  }
}

const unavailable = (message: string, cause?: unknown): DaybookError =>
  new DaybookError('SERVICE_UNAVAILABLE', message, {}, cause)
