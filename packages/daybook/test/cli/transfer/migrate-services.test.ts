import { readdir } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { createService, f } from 'daybook'
import { describe, expect, test } from 'vitest'
import { PostgresDatabase } from '../../support/postgres/postgres-database.ts'
import { slowMachinePostgres } from '../../support/postgres/slow-machine-postgres.ts'
import { eventually } from '../../support/timeouts.ts'
import { daybook, folderOf, start } from '../cli.ts'

const POSTGRES = join(import.meta.dirname, '../../../src/store/postgres/index.ts')

/** Returns a config whose notes have these fields, in the database of a URL or in the data folder. */
const config = (field: string, url?: string, options = '{}'): string => `import { defineConfig, f } from 'DAYBOOK'
import { postgres } from '${POSTGRES}'
export default defineConfig({
  ${url === undefined ? '' : `database: postgres('${url}', ${options}),`}
  collections: { notes: { fields: { ${field} } } },
  seed: async (content) => { await content.create('notes', { headline: 'One' }) },
})
`
const BEFORE = 'headline: f.text()'
const RENAMED = "title: f.text({ renamedFrom: 'headline' })"
/** Stored documents keep their keys. */
const FILLED = "title: f.text({ required: true, renamedFrom: 'headline' }), mood: f.text({ fill: 'calm' })"

const ENGINES = [
  { name: 'sqlite', open: async () => ({ url: undefined, [Symbol.asyncDispose]: async () => {} }) },
  { name: 'postgres', open: () => PostgresDatabase.make() },
]

describe.each(ENGINES)('daybook migrate beside services on $name', ({ open }) => {
  test('names those with another config, except ended ones', async () => {
    await using place = await open()
    await using folder = await folderOf({
      'daybook.config.ts': config(BEFORE, place.url),
      'renamed.config.ts': config(RENAMED, place.url),
      'filled.config.ts': config(FILLED, place.url),
    })
    const migrate = (name: string, ...args: readonly string[]) =>
      daybook(folder.path, 'migrate', '--config', `${name}.config.ts`, ...args)
    const services = [await start(folder.path), await start(folder.path)]
    const names = services.map(({ pid }) => `${hostname()}/${pid}`)
    for (const args of [[], ['--dry-run'], ['--apply']]) {
      const { status, stdout, stderr } = await migrate('renamed', ...args)
      expect([status, stdout]).toEqual([0, expect.stringContaining('notes.title gets the values of headline (1)')])
      expect(stderr).toMatch(
        /^These processes serve the store with another config: \S+, \S+\. Stop them before you apply/,
      )
      for (const name of names) expect(stderr).toContain(name)
    }
    for (const { stop } of services) await stop()
    expect(await migrate('filled'), 'services that were stopped').toMatchObject({ status: 0, stderr: '' })

    const killed = await start(folder.path, '--config', 'renamed.config.ts')
    expect((await migrate('filled')).stderr).toContain(`: ${hostname()}/${killed.pid}. `)
    await killed.stop('SIGKILL')
    // PostgreSQL soon notices that the client has disconnected.
    await eventually(async () => expect(await migrate('filled')).toMatchObject({ status: 0, stderr: '' }))

    const current = await start(folder.path, '--config', 'filled.config.ts')
    expect(await migrate('filled', '--apply'), 'a service of the same config').toMatchObject({ status: 0, stderr: '' })
    await current.stop()
  })
})

test('the file of a killed service is removed when another one starts', async () => {
  await using folder = await folderOf({ 'daybook.config.ts': config(BEFORE) })
  const files = async () => (await readdir(join(folder.path, '.daybook'))).filter((name) => name.startsWith('service-'))
  await (await start(folder.path)).stop('SIGKILL')
  expect(await files()).toHaveLength(1)
  const service = await start(folder.path)
  expect(await files()).toEqual([expect.stringMatching(new RegExp(`%2F${service.pid}$`))])
  await service.stop()
  expect(await files()).toEqual([])
})

describe('on PostgreSQL', () => {
  const notes = { collections: { notes: { fields: { title: f.text() } } } }

  test('a service in another schema is not named', async () => {
    await using database = await PostgresDatabase.make()
    await database.rows('CREATE SCHEMA other')
    const other = `${database.url}?options=${encodeURIComponent('-c search_path=other')}`
    const service = await createService({ ...notes, database: slowMachinePostgres(other) })
    await using folder = await folderOf({ 'daybook.config.ts': config(BEFORE, database.url) })
    await (await start(folder.path)).stop()
    await folder.write({ 'daybook.config.ts': config(RENAMED, database.url) })
    expect(await daybook(folder.path, 'migrate')).toMatchObject({ status: 0, stderr: '' })
    await service.close()
  })

  test('a service is named again after its session was ended', async () => {
    await using database = await PostgresDatabase.make()
    await using folder = await folderOf({ 'daybook.config.ts': config(BEFORE, database.url) })
    const service = await start(folder.path)
    await database.rows(
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
    )
    await folder.write({ 'daybook.config.ts': config(RENAMED, database.url) })
    const name = `${hostname()}/${service.pid}`
    await eventually(async () => expect((await daybook(folder.path, 'migrate')).stderr).toContain(name))
    await service.stop()
  })

  test('behind a pooler, the command warns that it sees no services', async () => {
    await using database = await PostgresDatabase.make()
    const options = "{ pooler: 'transaction' }"
    await using folder = await folderOf({ 'daybook.config.ts': config(BEFORE, database.url, options) })
    await (await start(folder.path)).stop()
    await folder.write({ 'daybook.config.ts': config(RENAMED, database.url, options) })
    const { status, stderr } = await daybook(folder.path, 'migrate')
    expect([status, stderr]).toEqual([
      0,
      expect.stringContaining('A pooler hides the processes that serve this store.'),
    ])
  })
})
