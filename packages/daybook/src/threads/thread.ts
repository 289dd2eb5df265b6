import { Worker, type WorkerOptions } from 'node:worker_threads'
import type { TaskFailure } from './answer-tasks.ts'
import { isMessage, message } from './message.ts'

/** Why a task was given up by the pool: none of these says anything about the task's own work. */
export type GivenUp = 'closed' | 'full' | 'stuck' | 'overrun' | 'died'

/** A task was given up before it had a result. */
export class TaskGivenUp extends Error {
  override readonly name = 'TaskGivenUp'
  readonly reason: GivenUp

  constructor(reason: GivenUp, cause?: unknown) {
    super(`The task was given up: ${reason}.`, { cause })
    this.reason = reason
  }
}

/** A task that waits for its result. */
export interface Job<Task, Result> {
  readonly task: Task
  readonly resolve: (result: Result) => void
  readonly reject: (reason: unknown) => void
}

/** What a thread tells its pool. */
export interface ThreadEvents<Task, Result> {
  /** It can take another task. */
  readonly onIdle: (thread: Thread<Task, Result>) => void
  /** It died, or has to be ended, for this reason. */
  readonly onLost: (thread: Thread<Task, Result>, reason: TaskGivenUp) => void
}

/** The job that a thread is at, and the clock on it. */
interface Running<Task, Result> {
  readonly number: number
  readonly job: Job<Task, Result>
  readonly taskMs: number
  /** Runs once the thread is ready: loading its modules is no part of a task. */
  timer?: NodeJS.Timeout
}

/** A worker thread that does one task at a time, and keeps no process alive without one. */
export class Thread<Task, Result> {
  readonly #worker: Worker
  readonly #events: ThreadEvents<Task, Result>
  #running: Running<Task, Result> | undefined
  #jobs = 0
  #isReady = false

  constructor(module: URL, options: WorkerOptions, events: ThreadEvents<Task, Result>) {
    this.#events = events
    this.#worker = new Worker(module, options)
    this.#worker.unref()
    this.#worker.on('message', (received: unknown) => this.#received(received))
    this.#worker.on('error', (error) => events.onLost(this, new TaskGivenUp('died', error)))
    this.#worker.once('exit', () => events.onLost(this, new TaskGivenUp('died')))
  }

  get isIdle(): boolean {
    return this.#running === undefined
  }

  /** Starts a task, which may take so long, in milliseconds. */
  run(job: Job<Task, Result>, taskMs: number): void {
    this.#jobs += 1
    this.#running = { number: this.#jobs, job, taskMs }
    if (this.#isReady) this.#startClock()
    this.#worker.ref()
    try {
      this.#worker.postMessage(message('task', this.#jobs, job.task))
    } catch (error) {
      // A task that cannot be sent.
      this.#settle()?.reject(error)
      this.#events.onIdle(this)
    }
  }

  /** Refuses the task that runs, and resolves once the thread has ended: not before a native call has returned. */
  async end(reason: TaskGivenUp): Promise<void> {
    this.#settle()?.reject(reason)
    await this.#worker.terminate()
  }

  /** Passes over what is no answer to the job that runs. */
  #received(received: unknown): void {
    if (isMessage(received, 'ready')) {
      this.#isReady = true
      this.#startClock()
      return
    }
    const number = this.#running?.number
    if (isMessage<'result', Result>(received, 'result') && received.job === number) {
      this.#settle()?.resolve(received.body)
    } else if (isMessage<'failure', TaskFailure>(received, 'failure') && received.job === number) {
      const { message: text, code } = received.body
      this.#settle()?.reject(Object.assign(new Error(text), { code }))
    } else return
    this.#events.onIdle(this)
  }

  #startClock(): void {
    const running = this.#running
    if (!running) return
    running.timer = setTimeout(() => this.#events.onLost(this, new TaskGivenUp('overrun')), running.taskMs)
  }

  /** Takes the job off the clock. */
  #settle(): Job<Task, Result> | undefined {
    const running = this.#running
    this.#running = undefined
    clearTimeout(running?.timer)
    this.#worker.unref()
    return running?.job
  }
}
