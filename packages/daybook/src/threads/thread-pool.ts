import { Worker, type WorkerOptions } from 'node:worker_threads'
import { createMessage, isMessage, type TaskFailure } from './messages.ts'

/** The options of a {@link ThreadPool}. */
export interface ThreadPoolOptions {
  /** The module of each thread, which calls `handleTasks`. */
  readonly module: URL
  readonly worker?: WorkerOptions
  readonly threads: number
  /**
   * The maximum number of tasks in one thread. With one, no task waits behind a slow one while another thread is idle; with more, a
   * thread can continue before its result is received. @default 1
   */
  readonly tasksPerThread?: number
  /** The timeout of a task, in milliseconds, without the wait for a thread. */
  readonly taskTimeoutMs: number
  /** The maximum number of tasks that wait for a thread. @default Infinity */
  readonly maxWaiting?: number
  /** The time after which an idle thread exits, in milliseconds. @default never */
  readonly idleMs?: number
  /**
   * The maximum number of terminating threads; above it, no new thread starts. JavaScript stops at once, but a native call has to
   * return first. @default Infinity
   */
  readonly maxEnding?: number
}

/**
 * Runs tasks in worker threads, which start on demand and are replaced when they die or a task exceeds its timeout.
 *
 * The library piscina was tried, but its timeout starts when a task begins to wait, and it does not count a thread that is still inside
 * SQLite after its task was aborted: threads would accumulate.
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

  /** Runs a task. Rejects with the error of the task (message and code), or with a {@link TaskAborted}. */
  run(task: Task): Promise<Result> {
    return new Promise((resolve, reject) => {
      if (this.#isClosed) throw new TaskAborted('closed')
      if (this.#waiting.length >= this.#options.maxWaiting) throw new TaskAborted('full')
      this.#waiting.push({ task, resolve, reject })
      this.#next()
    })
  }

  /** Rejects all running and waiting tasks, and resolves when all threads have exited. */
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
      const task = this.#waiting.shift()
      if (!task) return
      if (thread) thread.run(task)
      else task.reject(new TaskAborted('stuck'))
    }
  }

  /** Returns an idle thread, a new one if permitted, or the one with the fewest tasks. */
  #freeThread(): Thread<Task, Result> | undefined {
    const { threads, maxEnding, tasksPerThread } = this.#options
    const [leastBusy] = [...this.#threads].sort((a, b) => a.size - b.size)
    if (leastBusy?.size === 0) {
      clearTimeout(this.#idleTimers.get(leastBusy))
      return leastBusy
    }
    if (this.#threads.size < threads && this.#ending.size < maxEnding) return this.#start()
    return leastBusy && leastBusy.size < tasksPerThread ? leastBusy : undefined
  }

  #start(): Thread<Task, Result> {
    const { module, worker = {}, taskTimeoutMs } = this.#options
    const thread = new Thread<Task, Result>(module, worker, taskTimeoutMs, {
      onRoom: (free) => this.#rest(free),
      onLost: (lost, reason) => this.#end(lost, reason),
    })
    this.#threads.add(thread)
    return thread
  }

  /** Gives a thread its next task, or ends it after the idle time. */
  #rest(thread: Thread<Task, Result>): void {
    const { idleMs } = this.#options
    if (idleMs !== undefined && thread.size === 0 && this.#waiting.length === 0) {
      clearTimeout(this.#idleTimers.get(thread))
      const timer = setTimeout(() => this.#end(thread, new TaskAborted('closed')), idleMs)
      this.#idleTimers.set(thread, timer.unref())
    }
    this.#next()
  }

  /** Ends a thread; its waiting tasks move to another one. */
  #end(thread: Thread<Task, Result>, reason: TaskAborted): void {
    if (!this.#threads.delete(thread)) return
    clearTimeout(this.#idleTimers.get(thread))
    this.#idleTimers.delete(thread)
    const { unstarted, ended: stopped } = thread.abandon(reason)
    if (this.#isClosed) for (const { reject } of unstarted) reject(reason)
    else this.#waiting.unshift(...unstarted)
    const ended = stopped.then(() => {
      this.#ending.delete(ended)
      this.#next()
    })
    this.#ending.add(ended)
    this.#next()
  }
}

/** Returns the URL of a module in the folder of another one: TypeScript in a checkout, JavaScript in the package. */
export function resolveSiblingModule(moduleUrl: string, name: string): URL {
  return new URL(`./${name}${moduleUrl.endsWith('.ts') ? '.ts' : '.js'}`, moduleUrl)
}

/** The reasons for which the pool aborts a task, none of which is an error of the task. */
export type AbortReason = 'closed' | 'full' | 'stuck' | 'overrun' | 'died'

/** A task was aborted before it had a result. */
export class TaskAborted extends Error {
  override readonly name = 'TaskAborted'
  readonly reason: AbortReason

  constructor(reason: AbortReason, cause?: unknown) {
    super(`The task was aborted: ${reason}.`, { cause })
    this.reason = reason
  }
}

interface QueuedTask<Task, Result> {
  readonly task: Task
  readonly resolve: (result: Result) => void
  readonly reject: (reason: unknown) => void
}

interface ThreadEvents<Task, Result> {
  /** The thread can take another task. */
  readonly onRoom: (thread: Thread<Task, Result>) => void
  /** The thread died, or has to be ended, for this reason. */
  readonly onLost: (thread: Thread<Task, Result>, reason: TaskAborted) => void
}

interface NumberedTask<Task, Result> {
  readonly number: number
  readonly queued: QueuedTask<Task, Result>
}

/** A worker thread that runs tasks one after the other, and keeps the process alive only while it has one. */
class Thread<Task, Result> {
  readonly #worker: Worker
  readonly #taskTimeoutMs: number
  readonly #events: ThreadEvents<Task, Result>
  /** The first one runs. The others wait in the thread, so that it can continue before a result is received. */
  #tasks: NumberedTask<Task, Result>[] = []
  #numbers = 0
  #isReady = false
  /** Resolves when the modules are loaded, or the thread has exited. */
  readonly #loaded = Promise.withResolvers<void>()
  #timeout: NodeJS.Timeout | undefined

  /** @param taskTimeoutMs the timeout of a task, in milliseconds */
  constructor(module: URL, options: WorkerOptions, taskTimeoutMs: number, events: ThreadEvents<Task, Result>) {
    this.#taskTimeoutMs = taskTimeoutMs
    this.#events = events
    this.#worker = new Worker(module, options)
    this.#worker.unref()
    this.#worker.on('message', (message: unknown) => this.#handleMessage(message))
    this.#worker.on('error', (error) => events.onLost(this, new TaskAborted('died', error)))
    this.#worker.once('exit', () => {
      this.#loaded.resolve()
      events.onLost(this, new TaskAborted('died'))
    })
  }

  get size(): number {
    return this.#tasks.length
  }

  run(queued: QueuedTask<Task, Result>): void {
    this.#numbers += 1
    const number = this.#numbers
    try {
      this.#worker.postMessage(createMessage('task', number, queued.task))
    } catch (error) {
      // A task that cannot be sent.
      queued.reject(error)
      queueMicrotask(() => this.#events.onRoom(this))
      return
    }
    this.#tasks.push({ number, queued })
    this.#worker.ref()
    if (this.#tasks.length === 1) this.#startTimeout()
  }

  /**
   * Rejects the running task, and ends the thread, which waits for a native call to return.
   *
   * @returns the tasks that had not started
   */
  abandon(reason: TaskAborted): {
    readonly unstarted: readonly QueuedTask<Task, Result>[]
    readonly ended: Promise<unknown>
  } {
    const [running, ...unstarted] = this.#tasks
    this.#tasks = []
    clearTimeout(this.#timeout)
    running?.queued.reject(reason)
    return { unstarted: unstarted.map(({ queued }) => queued), ended: this.#end() }
  }

  /** Terminates the thread once it has loaded: terminating a native module while it loads would crash the process (`FATAL ERROR: Error::New`). */
  async #end(): Promise<void> {
    this.#worker.ref()
    await this.#loaded.promise
    await this.#worker.terminate()
  }

  /** Handles a message. Those that do not belong to the running task are ignored. */
  #handleMessage(message: unknown): void {
    if (isMessage(message, 'ready')) {
      this.#isReady = true
      this.#loaded.resolve()
      this.#startTimeout()
      return
    }
    const number = this.#tasks[0]?.number
    if (isMessage<'result', Result>(message, 'result') && message.job === number) {
      this.#endTask()?.resolve(message.body)
    } else if (isMessage<'failure', TaskFailure>(message, 'failure') && message.job === number) {
      const { message: text, code } = message.body
      this.#endTask()?.reject(Object.assign(new Error(text), { code }))
    } else return
    this.#events.onRoom(this)
  }

  /** Starts the timeout of the running task once the thread is ready: loading its modules does not count. */
  #startTimeout(): void {
    if (!this.#isReady || this.#tasks.length === 0) return
    clearTimeout(this.#timeout)
    this.#timeout = setTimeout(() => this.#events.onLost(this, new TaskAborted('overrun')), this.#taskTimeoutMs)
  }

  /** Removes the running task, and starts the timeout of the next one. */
  #endTask(): QueuedTask<Task, Result> | undefined {
    clearTimeout(this.#timeout)
    const finished = this.#tasks.shift()
    if (this.#tasks.length === 0) this.#worker.unref()
    else this.#startTimeout()
    return finished?.queued
  }
}
