import { Worker, type WorkerOptions } from 'node:worker_threads'
import { createMessage, isMessage, type TaskFailure } from './messages.ts'

/** The worker of a {@link ThreadPool}, and its bounds. */
export interface ThreadPoolOptions {
  /** The module of each thread, which calls `answerTasks`. */
  readonly module: URL
  readonly worker?: WorkerOptions
  /** How many tasks may run at once; each takes a thread. */
  readonly threads: number
  /**
   * How many tasks a thread may have. With one, no task waits behind a slow one while another thread is idle; with more, a
   * thread goes on before its result is fetched. @default 1
   */
  readonly tasksPerThread?: number
  /** How long one task may run, in milliseconds. Waiting for a thread does not count. */
  readonly taskTimeoutMs: number
  /** How many tasks may wait for a thread. @default Infinity */
  readonly maxWaiting?: number
  /** A thread without work ends after this time, in milliseconds. @default never */
  readonly idleMs?: number
  /**
   * How many threads may still be at a task that was given up; until one of them ends, no new thread starts.
   * JavaScript stops at once, and a native call only when it is through. @default Infinity
   */
  readonly maxEnding?: number
}

/**
 * Runs tasks in worker threads. They start when they are needed, and are replaced when they die or overrun.
 *
 * A library would do that (piscina was tried), but its clock can only start when a task begins to wait, and a thread that is still inside
 * of SQLite after its task was given up is not counted: threads would pile up.
 */
export class ThreadPool<Task, Result> {
  readonly #options: Required<Pick<ThreadPoolOptions, 'maxWaiting' | 'maxEnding' | 'tasksPerThread'>> &
    ThreadPoolOptions
  readonly #waiting: QueuedTask<Task, Result>[] = []
  readonly #threads = new Set<Thread<Task, Result>>()
  readonly #idleTimers = new Map<Thread<Task, Result>, NodeJS.Timeout>()
  readonly #ending = new Set<Promise<void>>()
  #isClosed = false

  constructor(options: ThreadPoolOptions) {
    this.#options = {
      maxWaiting: Number.POSITIVE_INFINITY,
      maxEnding: Number.POSITIVE_INFINITY,
      tasksPerThread: 1,
      ...options,
    }
  }

  /**
   * Rejects with what the task has thrown (its message and code), or with a {@link TaskAborted}.
   */
  run(task: Task): Promise<Result> {
    return new Promise((resolve, reject) => {
      if (this.#isClosed) throw new TaskAborted('closed')
      if (this.#waiting.length >= this.#options.maxWaiting) throw new TaskAborted('full')
      this.#waiting.push({ task, resolve, reject })
      this.#next()
    })
  }

  /** Refuses what runs and what waits, and resolves when all threads have ended. */
  async close(): Promise<void> {
    this.#isClosed = true
    const reason = new TaskAborted('closed')
    for (const { reject } of this.#waiting.splice(0)) reject(reason)
    for (const thread of this.#threads) this.#end(thread, reason)
    await Promise.all(this.#ending)
  }

  #next(): void {
    while (this.#waiting.length > 0) {
      const thread = this.#freeThread()
      if (!thread && this.#threads.size > 0) return
      const job = this.#waiting.shift()
      if (!job) return
      if (thread) thread.run(job)
      else job.reject(new TaskAborted('stuck'))
    }
  }

  /** One without work, a new one where there may be more, or the one that has the least to do. */
  #freeThread(): Thread<Task, Result> | undefined {
    const { threads, maxEnding: ending, tasksPerThread: depth } = this.#options
    const [least] = [...this.#threads].sort((one, other) => one.size - other.size)
    if (least?.size === 0) {
      clearTimeout(this.#idleTimers.get(least))
      return least
    }
    if (this.#threads.size < threads && this.#ending.size < ending) return this.#start()
    return least && least.size < depth ? least : undefined
  }

  #start(): Thread<Task, Result> {
    const { module, worker = {}, taskTimeoutMs: taskMs } = this.#options
    const thread = new Thread<Task, Result>(module, worker, taskMs, {
      onRoom: (free) => this.#rest(free),
      onLost: (lost, reason) => this.#end(lost, reason),
    })
    this.#threads.add(thread)
    return thread
  }

  /** Gives a thread its next task, or lets it go after a while. */
  #rest(thread: Thread<Task, Result>): void {
    const { idleMs } = this.#options
    if (idleMs !== undefined && thread.size === 0 && this.#waiting.length === 0) {
      clearTimeout(this.#idleTimers.get(thread))
      const timer = setTimeout(() => this.#end(thread, new TaskAborted('closed')), idleMs)
      this.#idleTimers.set(thread, timer.unref())
    }
    this.#next()
  }

  /** Lets a thread go; what waits goes on with another one. */
  #end(thread: Thread<Task, Result>, reason: TaskAborted): void {
    if (!this.#threads.delete(thread)) return
    clearTimeout(this.#idleTimers.get(thread))
    this.#idleTimers.delete(thread)
    const { left, ended: stopped } = thread.lose(reason)
    if (this.#isClosed) for (const { reject } of left) reject(reason)
    else this.#waiting.unshift(...left)
    const ended = stopped.then(() => {
      this.#ending.delete(ended)
      this.#next()
    })
    this.#ending.add(ended)
    this.#next()
  }
}

/** The address of a module beside the one that asks, which is TypeScript in a checkout and JavaScript in the package. */
export function resolveSiblingModule(asking: string, name: string): URL {
  return new URL(`./${name}${asking.endsWith('.ts') ? '.ts' : '.js'}`, asking)
}

/** Why a task was given up by the pool: none of these says anything about the task's own work. */
export type AbortReason = 'closed' | 'full' | 'stuck' | 'overrun' | 'died'

/** A task was given up before it had a result. */
export class TaskAborted extends Error {
  override readonly name = 'TaskGivenUp'
  readonly reason: AbortReason

  constructor(reason: AbortReason, cause?: unknown) {
    super(`The task was given up: ${reason}.`, { cause })
    this.reason = reason
  }
}

/** A task that waits for its result. */
interface QueuedTask<Task, Result> {
  readonly task: Task
  readonly resolve: (result: Result) => void
  readonly reject: (reason: unknown) => void
}

/** The events that a thread reports to its pool. */
interface ThreadEvents<Task, Result> {
  /** It can take another task. */
  readonly onRoom: (thread: Thread<Task, Result>) => void
  /** It died, or has to be ended, for this reason. */
  readonly onLost: (thread: Thread<Task, Result>, reason: TaskAborted) => void
}

/** A job that a thread has, by the number that its messages carry. */
interface NumberedTask<Task, Result> {
  readonly number: number
  readonly job: QueuedTask<Task, Result>
}

/** A worker thread that does its tasks one after the other, and keeps no process alive without one. */
class Thread<Task, Result> {
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
    this.#worker.on('error', (error) => events.onLost(this, new TaskAborted('died', error)))
    this.#worker.once('exit', () => {
      this.#loaded.resolve()
      events.onLost(this, new TaskAborted('died'))
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
      this.#worker.postMessage(createMessage('task', number, job.task))
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
  lose(reason: TaskAborted): { readonly left: readonly QueuedTask<Task, Result>[]; readonly ended: Promise<unknown> } {
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
    this.#clock = setTimeout(() => this.#events.onLost(this, new TaskAborted('overrun')), this.#taskMs)
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
