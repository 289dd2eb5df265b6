import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { f } from 'daybook'
import { describe, expect, it } from 'vitest'
import { folderOf } from '../cli/cli.ts'
import { LARGE_TEST_MS } from '../support/patience.ts'
import { AS_SYSTEM, type Place } from '../support/stores/place.ts'
import { STORES } from '../support/stores/stores.ts'

const KILLS = 20
const NOTES = 2000
const SCRIPT = join(import.meta.dirname, 'migrating-process.ts')
const POSTGRES = join(import.meta.dirname, '../../src/store/postgres/index.ts')
const CONFIG = { collections: { notes: { fields: { count: f.integer() } } } }

async function addNotes(place: Place): Promise<void> {
  const operations = Array.from({ length: 500 }, () => ({ op: 'create', collection: 'notes', data: { count: 0 } }))
  await place.serve(CONFIG, async ({ content }) => {
    for (let stored = 0; stored < NOTES; stored += operations.length)
      await content.batch(operations as never, AS_SYSTEM)
  })
}

/** The config as a process reads it that works on the place. */
const configFor = (address: string): string => `import { defineConfig, f } from 'DAYBOOK'
import { postgres } from '${POSTGRES}'
export default defineConfig({
  ${address.startsWith('postgres') ? `database: postgres('${address}'),` : ''}
  collections: { notes: { fields: { count: f.integer() } } },
})
`

/** Runs so many migrations; `true`: to their end, `false`: it was killed. */
async function migrate(args: readonly string[], kill: boolean): Promise<boolean> {
  const child = spawn(process.execPath, [SCRIPT, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(child, 'exit')
  if (kill) {
    await Promise.race([once(child.stdout, 'data'), ended])
    await sleep(Math.random() * 150)
    child.kill('SIGKILL')
  } else {
    child.stdout.resume()
  }
  const [status] = await ended
  return status === 0
}

describe.each(STORES)('on $name', (store) => {
  it(`a migration that is killed ${KILLS} times changes each entry once`, { timeout: LARGE_TEST_MS }, async () => {
    await using place = await store.at()
    await addNotes(place)
    await using folder = await folderOf({ 'daybook.config.ts': configFor(place.address) })
    const target = [join(folder.path, 'daybook.config.ts'), place.address]
    let [migrations, kills] = [1, 0]
    while (kills < KILLS) {
      if (await migrate([...target, String(migrations)], true)) migrations += 1
      else kills += 1
    }
    expect(await migrate([...target, String(migrations)], false)).toBe(true)
    const counts = await place.rows<{ doc: string }>('SELECT doc FROM notes')
    expect(counts).toHaveLength(NOTES)
    expect(new Set(counts.map(({ doc }) => JSON.parse(doc).count))).toEqual(new Set([migrations]))
    const [journal] = await place.rows<{ n: number | string }>(
      "SELECT count(*) AS n FROM daybook$journal WHERE action = 'update'",
    )
    expect(Number(journal?.n)).toBe(NOTES * migrations)
    const states = await place.rows<{ name: string; finished: string | null }>(
      'SELECT name, finished FROM daybook$migrations',
    )
    expect(states).toHaveLength(migrations)
    expect(states.every(({ finished }) => finished !== null)).toBe(true)
  })
})
