import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { openSqlite } from '../../src/store/sqlite/sqlite.ts'
import { SqliteThread, type ThreadLimits } from '../../src/store/sqlite/sqlite-thread.ts'
import type { Statement } from '../../src/store/statement.ts'
import { Folder } from '../support/stores/folder.ts'

const UNAVAILABLE = expect.objectContaining({ code: 'SERVICE_UNAVAILABLE' })

/** Builds a statement whose `?` take the values of these names, in this order. */
function toStatement<Row>(sql: string, ...order: readonly string[]): Statement<Row> {
  return { sql, bind: (values) => order.map((name) => values[name]) }
}

/** Builds a statement that counts to a number, which keeps a processor busy for a while. */
const count = (to: number): Statement<{ n: number }> =>
  toStatement(`WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT ${to}) SELECT count(*) AS n FROM c`)

/** A database file with one table, and a reading thread. */
class Scene implements AsyncDisposable {
  readonly folder: Folder
  readonly thread: SqliteThread

  private constructor(folder: Folder, limits?: ThreadLimits) {
    this.folder = folder
    this.thread = new SqliteThread(folder.file, limits)
  }

  static async make(limits?: ThreadLimits): Promise<Scene> {
    const folder = await Folder.make()
    await folder.exec(
      `CREATE TABLE words (id INTEGER PRIMARY KEY, word TEXT); INSERT INTO words VALUES (1, 'hello'), (2, 'you')`,
    )
    return new Scene(folder, limits)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.thread.close()
    await this.folder[Symbol.asyncDispose]()
  }
}

const WORD = toStatement<{ word: string }>('SELECT word FROM words WHERE id = ?', 'id')
const WORDS = toStatement<{ word: string }>('SELECT word FROM words ORDER BY id')

test('rows come back as from any other connection', async () => {
  await using scene = await Scene.make()
  expect(await scene.thread.all(WORDS)).toEqual([{ word: 'hello' }, { word: 'you' }])
  expect(await scene.thread.get(WORD, { id: 2 })).toEqual({ word: 'you' })
  expect(await scene.thread.get(WORD, { id: 3 })).toBeUndefined()
  expect(await scene.thread.all(toStatement('SELECT ? AS a, ? AS b', 'a', 'b'), { a: null, b: 1.5 })).toEqual([
    { a: null, b: 1.5 },
  ])
})

test('the next statement sees a commit', async () => {
  await using scene = await Scene.make()
  const database = openSqlite(scene.folder.file)
  const add = toStatement('INSERT INTO words (word) VALUES (?)', 'word')
  for (let n = 3; n < 20; n++) {
    await database.transaction((writer) => writer.run(add, { word: `word ${n}` }))
    expect(await scene.thread.get(WORD, { id: n })).toEqual({ word: `word ${n}` })
  }
  await database.close()
})

test('statements run in the order in which they were sent', async () => {
  await using scene = await Scene.make()
  const results: number[] = []
  const reads = [100_000, 1, 50_000, 2].map(async (to) => results.push((await scene.thread.get(count(to)))?.n ?? 0))
  await Promise.all(reads)
  expect(results).toEqual([100_000, 1, 50_000, 2])
})

test('a slow statement does not delay other connections', async () => {
  await using scene = await Scene.make()
  const database = openSqlite(scene.folder.file)
  const long = scene.thread.get(count(5_000_000)).then(() => 'long')
  const quick = database.reader.get(WORD, { id: 1 }).then(() => 'quick')
  const timer = new Promise((resolve) => setTimeout(resolve, 1, 'timer'))
  expect(await Promise.race([long, quick])).toBe('quick')
  expect(await Promise.race([long, timer])).toBe('timer')
  expect(await long).toBe('long')
  await database.close()
})

test('the thread rejects writes', async () => {
  await using scene = await Scene.make()
  await expect(scene.thread.run()).rejects.toThrow()
  await expect(scene.thread.all(toStatement(`INSERT INTO words (word) VALUES ('no') RETURNING id`))).rejects.toThrow()
  expect(await scene.thread.all(WORDS)).toHaveLength(2)
})

