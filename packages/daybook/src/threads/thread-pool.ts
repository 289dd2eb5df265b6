import type { WorkerOptions } from 'node:worker_threads'
import { type QueuedTask, TaskGivenUp, Thread } from './thread.ts'

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
  readonly depth?: number
  /** How long one task may run, in milliseconds. Waiting for a thread does not count. */
  readonly taskMs: number
  /** How many tasks may wait for a thread. @default Infinity */
  readonly waiting?: number
  /** A thread without work ends after this time, in milliseconds. @default never */
  readonly idleMs?: number
  /**
   * How many threads may still be at a task that was given up; until one of them ends, no new thread starts.
   * JavaScript stops at once, and a native call only when it is through. @default Infinity
   */
  readonly ending?: number
}

/**
 * Runs tasks in worker threads. They start when they are needed, and are replaced when they die or overrun.
 *
 * A library would do that (piscina was tried), but its clock can only start when a task begins to wait, and a thread that is still inside
 * of SQLite after its task was given up is not counted: threads would pile up.
 */
export class ThreadPool<Task, Result> {
  readonly #options: Required<Pick<ThreadPoolOptions, 'waiting' | 'ending' | 'depth'>> & ThreadPoolOptions
  readonly #waiting: QueuedTask<Task, Result>[] = []
  readonly #threads = new Set<Thread<Task, Result>>()
  readonly #idleTimers = new Map<Thread<Task, Result>, NodeJS.Timeout>()
  readonly #ending = new Set<Promise<void>>()
  #isClosed = false

  constructor(options: ThreadPoolOptions) {
    this.#options = { waiting: Number.POSITIVE_INFINITY, ending: Number.POSITIVE_INFINITY, depth: 1, ...options }
  }

  /**
   * Rejects with what the task has thrown (its message and code), or with a {@link TaskGivenUp}.
   */
  run(task: Task): Promise<Result> {
    return new Promise((resolve, reject) => {
      if (this.#isClosed) throw new TaskGivenUp('closed')
      if (this.#waiting.length >= this.#options.waiting) throw new TaskGivenUp('full')
      this.#waiting.push({ task, resolve, reject })
      this.#next()
    })
  }

  /** Refuses what runs and what waits, and resolves when all threads have ended. */
  async close(): Promise<void> {
    this.#isClosed = true
    const reason = new TaskGivenUp('closed')
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
      else job.reject(new TaskGivenUp('stuck'))
    }
  }

  /** One without work, a new one where there may be more, or the one that has the least to do. */
  #freeThread(): Thread<Task, Result> | undefined {
    const { threads, ending, depth } = this.#options
    const [least] = [...this.#threads].sort((one, other) => one.size - other.size)
    if (least?.size === 0) {
      clearTimeout(this.#idleTimers.get(least))
      return least
    }
    if (this.#threads.size < threads && this.#ending.size < ending) return this.#start()
    return least && least.size < depth ? least : undefined
  }

  #start(): Thread<Task, Result> {
    const { module, worker = {}, taskMs } = this.#options
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
      const timer = setTimeout(() => this.#end(thread, new TaskGivenUp('closed')), idleMs)
      this.#idleTimers.set(thread, timer.unref())
    }
    this.#next()
  }

  /** Lets a thread go; what waits goes on with another one. */
  #end(thread: Thread<Task, Result>, reason: TaskGivenUp): void {
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
export function moduleBeside(asking: string, name: string): URL {
  return new URL(`./${name}${asking.endsWith('.ts') ? '.ts' : '.js'}`, asking)
}
