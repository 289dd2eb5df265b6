import { parentPort } from 'node:worker_threads'
import { isMessage, message } from './message.ts'

/** Why a task has no result. A structured clone of an error loses its code. */
export interface TaskFailure {
  readonly message: string
  readonly code: string
}

/** Says that this thread is ready, and answers each task that it is given, in the order in which they come. */
export function answerTasks<Task, Result>(work: (task: Task) => Result): void {
  parentPort?.on('message', (received: unknown) => {
    if (!isMessage<'task', Task>(received, 'task')) return
    const { job, body } = received
    try {
      parentPort?.postMessage(message('result', job, work(body)))
    } catch (error) {
      parentPort?.postMessage(message('failure', job, failureOf(error)))
    }
  })
  parentPort?.postMessage(message('ready', 0, undefined))
}

function failureOf(error: unknown): TaskFailure {
  if (!(error instanceof Error)) return { message: String(error), code: '' }
  return { message: error.message, code: 'code' in error && typeof error.code === 'string' ? error.code : '' }
}
