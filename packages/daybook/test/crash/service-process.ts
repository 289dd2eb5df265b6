import { type ChildProcess, spawn } from 'node:child_process'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'

export const TOKEN = 'token-of-the-crash-test-0123456789abcdef'

const ROOT = resolve(import.meta.dirname, '../../../..')

export interface ServiceProcess {
  readonly url: string
  readonly child: ChildProcess
}

/**
 * Starts the example blog on a data folder.
 *
 * @param env further variables, such as DATABASE_URL
 */
export async function startService(data: string, env: NodeJS.ProcessEnv = {}): Promise<ServiceProcess> {
  const bin = join(ROOT, 'packages/daybook/src/cli/bin.ts')
  const config = join(ROOT, 'examples/blog/daybook.config.ts')
  const args = [bin, 'start', '--config', config, '--data', data, '--port', '0', '--log', 'error']
  const child = spawn(process.execPath, args, {
    env: { ...process.env, ...env, DAYBOOK_SERVICE_TOKEN: TOKEN },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  for await (const line of createInterface({ input: child.stdout })) {
    const url = /^listening on (\S+)$/.exec(line)?.[1]
    if (url) return { url, child }
  }
  throw new Error('The service ended before it listened.')
}
