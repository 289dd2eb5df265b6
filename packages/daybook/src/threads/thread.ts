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
export interface QueuedTask<Task, Result> {
  readonly task: Task
  readonly resolve: (result: Result) => void
  readonly reject: (reason: unknown) => void
}

/** The events that a thread reports to its pool. */
export interface ThreadEvents<Task, Result> {
  /** It can take another task. */
  readonly onRoom: (thread: Thread<Task, Result>) => void
  /** It died, or has to be ended, for this reason. */
  readonly onLost: (thread: Thread<Task, Result>, reason: TaskGivenUp) => void
}

/** A job that a thread has, by the number that its messages carry. */
interface NumberedTask<Task, Result> {
  readonly number: number
  readonly job: QueuedTask<Task, Result>
}

/** A worker thread that does its tasks one after the other, and keeps no process alive without one. */
export class Thread<Task, Result> {
  readonly #worker: Worker
  readonly #taskMs: number
  readonly #events: ThreadEvents<Task, Result>
  /** The first one runs; the others wait in the thread, so that it goes on before a result is fetched. */
  #jobs: NumberedTask<Task, Result>[] = []
  #numbers = 0
  #isReady = false
  /** Settles when its modules are loaded, or it has ended. */
  readonly #loaded = Promise.withResolvers<void>()
  #clock: NodeJS.Timeout | undefined

  /** @param taskMs how long one task may run, in milliseconds */
  constructor(module: URL, options: WorkerOptions, taskMs: number, events: ThreadEvents<Task, Result>) {
    this.#taskMs = taskMs
    this.#events = events
    this.#worker = new Worker(module, options)
    this.#worker.unref()
    this.#worker.on('message', (received: unknown) => this.#received(received))
    this.#worker.on('error', (error) => events.onLost(this, new TaskGivenUp('died', error)))
    this.#worker.once('exit', () => {
      this.#loaded.resolve()
      events.onLost(this, new TaskGivenUp('died'))
    })
  }

  /** How many tasks it has. */
  get size(): number {
    return this.#jobs.length
  }

  run(job: QueuedTask<Task, Result>): void {
    this.#numbers += 1
    const number = this.#numbers
    try {
      this.#worker.postMessage(message('task', number, job.task))
    } catch (error) {
      // A task that cannot be sent.
      job.reject(error)
      queueMicrotask(() => this.#events.onRoom(this))
      return
    }
    this.#jobs.push({ number, job })
    this.#worker.ref()
    if (this.#jobs.length === 1) this.#startClock()
  }

  /**
   * Refuses the task that runs, and ends: not before a native call has returned.
   *
   * @returns the tasks that it had not begun
   */
  lose(reason: TaskGivenUp): { readonly left: readonly QueuedTask<Task, Result>[]; readonly ended: Promise<unknown> } {
    const [running, ...left] = this.#jobs
    this.#jobs = []
    clearTimeout(this.#clock)
    running?.job.reject(reason)
    return { left: left.map(({ job }) => job), ended: this.#end() }
  }

  /** A native module that is cut off while it loads would take the whole process with it (`FATAL ERROR: Error::New`). */
  async #end(): Promise<void> {
    this.#worker.ref()
    await this.#loaded.promise
    await this.#worker.terminate()
  }

  /** Passes over what is no answer to the job that runs. */
  #received(received: unknown): void {
    if (isMessage(received, 'ready')) {
      this.#isReady = true
      this.#loaded.resolve()
      this.#startClock()
      return
    }
    const number = this.#jobs[0]?.number
    if (isMessage<'result', Result>(received, 'result') && received.job === number) {
      this.#endTask()?.resolve(received.body)
    } else if (isMessage<'failure', TaskFailure>(received, 'failure') && received.job === number) {
      const { message: text, code } = received.body
      this.#endTask()?.reject(Object.assign(new Error(text), { code }))
    } else return
    this.#events.onRoom(this)
  }

  /** Runs once the thread is ready: loading its modules is no part of a task. */
  #startClock(): void {
    if (!this.#isReady || this.#jobs.length === 0) return
    clearTimeout(this.#clock)
    this.#clock = setTimeout(() => this.#events.onLost(this, new TaskGivenUp('overrun')), this.#taskMs)
  }

  /** Takes the job that ran off the clock; the next one is on it. */
  #endTask(): QueuedTask<Task, Result> | undefined {
    clearTimeout(this.#clock)
    const settled = this.#jobs.shift()
    if (this.#jobs.length === 0) this.#worker.unref()
    else this.#startClock()
    return settled?.job
  }
}