test('more statements than the cache of prepared ones holds all run, in the thread and on the reader', async () => {
  await using scene = await Scene.make()
  const database = openSqlite(scene.folder.file)
  for (let n = 0; n < 450; n++) {
    const statement = toStatement<{ word: string; n: number }>(`SELECT word, ${n} AS n FROM words WHERE id = ?`, 'id')
    expect(await scene.thread.get(statement, { id: 1 })).toEqual({ word: 'hello', n })
    expect(await database.reader.get(statement, { id: 2 })).toEqual({ word: 'you', n })
  }
  const write = toStatement("UPDATE words SET word = 'no' RETURNING id")
  await expect(database.reader.all(write)).rejects.toThrow()
  await expect(scene.thread.all(write)).rejects.toThrow()
  await database.close()
})

test('an error keeps the code of SQLite, and the next statement runs', async () => {
  await using scene = await Scene.make()
  await expect(scene.thread.get(toStatement('SELECT 1 FROM nowhere'))).rejects.toMatchObject({
    message: 'no such table: nowhere',
    code: 'SQLITE_ERROR',
  })
  const refused = toStatement('INSERT INTO words (word) VALUES (1) RETURNING id')
  await expect(scene.thread.get(refused)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE', status: 503 })
  expect(await scene.thread.get(WORD, { id: 1 })).toEqual({ word: 'hello' })
})

test('a parameter that cannot be cloned fails only its own statement', async () => {
  await using scene = await Scene.make()
  const uncloneable = scene.thread.get(WORD, { id: () => 1 })
  const valid = scene.thread.get(WORD, { id: 1 })
  await expect(uncloneable).rejects.toThrow()
  expect(await valid).toEqual({ word: 'hello' })
})

test('statements beyond the queue limit are rejected, and queued ones run', async () => {
  await using scene = await Scene.make({ waiting: 2 })
  const reads = [1, 2, 3, 4, 5].map((to) => scene.thread.get(count(to)))
  expect(await Promise.allSettled(reads)).toEqual([
    { status: 'fulfilled', value: { n: 1 } },
    { status: 'fulfilled', value: { n: 2 } },
    { status: 'fulfilled', value: { n: 3 } },
    { status: 'rejected', reason: UNAVAILABLE },
    { status: 'rejected', reason: UNAVAILABLE },
  ])
  expect(await scene.thread.get(count(6))).toEqual({ n: 6 })
})

test('a statement that exceeds the time limit fails, and queued ones run in a new thread', async () => {
  await using scene = await Scene.make({ statementMs: 1000 })
  const endless = scene.thread.get(count(15_000_000))
  const waiting = scene.thread.get(WORD, { id: 1 })
  await expect(endless).rejects.toEqual(UNAVAILABLE)
  expect(await waiting).toEqual({ word: 'hello' })
})

test('timed-out statements do not pile up: while two still run, others are rejected', async () => {
  await using scene = await Scene.make({ statementMs: 1 })
  const reads = Array.from({ length: 4 }, () => scene.thread.get(count(10_000_000)))
  for (const read of reads) await expect(read).rejects.toEqual(UNAVAILABLE)
})

test('a thread that dies fails its statement and is replaced', async () => {
  await using folder = await Folder.make()
  await writeFile(folder.file, 'This is no database, and that is found out when the thread starts.'.repeat(20))
  const thread = new SqliteThread(folder.file)
  await expect(thread.get(toStatement('SELECT 1 AS one'))).rejects.toEqual(UNAVAILABLE)
  await writeFile(folder.file, '')
  expect(await thread.get(toStatement('SELECT 1 AS one'))).toEqual({ one: 1 })
  await thread.close()
})

test('closing rejects running, queued and later statements', async () => {
  await using scene = await Scene.make()
  const reads = [scene.thread.get(count(1_000_000)), scene.thread.get(count(1))]
  const outcomes = Promise.allSettled(reads)
  await scene.thread.close()
  for (const { status } of await outcomes) expect(status).toBe('rejected')
  await expect(scene.thread.get(count(1))).rejects.toEqual(UNAVAILABLE)
  await scene.thread.close()
})

test('an idle thread does not keep the process alive', async () => {
  await using scene = await Scene.make()
  const source = (name: string): string =>
    JSON.stringify(new URL(`../../src/store/sqlite/${name}`, import.meta.url).href)
  const program = join(scene.folder.address, 'ask.mjs')
  await writeFile(
    program,
    `import { SqliteThread } from ${source('sqlite-thread.ts')}
    const thread = new SqliteThread(${JSON.stringify(scene.folder.file)})
    console.log(JSON.stringify(await thread.get({ sql: 'SELECT word FROM words', bind: () => [] })))`,
  )
  const { stdout } = await promisify(execFile)(process.execPath, [program])
  expect(stdout).toBe('{"word":"hello"}\n')
})
