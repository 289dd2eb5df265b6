import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { openSqlite } from '../../src/store/sqlite/sqlite.ts'
import { SqliteThread, type ThreadBounds } from '../../src/store/sqlite/sqlite-thread.ts'
import type { Statement } from '../../src/store/statement.ts'
import { Folder } from '../support/stores/folder.ts'

const UNAVAILABLE = expect.objectContaining({ code: 'SERVICE_UNAVAILABLE' })

/** A statement with named values in the order of their names in `order`. */
function ask<Row>(sql: string, ...order: readonly string[]): Statement<Row> {
  return { sql, bind: (values) => order.map((name) => values[name]) }
}

/** Counts so far that it keeps a processor busy for a while. */
const count = (to: number): Statement<{ n: number }> =>
  ask(`WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT ${to}) SELECT count(*) AS n FROM c`)

/** A store with one table, and a thread beside it. */
class Scene implements AsyncDisposable {
  readonly folder: Folder
  readonly thread: SqliteThread

  private constructor(folder: Folder, limits?: ThreadBounds) {
    this.folder = folder
    this.thread = new SqliteThread(folder.file, limits)
  }

  static async make(limits?: ThreadBounds): Promise<Scene> {
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

const WORD = ask<{ word: string }>('SELECT word FROM words WHERE id = ?', 'id')
const WORDS = ask<{ word: string }>('SELECT word FROM words ORDER BY id')

test('rows come back as from any other connection', async () => {
  await using scene = await Scene.make()
  expect(await scene.thread.all(WORDS)).toEqual([{ word: 'hello' }, { word: 'you' }])
  expect(await scene.thread.get(WORD, { id: 2 })).toEqual({ word: 'you' })
  expect(await scene.thread.get(WORD, { id: 3 })).toBeUndefined()
  expect(await scene.thread.all(ask('SELECT ? AS a, ? AS b', 'a', 'b'), { a: null, b: 1.5 })).toEqual([
    { a: null, b: 1.5 },
  ])
})

test('a commit is seen by the next statement', async () => {
  await using scene = await Scene.make()
  const database = openSqlite(scene.folder.file)
  const add = ask('INSERT INTO words (word) VALUES (?)', 'word')
  for (let n = 3; n < 20; n++) {
    await database.transaction((writer) => writer.run(add, { word: `word ${n}` }))
    expect(await scene.thread.get(WORD, { id: n })).toEqual({ word: `word ${n}` })
  }
  await database.close()
})

test('statements are answered in the order in which they are asked', async () => {
  await using scene = await Scene.make()
  const answered: number[] = []
  const asked = [100_000, 1, 50_000, 2].map(async (to) => answered.push((await scene.thread.get(count(to)))?.n ?? 0))
  await Promise.all(asked)
  expect(answered).toEqual([100_000, 1, 50_000, 2])
})

test('a statement that takes long keeps no other connection waiting', async () => {
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

test('nothing can be written', async () => {
  await using scene = await Scene.make()
  await expect(scene.thread.run()).rejects.toThrow()
  await expect(scene.thread.all(ask(`INSERT INTO words (word) VALUES ('no') RETURNING id`))).rejects.toThrow()
  expect(await scene.thread.all(WORDS)).toHaveLength(2)
})

test('more different statements than are kept prepared are answered all the same, by the thread and by the reader', async () => {
  await using scene = await Scene.make()
  const database = openSqlite(scene.folder.file)
  for (let n = 0; n < 450; n++) {
    const statement = ask<{ word: string; n: number }>(`SELECT word, ${n} AS n FROM words WHERE id = ?`, 'id')
    expect(await scene.thread.get(statement, { id: 1 })).toEqual({ word: 'hello', n })
    expect(await database.reader.get(statement, { id: 2 })).toEqual({ word: 'you', n })
  }
  const write = ask("UPDATE words SET word = 'no' RETURNING id")
  await expect(database.reader.all(write)).rejects.toThrow()
  await expect(scene.thread.all(write)).rejects.toThrow()
  await database.close()
})

test('an error keeps the code of SQLite, and the next statement is answered', async () => {
  await using scene = await Scene.make()
  await expect(scene.thread.get(ask('SELECT 1 FROM nowhere'))).rejects.toMatchObject({
    message: 'no such table: nowhere',
    code: 'SQLITE_ERROR',
  })
  const refused = ask('INSERT INTO words (word) VALUES (1) RETURNING id')
  await expect(scene.thread.get(refused)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE', status: 503 })
  expect(await scene.thread.get(WORD, { id: 1 })).toEqual({ word: 'hello' })
})

test('a parameter that cannot be sent is refused alone', async () => {
  await using scene = await Scene.make()
  const strange = scene.thread.get(WORD, { id: () => 1 })
  const usual = scene.thread.get(WORD, { id: 1 })
  await expect(strange).rejects.toThrow()
  expect(await usual).toEqual({ word: 'hello' })
})

test('more statements than may wait are refused, and those that wait are answered', async () => {
  await using scene = await Scene.make({ waiting: 2 })
  const asked = [1, 2, 3, 4, 5].map((to) => scene.thread.get(count(to)))
  expect(await Promise.allSettled(asked)).toEqual([
    { status: 'fulfilled', value: { n: 1 } },
    { status: 'fulfilled', value: { n: 2 } },
    { status: 'fulfilled', value: { n: 3 } },
    { status: 'rejected', reason: UNAVAILABLE },
    { status: 'rejected', reason: UNAVAILABLE },
  ])
  expect(await scene.thread.get(count(6))).toEqual({ n: 6 })
})

test('a statement over the limit is given up, and those that wait are answered by a new thread', async () => {
  await using scene = await Scene.make({ statementMs: 1000 })
  const endless = scene.thread.get(count(15_000_000))
  const waiting = scene.thread.get(WORD, { id: 1 })
  await expect(endless).rejects.toEqual(UNAVAILABLE)
  expect(await waiting).toEqual({ word: 'hello' })
})

test('statements that were given up do not pile up: while two still run, others are refused', async () => {
  await using scene = await Scene.make({ statementMs: 1 })
  const asked = Array.from({ length: 4 }, () => scene.thread.get(count(10_000_000)))
  for (const one of asked) await expect(one).rejects.toEqual(UNAVAILABLE)
})

test('a thread that dies refuses its statement and is replaced', async () => {
  await using folder = await Folder.make()
  await writeFile(folder.file, 'This is no database, and that is found out when the thread starts.'.repeat(20))
  const thread = new SqliteThread(folder.file)
  await expect(thread.get(ask('SELECT 1 AS one'))).rejects.toEqual(UNAVAILABLE)
  await writeFile(folder.file, '')
  expect(await thread.get(ask('SELECT 1 AS one'))).toEqual({ one: 1 })
  await thread.close()
})

test('closing refuses what runs, what waits, and what comes later', async () => {
  await using scene = await Scene.make()
  const asked = [scene.thread.get(count(1_000_000)), scene.thread.get(count(1))]
  const outcomes = Promise.allSettled(asked)
  await scene.thread.close()
  for (const { status } of await outcomes) expect(status).toBe('rejected')
  await expect(scene.thread.get(count(1))).rejects.toEqual(UNAVAILABLE)
  await scene.thread.close()
})

test('a thread without work does not keep the process alive', async () => {
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
