import { once } from 'node:events'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { expect, test } from 'vitest'
import { openSqlite } from '../../src/store/sqlite/sqlite.ts'
import { isSafeSqlite } from '../../src/store/sqlite/sqlite-file.ts'
import { rawStatement } from '../../src/store/statement.ts'
import { Folder } from '../support/stores/folder.ts'

const VERSIONS: Readonly<Record<string, boolean>> = {
  '2.8.17': false,
  '3.6.23': false,
  '3.7.0': false,
  '3.8.11': false,
  '3.43.2': false,
  '3.44.0': false,
  '3.44.5': false,
  '3.44.6': true,
  '3.44.9': true,
  '3.45.0': false,
  '3.46.1': false,
  '3.50.4': false,
  '3.50.6': false,
  '3.50.7': true,
  '3.51.0': false,
  '3.51.2': false,
  '3.51.3': true,
  '3.52.0': true,
  '3.53.4': true,
  '4.0.0': true,
}

test.each(Object.entries(VERSIONS))('SQLite %s is free of the WAL-reset bug: %s', (version, isSafe) => {
  expect(isSafeSqlite(version)).toBe(isSafe)
})

// Windows has no such permissions.
test.skipIf(process.platform === 'win32')(
  'a data folder that a store creates is readable only by its owner',
  async () => {
    await using folder = await Folder.make()
    const data = join(folder.address, 'made', 'data')
    await openSqlite(join(data, 'daybook.db')).close()
    expect((await stat(data)).mode & 0o777).toBe(0o700)
  },
)

test('several threads can open a new file at the same time', async () => {
  await using folder = await Folder.make()
  const threads = Array.from({ length: 4 }, () => new Worker(join(import.meta.dirname, 'opens.ts')))
  for (let round = 0; round < 80; round += 1) {
    const results = threads.map(async (thread) => {
      const message = once(thread, 'message')
      thread.postMessage(join(folder.address, `${round}.db`))
      return (await message)[0]
    })
    expect(await Promise.all(results)).toEqual(threads.map(() => 'opened'))
  }
  await Promise.all(threads.map((thread) => thread.terminate()))
}, 120_000)

test('both connections of a store use durable settings', async () => {
  await using folder = await Folder.make()
  const database = openSqlite(folder.file)
  const pragma = (name: string) => ({ sql: `PRAGMA ${name}`, bind: () => [] })
  const settings = ['synchronous', 'journal_mode', 'foreign_keys', 'trusted_schema']
  const read = await Promise.all(settings.map((name) => database.reader.get(pragma(name))))
  const written = await database.transaction((writer) => Promise.all(settings.map((name) => writer.get(pragma(name)))))
  await database.close()
  const expected = [{ synchronous: 2 }, { journal_mode: 'wal' }, { foreign_keys: 1 }, { trusted_schema: 0 }]
  expect(read).toEqual(expected)
  expect(written).toEqual(expected)
})

test('the reading connection cannot write', async () => {
  await using folder = await Folder.make()
  const database = openSqlite(folder.file)
  const statement = { sql: 'CREATE TABLE x (y)', bind: () => [] }
  await expect(database.reader.run(statement)).rejects.toThrow()
  await database.close()
})

test('a write that fails half-way does not affect the writes that share its commit', async () => {
  await using folder = await Folder.make()
  const database = openSqlite(folder.file)
  await database.transaction((writer) => writer.run(rawStatement('CREATE TABLE notes (text TEXT UNIQUE)')))
  const note = (text: string): Promise<number> =>
    database.transaction((writer) => writer.run(rawStatement(`INSERT INTO notes VALUES ('${text}')`)))
  const failing = database.transaction(async (writer) => {
    await writer.run(rawStatement(`INSERT INTO notes VALUES ('half')`))
    throw new Error('refused')
  })
  const outcomes = await Promise.allSettled([note('one'), failing, note('two'), note('one'), note('three')])
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'rejected', 'fulfilled'])
  const stored = await database.reader.all<{ readonly text: string }>(
    rawStatement('SELECT text FROM notes ORDER BY rowid'),
  )
  await database.close()
  expect(stored.map(({ text }) => text)).toEqual(['one', 'two', 'three'])
})

test('a write runs once, even if it shares a commit with writes that fail before they change anything', async () => {
  await using folder = await Folder.make()
  const database = openSqlite(folder.file)
  await database.transaction((writer) => writer.run(rawStatement('CREATE TABLE notes (text TEXT UNIQUE)')))
  let attempts = 0
  const note = (text: string): Promise<number> =>
    database.transaction((writer) => {
      attempts += 1
      return writer.run(rawStatement(`INSERT INTO notes VALUES ('${text}')`))
    })
  const outcomes = await Promise.allSettled([note('one'), note('one'), note('two')])
  await database.close()
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(attempts).toBe(3)
})

test('the write-ahead log is checkpointed while writes continue', async () => {
  await using folder = await Folder.make()
  const database = openSqlite(folder.file)
  await database.transaction((writer) => writer.run(rawStatement('CREATE TABLE notes (text TEXT)')))
  // Thirty-two commits of one mebibyte each are 8,192 pages.
  const large = rawStatement(`INSERT INTO notes SELECT printf('%.*c', 1048576, 'x')`)
  for (let n = 0; n < 32; n++) await database.transaction((writer) => writer.run(large))
  const log = rawStatement<{ readonly checkpointed: number }>('PRAGMA wal_checkpoint(NOOP)')
  await expect.poll(async () => (await database.reader.get(log))?.checkpointed).toBeGreaterThan(0)
  await database.close()
})
