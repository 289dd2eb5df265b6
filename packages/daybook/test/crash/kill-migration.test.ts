import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { f } from 'daybook'
import { describe, expect, it } from 'vitest'
import { folderOf } from '../cli/cli.ts'
import { SLOW_MACHINE_DATABASE } from '../support/postgres/slow-machine-postgres.ts'
import type { Place } from '../support/stores/place.ts'
import { STORES } from '../support/stores/stores.ts'
import { LARGE_TEST_MS } from '../support/timeouts.ts'

const KILLS = 20
const NOTES = 1200
/** The longest time before a process is killed, in milliseconds: enough to wait for the lease, fill, and run migrations. */
const LIFE_MS = 800
const SCRIPT = join(import.meta.dirname, 'migrating-process.ts')
const POSTGRES = join(import.meta.dirname, '../../src/store/postgres/index.ts')
const BEFORE = { collections: { notes: { fields: { name: f.text() } } } }

async function addNotes(place: Place): Promise<void> {
  const operations = Array.from({ length: NOTES / 4 }, () => ({
    op: 'create',
    collection: 'notes',
    data: { name: 'a' },
  }))
  await place.serve(BEFORE, async ({ content }) => {
    for (let stored = 0; stored < NOTES; stored += operations.length) await content.batch(operations as never)
  })
}

/** The config of the migrating process, which renames a field and makes another one required. */
const configFor = (address: string): string => `import { defineConfig, f } from 'DAYBOOK'
import { postgres } from '${POSTGRES}'
export default defineConfig({
  ${address.startsWith('postgres') ? `database: postgres('${address}', ${JSON.stringify(SLOW_MACHINE_DATABASE)}),` : ''}
  collections: {
    notes: {
      fields: {
        title: f.text({ renamedFrom: 'name' }),
        trail: f.list(f.text(), { required: true, fill: ({ title }) => [title + ' filled'] }),
      },
    },
  },
})
`

const migrationName = (number: number): string => `trail-${String(number).padStart(3, '0')}`

/** A migration that appends its name to every note. */
const migrationText = (name: string): string => `import { defineMigration } from 'DAYBOOK'
export default defineMigration({
  async run({ content }) {
    await content.each('notes', {}, ({ trail }) => ({ trail: [...(trail as string[]), '${name}'] }))
  },
})
`

/** Migrates until the process is killed or done. Returns true if it is done. */
async function migrate(args: readonly string[], lifeMs = Number.POSITIVE_INFINITY): Promise<boolean> {
  const child = spawn(process.execPath, [SCRIPT, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(child, 'exit')
  if (lifeMs < Number.POSITIVE_INFINITY) {
    await Promise.race([once(child.stdout, 'data'), ended])
    await Promise.race([sleep(lifeMs), ended])
    child.kill('SIGKILL')
  }
  child.stdout.resume()
  const [status, signal] = await ended
  expect([0, 'SIGKILL'], 'the process is killed or succeeds').toContain(signal ?? status)
  return status === 0
}

async function listActorsByNote(place: Place): Promise<readonly (readonly string[])[]> {
  const records = await place.rows<{ id: string; actor: string }>(
    "SELECT id, actor FROM daybook$journal WHERE collection = 'notes' ORDER BY seq",
  )
  return [...Map.groupBy(records, ({ id }) => id).values()].map((changes) => changes.map(({ actor }) => actor))
}

describe.each(STORES)('on $name', (store) => {
  it(`a migration that is killed ${KILLS} times changes each entry once, in order`, {
    timeout: LARGE_TEST_MS,
  }, async () => {
    await using place = await store.at()
    await addNotes(place)
    await using folder = await folderOf({ 'daybook.config.ts': configFor(place.address) })
    const target = [join(folder.path, 'daybook.config.ts'), place.address]
    const names: string[] = []
    const addMigration = async (): Promise<void> => {
      const name = migrationName(names.length)
      await folder.write({ [`migrations/${name}.ts`]: migrationText(name) })
      names.push(name)
    }
    await addMigration()
    await addMigration()
    for (let kills = 0; kills < KILLS; ) {
      if (await migrate(target, Math.random() * LIFE_MS)) await addMigration()
      else kills += 1
    }
    expect(await migrate(target)).toBe(true)
    const stored = await place.rows<{ doc: string }>('SELECT doc FROM notes')
    const trails = stored.map(({ doc }) => JSON.parse(doc).trail as readonly string[])
    expect(trails).toEqual(Array.from({ length: NOTES }, () => ['a filled', ...names]))
    const actors = ['system', 'migrate', ...names.map((name) => `migration:${name}`)]
    expect(await listActorsByNote(place)).toEqual(Array.from({ length: NOTES }, () => actors))
    const finished = await place.rows<{ name: string; finished: string | null }>(
      'SELECT name, finished FROM daybook$migrations ORDER BY name',
    )
    expect(finished).toEqual(names.map((name) => ({ name, finished: expect.any(String) })))
  })
})
