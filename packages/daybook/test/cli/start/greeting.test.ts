import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'
import { DAYBOOK } from '../../support/built/command.ts'
import { eventually } from '../../support/timeouts.ts'
import { folderOf } from '../cli.ts'

const TOKEN = 'token-of-the-greeted-service-0123456789'

/** Makes a process treat its pipes as a terminal. */
const TERMINAL = '--import=data:text/javascript,process.stdout.isTTY=process.stderr.isTTY=true'

const notes = (options = ''): string => `import { defineConfig, f } from 'DAYBOOK'
export default defineConfig({ ${options} collections: { notes: { fields: { title: f.text({ required: true }), done: f.boolean() } } } })
`

interface Started {
  readonly output: string
  /** Stops it; returns its output and its log. */
  stop(): Promise<{ readonly output: string; readonly log: string }>
}

async function startService(
  cwd: string,
  { env = {}, args = [], node = [TERMINAL], end = '\n\n' }: StartOptions = {},
): Promise<Started> {
  const child = spawn(process.execPath, [...node, ...DAYBOOK, 'start', '--port', '0', ...args], {
    cwd,
    env: { ...process.env, DAYBOOK_SERVICE_TOKEN: undefined, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const closed = once(child, 'close')
  const log = text(child.stderr)
  let output = ''
  child.stdout.on('data', (chunk) => {
    output += chunk
  })
  await eventually(() => expect(output.endsWith(end)).toBe(true))
  return {
    get output() {
      return output
    },
    async stop() {
      child.kill('SIGTERM')
      await closed
      return { output, log: await log }
    },
  }
}

interface StartOptions {
  readonly env?: NodeJS.ProcessEnv
  readonly args?: readonly string[]
  readonly node?: readonly string[]
  /** The end of its first output. */
  readonly end?: string
}

const urlIn = (output: string): string => /^listening on (\S+)$/m.exec(output)?.[1] ?? ''

/** Returns the commands for a first write. */
const commandsIn = (output: string): string =>
  /^Write from a second terminal:\n((?: {2}.*\n)+)/m.exec(output)?.[1] ?? ''

async function runShell(command: string, cwd: string): Promise<string> {
  const child = spawn('bash', ['-c', command], { cwd, stdio: ['ignore', 'pipe', 'ignore'] })
  return text(child.stdout)
}

describe('daybook start in a terminal', () => {
  test('prints its URLs, how to write, and what to change before others use it', async () => {
    await using folder = await folderOf({ 'daybook.config.ts': notes() })
    const service = await startService(folder.path)
    const url = urlIn(service.output)
    await service.stop()
    expect(service.output).toBe(`listening on ${url}

  API        ${url}/api/notes
  Docs page  ${url}/docs

Writing requires a token. Create one, and start the service again:
  echo "DAYBOOK_SERVICE_TOKEN=$(openssl rand -hex 32)" >> ./.env

Write from a second terminal:
  . ./.env
  curl -X POST ${url}/api/notes \\
    -H "Authorization: Bearer $DAYBOOK_SERVICE_TOKEN" -H "Content-Type: application/json" \\
    -d '{"title":"Title"}'

Before other people use it:
  - Accounts are kept in memory: a restart deletes them, and each process has its own. Anyone may register, and write. To close registration, add to the config: auth: { registration: 'closed' }
  - Content is in the folder .daybook of this machine (SQLite): back it up.

`)
  })

  test('prints commands that work unchanged', async () => {
    await using folder = await folderOf({ 'daybook.config.ts': notes(), '.env': `DAYBOOK_SERVICE_TOKEN=${TOKEN}\n` })
    const service = await startService(folder.path)
    const stored = await runShell(commandsIn(service.output), folder.path)
    await service.stop()
    expect(service.output).not.toContain('Writing requires a token')
    expect(JSON.parse(stored)).toMatchObject({ title: 'Title', done: null })
  })

  test('omits advice that does not apply', async () => {
    const config = notes("auth: { registration: 'closed' }, docs: false,")
    await using folder = await folderOf({ 'daybook.config.ts': config })
    const service = await startService(folder.path, {
      env: { DAYBOOK_SERVICE_TOKEN: TOKEN },
      args: ['--data', 'content'],
    })
    await service.stop()
    expect(service.output).not.toMatch(/Docs page|Accounts|\.env|TLS/)
    expect(service.output).toContain('Content is in the folder content of this machine')
  })

  test('warns if other machines can reach it', async () => {
    await using folder = await folderOf({ 'daybook.config.ts': notes('auth: { anyoneMayWrite: true },') })
    const service = await startService(folder.path, { args: ['--host', '0.0.0.0'] })
    await service.stop()
    expect(service.output).toMatch(/^ {2}Docs page {2}http:\/\/localhost:\d+\/docs$/m)
    expect(service.output).toContain('put a proxy with TLS in front of it')
  })

  test('writes a readable log', async () => {
    await using folder = await folderOf({ 'daybook.config.ts': notes() })
    const service = await startService(folder.path)
    await fetch(`${urlIn(service.output)}/api/notes`)
    const { log } = await service.stop()
    expect(log).toMatch(/^\d\d:\d\d:\d\d info {2}GET \/api\/notes 200 [\d.]+ ms\n\d\d:\d\d:\d\d info {2}draining/)
  })
})

test('a program that starts a service gets its URL only, and a log of JSON lines', async () => {
  await using folder = await folderOf({ 'daybook.config.ts': notes() })
  const service = await startService(folder.path, { node: [], end: '\n' })
  const { output, log } = await service.stop()
  expect(output).toMatch(/^listening on \S+\n$/)
  const lines = log.trim().split('\n')
  for (const line of lines) expect(JSON.parse(line)).toMatchObject({ level: expect.any(Number) })
  expect(log).toContain('Accounts are kept in memory')
})
