import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createMessage, isMessage } from '../../src/threads/messages.ts'
import { TaskAborted, ThreadPool } from '../../src/threads/thread-pool.ts'
import { Folder } from '../support/stores/folder.ts'

interface Task {
  readonly value: unknown
  readonly code?: string
}

/** Creates a pool whose threads also send unrelated messages. */
function open(threads: number, taskMs = 60_000, start = 'usual') {
  const pool = new ThreadPool<Task, unknown>({
    module: new URL('./chatty-worker.ts', import.meta.url),
    worker: { workerData: start },
    threads,
    taskTimeoutMs: taskMs,
  })
  return { pool, [Symbol.asyncDispose]: () => pool.close() }
}

test.each([1, 3])(
  'unrelated messages are ignored, before, between and after the results of %i threads',
  async (threads) => {
    await using opened = open(threads)
    const values = Array.from({ length: 20 }, (_, index) => `answer ${index}`)
    expect(await Promise.all(values.map((value) => opened.pool.run({ value })))).toEqual(values)
    expect(await opened.pool.run({ value: undefined })).toBeUndefined()
  },
)

test('an error of a task rejects that task, with its code', async () => {
  await using opened = open(1)
  const [failed, done] = await Promise.allSettled([
    opened.pool.run({ value: 'no such table', code: 'SQLITE_ERROR' }),
    opened.pool.run({ value: 'fine' }),
  ])
  expect(failed).toMatchObject({ reason: { message: 'no such table', code: 'SQLITE_ERROR' } })
  expect(done).toEqual({ status: 'fulfilled', value: 'fine' })
})

test('the start of a thread does not count for the timeout of its first task', async () => {
  await using opened = open(1, 1000, 'slow')
  expect(await opened.pool.run({ value: 1 })).toBe(1)
})

test('a thread that is still loading is not terminated, since native modules would crash the process', async () => {
  await using folder = await Folder.make()
  const file = join(folder.address, 'loaded')
  const { pool } = open(1, 60_000, file)
  const result = pool.run({ value: 1 })
  const rejection = expect(result).rejects.toMatchObject({ reason: 'closed' })
  await pool.close()
  await rejection
  expect(existsSync(file)).toBe(true)
})

test('a closed pool rejects running, waiting and new tasks', async () => {
  await using opened = open(1)
  const settled = Promise.allSettled([opened.pool.run({ value: 1 }), opened.pool.run({ value: 2 })])
  await opened.pool.close()
  for (const outcome of await settled) {
    expect(outcome).toMatchObject({ status: 'rejected', reason: expect.any(TaskAborted) })
  }
  await expect(opened.pool.run({ value: 3 })).rejects.toMatchObject({ reason: 'closed' })
})

test('a message is identified by its kind and its number', () => {
  expect(isMessage(createMessage('measured', 3, []), 'measured')).toBe(true)
  expect(isMessage(createMessage('measured', 3, []), 'measure')).toBe(false)
  for (const foreign of [undefined, null, 'measured', 3, [], {}, { kind: 'daybook:measured' }, { job: 3 }]) {
    expect(isMessage(foreign, 'measured')).toBe(false)
  }
})
