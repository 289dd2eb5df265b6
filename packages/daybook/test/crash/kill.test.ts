import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

it('a service that is killed under writes loses no acknowledged write', async () => {
  const script = join(import.meta.dirname, 'kill.ts')
  const { stdout } = await promisify(execFile)(process.execPath, [script, '--cycles', '4'])
  expect(stdout).toMatch(/^4 kills, \d{2,} acknowledged writes, 0 lost, 0 faults\n$/)
})
