import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { TestService } from 'daybook/testing'
import { INES } from '../../support/people.ts'

const CLI = fileURLToPath(new URL('../../../../daybook/src/cli/bin.ts', import.meta.url))
const CONFIG = fileURLToPath(new URL('accounts.config.ts', import.meta.url))

/** Makes Inés an administrator, as the guide says. */
export async function makeAdministrator({ data }: TestService): Promise<void> {
  const { name, email, password } = INES
  const user = ['user', 'create', email, '--name', name, '--role', 'admin', '--password-stdin']
  const run = spawn(process.execPath, [CLI, ...user, '--config', CONFIG, '--data', data], {
    stdio: ['pipe', 'inherit', 'inherit'],
  })
  run.stdin?.end(password)
  const [code] = await once(run, 'exit')
  if (code !== 0) throw new Error(`daybook user create ended with ${code}`)
}
