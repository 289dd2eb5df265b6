import { writeFileSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import { handleTasks } from '../../src/threads/messages.ts'

/** What others send over the channels of a thread: Node in watch mode, libraries, nobody in particular. */
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
  for (const one of FOREIGN) parentPort?.postMessage(one)
}

chatter()
if (workerData !== 'usual') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2000)
// Another kind of start names a file, which tells that the thread was not cut off while it loaded.
if (workerData !== 'usual' && workerData !== 'slow') writeFileSync(workerData, 'loaded')

/** Answers with what it was given, or throws what it was given. */
handleTasks((task: { readonly value: unknown; readonly code?: string }) => {
  chatter()
  if (task.code !== undefined) throw Object.assign(new Error(String(task.value)), { code: task.code })
  return task.value
})
