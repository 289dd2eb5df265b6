import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { defineConfig, f } from 'daybook'
import { Client } from 'pg'
import { describe, expect, test } from 'vitest'
import { folderOf } from '../cli/cli.ts'
import { DAYBOOK } from '../support/built/command.ts'
import { SLOW_MACHINE_DATABASE } from '../support/postgres/slow-machine-postgres.ts'
import type { Place } from '../support/stores/place.ts'
import { POSTGRES, STORES } from '../support/stores/stores.ts'
import { eventually } from '../support/timeouts.ts'

const POSTGRES_MODULE = join(import.meta.dirname, '../../src/store/postgres/index.ts')
/** The number of entries, more than one statement stores. */
const COUNT = 600

const config = defineConfig({
  collections: { notes: { fields: { title: f.text({ index: true }), rank: f.number(), twin: f.relation('notes') } } },
})

/** Writes the same config for a process that kills itself at the note whose rank is `DIES_AT`. */
const writeConfig = (database: string): string => `import { defineConfig, f } from 'DAYBOOK'
import { postgres } from '${POSTGRES_MODULE}'
const mark = process.env.DIES_AT
const die = ({ before }) => {
  if (before?.rank === Number(mark)) process.kill(process.pid, 'SIGKILL')
}
export default defineConfig({
  ${database}
  collections: {
    notes: {
      fields: { title: f.text({ index: true }), rank: f.number(), twin: f.relation('notes') },
      ...(mark ? { hooks: { beforeChange: die } } : {}),
    },
  },
})
`

async function createNotes(place: Place, isPostgres: boolean) {
  await place.serve(config, async ({ content }) => {
    const all = Array.from({ length: COUNT }, (_, rank) => ({ title: 'before', rank }))
    for (const data of all) await content.create('notes', data as never)
  })
  const database = isPostgres ? `database: postgres('${place.address}', ${JSON.stringify(SLOW_MACHINE_DATABASE)}),` : ''
  const folder = await folderOf({ 'daybook.config.ts': writeConfig(database) })
  const begin = (args: readonly string[], env: NodeJS.ProcessEnv = {}) => {
    const data = isPostgres ? [] : ['--data', place.address]
    const child = spawn(process.execPath, [...DAYBOOK, ...args, ...data], {
      cwd: folder.path,
      env: { ...process.env, ...env },
      stdio: 'ignore',
    })
    return { child, exited: once(child, 'exit') }
  }
  return { begin, [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() }
}

async function readState(place: Place) {
  const [journal, state, head] = await Promise.all([
    place.rows<{ readonly n: number }>("SELECT count(*) AS n FROM daybook$journal WHERE action <> 'create'"),
    place.rows<{ readonly n: number }>('SELECT count(*) AS n FROM daybook$journal_payload'),
    place.rows<{ readonly seq: number }>('SELECT seq FROM daybook$head'),
  ])
  const count = (title: string): Promise<number> =>
    place.serve(config, async ({ content }) => {
      const where = { title: { eq: title } } as never
      return (await content.list('notes', { where, limit: 0 })).total
    })
  return {
    before: await count('before'),
    after: await count('after'),
    records: Number(journal[0]?.n),
    states: Number(state[0]?.n),
    head: Number(head[0]?.seq),
  }
}

const UPDATE = ['update', 'notes', '--where', 'title=before', '--set', 'title=after']
const DELETE = ['delete', 'notes', '--where', 'title=before']
const UNTOUCHED = { before: COUNT, after: 0, records: 0, states: 0, head: COUNT }

describe.each(STORES)('a process that is killed during a bulk write on $name', (store) => {
  test.each([
    ['update', UPDATE, { before: 0, after: COUNT }],
    ['delete', DELETE, { before: 0, after: 0 }],
  ])('%s: stores nothing, and the same command succeeds afterwards', async (_, args, done) => {
    await using place = await store.at()
    await using notes = await createNotes(place, store === POSTGRES)
    for (const mark of [COUNT / 2, COUNT - 1]) {
      expect((await notes.begin(args, { DIES_AT: String(mark) }).exited)[1], `at ${mark}`).toBe('SIGKILL')
      expect(await readState(place), `at ${mark}`).toEqual(UNTOUCHED)
    }
    expect(await notes.begin(args).exited).toEqual([0, null])
    expect(await readState(place)).toEqual({ ...done, records: COUNT, states: COUNT, head: 2 * COUNT })
  })
})

describe('a process that is killed while PostgreSQL runs a bulk statement', () => {
  test.each([
    ['update', UPDATE],
    ['delete', DELETE],
  ])('%s: stores nothing', async (_, args) => {
    await using place = await POSTGRES.at()
    await using notes = await createNotes(place, true)
    const other = new Client({ connectionString: place.address })
    await other.connect()
    try {
      // Locks the last entry, so that the process waits after all others are written.
      await other.query('BEGIN')
      await other.query('SELECT 1 FROM notes ORDER BY pk DESC LIMIT 1 FOR UPDATE')
      const { child, exited } = notes.begin(args)
      await eventually(async () => {
        const rows = await place.rows(
          "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query ~ '^(UPDATE|DELETE)'",
        )
        expect(rows).toHaveLength(1)
      })
      child.kill('SIGKILL')
      await exited
      await other.query('ROLLBACK')
    } finally {
      await other.end()
    }
    expect(await readState(place)).toEqual(UNTOUCHED)
  })
})
