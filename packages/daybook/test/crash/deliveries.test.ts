import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { PostgresDatabase } from '../support/postgres/postgres-database.ts'
import { LARGE_TEST_MS } from '../support/timeouts.ts'

const SCRIPT = join(import.meta.dirname, 'deliveries.ts')

const kill = (env: NodeJS.ProcessEnv): Promise<{ readonly stdout: string }> =>
  promisify(execFile)(process.execPath, [SCRIPT, '--cycles', '4'], { env: { ...process.env, ...env } })

describe('a service that is killed between commits and deliveries', { timeout: LARGE_TEST_MS }, () => {
  const nothingLost = /^4 kills, \d+ changes, \d+ deliveries, 0 faults\n$/

  test('delivers exactly the stored changes to every webhook and hook, on sqlite', async () => {
    expect((await kill({ DATABASE_URL: '' })).stdout).toMatch(nothingLost)
  })

  test('delivers exactly the stored changes to every webhook and hook, on postgres', async () => {
    await using database = await PostgresDatabase.make()
    expect((await kill({ DATABASE_URL: database.url })).stdout).toMatch(nothingLost)
  })
})
