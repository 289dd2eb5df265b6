import { parentPort } from 'node:worker_threads'

/**
 * Messages between threads and processes of Daybook. Node and libraries send messages of their own over the same
 * channels (`node --watch` reports each imported module that way), so every message names its kind and its job.
 */
export interface Message<Kind extends string, Body> {
  readonly kind: `daybook:${Kind}`
  /** The number that a request and its response share. */
  readonly job: number
  readonly body: Body
}

export const createMessage = <Kind extends string, Body>(kind: Kind, job: number, body: Body): Message<Kind, Body> => ({
  kind: `daybook:${kind}`,
  job,
  body,
})

/** True for a message of this kind; other values are for other receivers. */
export const isMessage = <Kind extends string, Body>(received: unknown, kind: Kind): received is Message<Kind, Body> =>
  typeof received === 'object' &&
  received !== null &&
  'kind' in received &&
  received.kind === `daybook:${kind}` &&
  'job' in received &&
  typeof received.job === 'number'

/** The error of a task. A structured clone of an `Error` would lose its code. */
export interface TaskFailure {
  readonly message: string
  readonly code: string
}

/** Reports that this thread is ready, and runs its tasks in the order of their arrival. */
export function handleTasks<Task, Result>(work: (task: Task) => Result): void {
  parentPort?.on('message', (received: unknown) => {
    if (!isMessage<'task', Task>(received, 'task')) return
    const { job, body } = received
    try {
      parentPort?.postMessage(createMessage('result', job, work(body)))
    } catch (error) {
      parentPort?.postMessage(createMessage('failure', job, toTaskFailure(error)))
    }
  })
  parentPort?.postMessage(createMessage('ready', 0, undefined))
}

function toTaskFailure(error: unknown): TaskFailure {
  if (!(error instanceof Error)) return { message: String(error), code: '' }
  return { message: error.message, code: 'code' in error && typeof error.code === 'string' ? error.code : '' }
}
