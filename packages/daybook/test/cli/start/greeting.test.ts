import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'
import { DAYBOOK } from '../../support/built/command.ts'
import { eventually } from '../../support/patience.ts'
import { folderOf } from '../cli.ts'

const TOKEN = 'token-of-the-greeted-service-0123456789'

/** Lets a process take its pipes for a terminal. */
const TERMINAL = '--import=data:text/javascript,process.stdout.isTTY=process.stderr.isTTY=true'

const notes = (options = ''): string => `import { defineConfig, f } from 'DAYBOOK'
export default defineConfig({ ${options} collections: { notes: { fields: { title: f.text({ required: true }), done: f.boolean() } } } })
`

/** A service that was started by somebody. */
interface Started {
  /** What it has said so far. */
  readonly said: string
  /** Ends it; answers what it said, and its log. */
  stop(): Promise<{ readonly said: string; readonly log: string }>
}

/** Starts a service, and waits for the end of what it says at first. */
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
  let said = ''
  child.stdout.on('data', (chunk) => {
    said += chunk
  })
  await eventually(() => expect(said.endsWith(end)).toBe(true))
  return {
    get said() {
      return said
    },
    async stop() {
      child.kill('SIGTERM')
      await closed
      return { said, log: await log }
    },
  }
}

interface StartOptions {
  readonly env?: NodeJS.ProcessEnv
  readonly args?: readonly string[]
  readonly node?: readonly string[]
  /** How what it says at first ends. */
  readonly end?: string
}

const urlIn = (said: string): string => /^listening on (\S+)$/m.exec(said)?.[1] ?? ''

/** The commands that a greeting shows for a first write. */
const commandsIn = (said: string): string => /^Write from a second terminal:\n((?: {2}.*\n)+)/m.exec(said)?.[1] ?? ''

async function runShell(command: string, cwd: string): Promise<string> {
  const child = spawn('bash', ['-c', command], { cwd, stdio: ['ignore', 'pipe', 'ignore'] })
  return text(child.stdout)
}

describe('daybook start in a terminal', () => {
  test('says where it is, how to write, and what to change before others use it', async () => {
    await using folder = await folderOf({ 'daybook.config.ts': notes() })
    const service = await startService(folder.path)
    const url = urlIn(service.said)
    await service.stop()
    expect(service.said).toBe(`listening on ${url}

  API        ${url}/api/notes
  Docs page  ${url}/docs

Writing takes a token. Make one, and start the service again:
  echo "DAYBOOK_SERVICE_TOKEN=$(openssl rand -hex 32)" >> ./.env

Write from a second terminal:
  . ./.env
  curl -X POST ${url}/api/notes \\
    -H "Authorization: Bearer $DAYBOOK_SERVICE_TOKEN" -H "Content-Type: application/json" \\
    -d '{"title":"Title"}'

Before other people use it:
  - Accounts live in memory: a restart forgets them, and each process has its own. Anyone may register, and write. To close registration, add to the config: auth: { registration: 'closed' }
  - Content is in the folder .daybook of this machine (SQLite): back it up.

`)
  })

  test('shows commands that write as they stand', async () => {
    await using folder = await folderOf({ 'daybook.config.ts': notes(), '.env': `DAYBOOK_SERVICE_TOKEN=${TOKEN}\n` })
    const service = await startService(folder.path)
    const stored = await runShell(commandsIn(service.said), folder.path)
    await service.stop()
    expect(service.said).not.toContain('Writing takes a token')
    expect(JSON.parse(stored)).toMatchObject({ title: 'Title', done: null })
  })

  test('says no more than what is so', async () => {
    const config = notes("auth: { registration: 'closed' }, docs: false,")
    await using folder = await folderOf({ 'daybook.config.ts': config })
    const service = await startService(folder.path, {
      env: { DAYBOOK_SERVICE_TOKEN: TOKEN },
      args: ['--data', 'content'],
    })
    await service.stop()
    expect(service.said).not.toMatch(/Docs page|Accounts|\.env|TLS/)
    expect(service.said).toContain('Content is in the folder content of this machine')
  })

  test('warns of other machines where it listens for them', async () => {
    await using folder = await folderOf({ 'daybook.config.ts': notes('auth: { anyoneMayWrite: true },') })
    const service = await startService(folder.path, { args: ['--host', '0.0.0.0'] })
    await service.stop()
    expect(service.said).toMatch(/^ {2}Docs page {2}http:\/\/localhost:\d+\/docs$/m)
    expect(service.said).toContain('put a proxy with TLS in front of it')
  })

  test('writes its log for people, and JSON lines elsewhere', async () => {
    await using folder = await folderOf({ 'daybook.config.ts': notes() })
    const service = await startService(folder.path)
    await fetch(`${urlIn(service.said)}/api/notes`)
    const { log } = await service.stop()
    expect(log).toMatch(/^\d\d:\d\d:\d\d info {2}GET \/api\/notes 200 [\d.]+ ms\n\d\d:\d\d:\d\d info {2}draining/)
  })
})

test('a program that starts a service reads its address alone, and a log of JSON lines', async () => {
  await using folder = await folderOf({ 'daybook.config.ts': notes() })
  const service = await startService(folder.path, { node: [], end: '\n' })
  const { said, log } = await service.stop()
  expect(said).toMatch(/^listening on \S+\n$/)
  const lines = log.trim().split('\n')
  for (const line of lines) expect(JSON.parse(line)).toMatchObject({ level: expect.any(Number) })
  expect(log).toContain('Accounts live in memory')
})
