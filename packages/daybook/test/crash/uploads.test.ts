import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { PostgresDatabase } from '../support/postgres/postgres-database.ts'
import { LARGE_TEST_MS } from '../support/timeouts.ts'

const SCRIPT = join(import.meta.dirname, 'uploads.ts')

const kill = (env: NodeJS.ProcessEnv): Promise<{ readonly stdout: string }> =>
  promisify(execFile)(process.execPath, [SCRIPT, '--cycles', '3'], { env: { ...process.env, ...env } })

describe('a service that is killed under uploads and deletions', { timeout: LARGE_TEST_MS }, () => {
  test('has exactly one file for each asset after its next start, on sqlite', async () => {
    const { stdout } = await kill({ DATABASE_URL: '' })
    expect(stdout).toMatch(/^3 kills, \d+ acknowledged uploads, 0 faults\n$/)
  })

  test('has exactly one file for each asset after its next start, on postgres', async () => {
    await using database = await PostgresDatabase.make()
    const { stdout } = await kill({ DATABASE_URL: database.url })
    expect(stdout).toMatch(/^3 kills, \d+ acknowledged uploads, 0 faults\n$/)
  })
})
