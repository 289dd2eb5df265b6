import { writeFileSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import { handleTasks } from '../../src/threads/messages.ts'

/** Unrelated messages over the channels of a thread, such as those of Node in watch mode or of libraries. */
const FOREIGN: readonly unknown[] = [
  { 'watch:import': ['file:///a.ts'] },
  'text',
  null,
  undefined,
  7,
  [],
  { kind: 'daybook:result', body: 'without a job' },
  { kind: 'result', job: 1, body: 'of another kind' },
  { kind: 'daybook:result', job: 1_000_000, body: 'of another job' },
  { kind: 'daybook:failure', job: 0, body: { message: 'of another job', code: '' } },
]

const chatter = (): void => {
  for (const message of FOREIGN) parentPort?.postMessage(message)
}

chatter()
if (workerData !== 'usual') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2000)
// With a file name, the thread writes that file once it has loaded: proof that it was not terminated before.
if (workerData !== 'usual' && workerData !== 'slow') writeFileSync(workerData, 'loaded')

/** Returns the task, or throws it. */
handleTasks((task: { readonly value: unknown; readonly code?: string }) => {
  chatter()
  if (task.code !== undefined) throw Object.assign(new Error(String(task.value)), { code: task.code })
  return task.value
})
