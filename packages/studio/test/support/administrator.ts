import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { TestService } from 'daybook/testing'
import { DAYBOOK } from '../../../daybook/test/support/built/command.ts'
import { INES } from './people.ts'

/** Makes Inés an administrator with the command that the guide shows. @param config the file of the config */
export async function makeAdministrator({ data }: TestService, config: URL): Promise<void> {
  const { name, email, password } = INES
  const user = ['user', 'create', email, '--name', name, '--role', 'admin', '--password-stdin']
  const run = spawn(process.execPath, [...DAYBOOK, ...user, '--config', fileURLToPath(config), '--data', data], {
    stdio: ['pipe', 'inherit', 'inherit'],
  })
  run.stdin?.end(password)
  const [code] = await once(run, 'exit')
  if (code !== 0) throw new Error(`daybook user create ended with ${code}`)
}
