import { ANONYMOUS, createService, defineCollection, defineConfig, f } from 'daybook'
import { Client } from 'pg'
import { describe, expect, test } from 'vitest'
import { PostgresDatabase } from '../support/postgres/postgres-database.ts'
import { slowMachinePostgres } from '../support/postgres/slow-machine-postgres.ts'
import { eventually } from '../support/timeouts.ts'

const MANY = 10_000

/** Builds a config of notes. @param rank whether `rank` has an index */
function configFor(url: string, rank: boolean, unique = false) {
  const fields = { title: f.text({ unique }), rank: f.integer({ index: rank }) }
  return defineConfig({ collections: { notes: defineCollection({ fields }) }, database: slowMachinePostgres(url) })
}

/** Inserts many notes past the service. */
async function addMany(database: PostgresDatabase, title: string): Promise<void> {
  await database.rows(`INSERT INTO notes (id, created_at, updated_at, seq, schema_hash, doc)
    SELECT 'id' || n, '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z', 1, schema_hash, jsonb_build_object('title', ${title}, 'rank', n)::text
    FROM generate_series(1, ${MANY}) AS n, (SELECT schema_hash FROM notes LIMIT 1) AS own`)
  await database.rows(`UPDATE daybook$collections SET counts = '{"":${MANY + 1}}' WHERE key = 'notes'`)
}

const indexOf = (database: PostgresDatabase, name: string): Promise<readonly { valid: boolean }[]> =>
  database.rows<{ valid: boolean }>(
    'SELECT indisvalid AS valid FROM pg_index JOIN pg_class ON oid = indexrelid WHERE relname = $1',
    name,
  )

describe('an index on many entries', () => {
  test('is created while other nodes write', async () => {
    await using database = await PostgresDatabase.make()
    const before = await createService(configFor(database.url, false))
    await before.content.create('notes', { title: 'first', rank: 0 })
    await addMany(database, "'t' || n")
    // A write is open: an index that locks out writers would wait for it, and all other writers for the index.
    const writer = new Client({ connectionString: database.url })
    await writer.connect()
    await writer.query('BEGIN')
    await writer.query("UPDATE notes SET updated_at = updated_at WHERE id = 'id1'")
    const starting = createService(configFor(database.url, true))
    await eventually(async () => expect(await indexOf(database, 'notes$by$rank')).toEqual([{ valid: false }]))
    await before.content.create('notes', { title: 'meanwhile', rank: 7 })
    await writer.query('COMMIT')
    await writer.end()
    const after = await starting
    expect(await indexOf(database, 'notes$by$rank')).toEqual([{ valid: true }])
    const { items } = await after.content.as(ANONYMOUS).list('notes', { where: { rank: { eq: 7 } }, sort: 'title' })
    expect(items.map(({ title }) => title)).toEqual(['meanwhile', 't7'])
    await Promise.all([before.close(), after.close()])
  })

  test('that cannot be created is named, and created once the entries allow it', async () => {
    await using database = await PostgresDatabase.make()
    const before = await createService(configFor(database.url, false))
    await before.content.create('notes', { title: 'first' })
    await before.close()
    await addMany(database, "'same'")
    await expect(createService(configFor(database.url, false, true))).rejects.toThrow(/notes\.title is unique/)
    await database.rows("UPDATE notes SET doc = replace(doc, 'same', id)")
    const after = await createService(configFor(database.url, false, true))
    expect(await indexOf(database, 'notes$unique$title')).toEqual([{ valid: true }])
    await after.close()
  })

  test('is created once if ten nodes start at the same time', async () => {
    await using database = await PostgresDatabase.make()
    const before = await createService(configFor(database.url, false))
    await before.content.create('notes', { title: 'first' })
    await addMany(database, "'t' || n")
    const nodes = await Promise.all(Array.from({ length: 10 }, () => createService(configFor(database.url, true))))
    expect(await indexOf(database, 'notes$by$rank')).toEqual([{ valid: true }])
    await Promise.all([before, ...nodes].map((service) => service.close()))
  })
})
