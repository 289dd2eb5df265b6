import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'
import { AS_TERMINAL, DAYBOOK } from '../../support/built/command.ts'
import { freePort } from '../../support/network/free-port.ts'
import { eventually, SLOW_MACHINE_LIMITS } from '../../support/timeouts.ts'
import { daybook, folderOf } from '../cli.ts'

const notes = (options = ''): string => `import { defineConfig, f } from 'DAYBOOK'
export default defineConfig({ ${options} limits: ${JSON.stringify(SLOW_MACHINE_LIMITS)}, collections: { notes: { fields: { title: f.text({ required: true }), done: f.boolean() } } } })
`

const BETTER_AUTH = join(import.meta.dirname, '../../../src/auth/accounts/index.ts')

/** A config with accounts in the database. */
const STORED = `import { betterAuth } from '${BETTER_AUTH}'
${notes("auth: betterAuth({ registration: 'closed' }), plugins: [definePlugin({ name: 'studio', version: '1.0.0', startPage: '/desk' })],").replace('{ defineConfig', '{ defineConfig, definePlugin')}`

interface Started {
  readonly output: string
  /** Stops it; returns its output and its log. */
  stop(): Promise<{ readonly output: string; readonly log: string }>
}

async function startService(
  cwd: string,
  { command = 'start', env = {}, args = [], node = [AS_TERMINAL], end = '\n\n' }: StartOptions = {},
): Promise<Started> {
  const child = spawn(
    process.execPath,
    [...node, ...DAYBOOK, command, ...(args.includes('--port') ? [] : ['--port', '0']), ...args],
    {
      cwd,
      env: { ...process.env, DAYBOOK_SERVICE_TOKEN: undefined, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
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
  /** @default 'start' */
  readonly command?: 'start' | 'dev'
  readonly env?: NodeJS.ProcessEnv
  readonly args?: readonly string[]
  readonly node?: readonly string[]
  /** The end of its first output. */
  readonly end?: string
}

const urlIn = (output: string): string => /^listening on (\S+)$/m.exec(output)?.[1] ?? ''

/** Returns the secret in the link that a greeting contains, or undefined. */
const setupIn = (output: string): string | undefined => /#setup=([\w-]{43})$/m.exec(output)?.[1]

async function runShell(command: string): Promise<string> {
  const child = spawn('bash', ['-c', command], { stdio: ['ignore', 'pipe', 'ignore'] })
  return text(child.stdout)
}

const ROOT = { name: 'Root', email: 'root@example.org', password: 'a long one of mine' }

const setUp = (url: string, setup: string | undefined): Promise<Response> =>
  fetch(`${url}/api/cms/auth/actions/setup`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...ROOT, setup }),
  })

describe('daybook start in a terminal', () => {
  test('prints its URLs, a first request, and what to change before others use it', async () => {
    await using folder = await folderOf({ 'daybook.config.ts': notes() })
    const service = await startService(folder.path)
    const url = urlIn(service.output)
    await service.stop()
    expect(service.output).toBe(`listening on ${url}

  API        ${url}/api/notes
  Docs page  ${url}/docs

Read from a second terminal:
  curl "${url}/api/notes?limit=1"

Before other people use it:
  - Accounts are kept in memory: a restart deletes them, and each process has its own. Anyone may register, and write. To close registration, add to the config: auth: { registration: 'closed' }
  - Content is in the folder .daybook of this machine (SQLite): back it up.

`)
  })

  test('prints a command that works unchanged, for the first collection that anyone may read', async () => {
    const config = `import { defineCollection, defineConfig, f, isAuthenticated } from 'DAYBOOK'
export default defineConfig({ limits: ${JSON.stringify(SLOW_MACHINE_LIMITS)}, collections: {
  letters: defineCollection({ fields: { title: f.text() }, access: { read: isAuthenticated } }),
  notes: defineCollection({ fields: { title: f.text() } }),
} })
`
    await using folder = await folderOf({ 'daybook.config.ts': config })
    const service = await startService(folder.path)
    const command = /^ {2}(curl .+)$/m.exec(service.output)?.[1] ?? ''
    const read = await runShell(command)
    await service.stop()
    expect(JSON.parse(read)).toMatchObject({ collection: 'notes', total: 0, items: [] })
  })

  test('prints where the Studio is', async () => {
    const plugins = "plugins: [definePlugin({ name: 'studio', version: '1.0.0', startPage: '/desk' })],"
    const config = notes(plugins).replace('{ defineConfig', '{ defineConfig, definePlugin')
    await using folder = await folderOf({ 'daybook.config.ts': config })
    const service = await startService(folder.path)
    await service.stop()
    expect(service.output).toContain(`\n  Studio     ${urlIn(service.output)}/desk\n`)
  })

  test('omits what does not apply', async () => {
    const config = `import { defineCollection, defineConfig, f, isAuthenticated } from 'DAYBOOK'
const letters = defineCollection({ fields: { title: f.text() }, access: { read: isAuthenticated } })
const auth = {
  getCapabilities: () => ({ provider: 'intranet', providerRoutes: { enabled: false } }),
  getPrincipal: async () => null,
  getIdentity: async () => null,
}
export default defineConfig({ auth, docs: false, collections: { letters } })
`
    await using folder = await folderOf({ 'daybook.config.ts': config })
    const service = await startService(folder.path, { args: ['--data', 'content'] })
    await service.stop()
    expect(service.output).toBe(`listening on ${urlIn(service.output)}

  API        ${urlIn(service.output)}/api/letters

Before other people use it:
  - Content is in the folder content of this machine (SQLite): back it up.

`)
  })

  test('warns if other machines can reach it', async () => {
    await using folder = await folderOf({ 'daybook.config.ts': notes('auth: { anyoneMayWrite: true },') })
    const service = await startService(folder.path, { args: ['--host', '0.0.0.0'] })
    await service.stop()
    expect(service.output).toMatch(/^ {2}Docs page {2}http:\/\/localhost:\d+\/docs$/m)
    expect(service.output).toContain('put a proxy with TLS in front of it')
  })

  test('writes a readable log, without the files of the docs page', async () => {
    await using folder = await folderOf({ 'daybook.config.ts': notes() })
    const service = await startService(folder.path)
    const page = await (await fetch(`${urlIn(service.output)}/docs`)).text()
    const [script] = /[^"]+start\.js/.exec(page) ?? []
    expect((await fetch(urlIn(service.output) + script)).status).toBe(200)
    expect((await fetch(`${urlIn(service.output)}/missing.js`)).status).toBe(404)
    await fetch(`${urlIn(service.output)}/api/notes`)
    const { log } = await service.stop()
    expect(log.replaceAll(/^\d\d:\d\d:\d\d |[\d.]+ ms$/gm, '')).toMatch(
      /^info {2}GET \/docs 200 \ninfo {2}GET \/missing\.js 404 \ninfo {2}GET \/api\/notes 200 \ninfo {2}draining/,
    )
  })
})

describe('the link that daybook start prints', () => {
  test('creates the first administrator, once; then there is no link any more', async () => {
    await using folder = await folderOf({ 'daybook.config.ts': STORED })
    const first = await startService(folder.path)
    const url = urlIn(first.output)
    const setup = setupIn(first.output)
    expect(first.output).toContain(`
Create the first account, an administrator. The link works once:
  ${url}/desk#setup=${setup}
`)
    const response = await setUp(url, setup)
    expect(response.status).toBe(201)
    expect(await response.json()).toMatchObject({ principal: { email: ROOT.email }, identity: { roles: ['admin'] } })
    expect((await setUp(url, setup)).status).toBe(403)
    const { log } = await first.stop()
    expect(log).not.toContain(setup)
    const second = await startService(folder.path)
    await second.stop()
    expect(second.output).not.toContain('first account')
  })

  test('is replaced by the next start, and missing if there is an account', async () => {
    await using folder = await folderOf({ 'daybook.config.ts': STORED })
    const first = await startService(folder.path)
    await first.stop()
    const second = await startService(folder.path)
    expect((await setUp(urlIn(second.output), setupIn(first.output))).status).toBe(403)
    await second.stop()
    expect(await daybook(folder.path, 'user', 'create', 'root@example.org')).toMatchObject({ status: 0 })
    const third = await startService(folder.path)
    await third.stop()
    expect(third.output).not.toContain('first account')
  })

  test('is not printed without a terminal', async () => {
    await using folder = await folderOf({ 'daybook.config.ts': STORED })
    const service = await startService(folder.path, { node: [], end: '\n' })
    const { output, log } = await service.stop()
    expect(output + log).not.toContain('#setup=')
  })

  test('is a command without the Studio', async () => {
    const config = STORED.replace(/ plugins: .*\],/, '')
    await using folder = await folderOf({ 'daybook.config.ts': config })
    const service = await startService(folder.path)
    await service.stop()
    expect(service.output).toContain(
      '\nCreate the first account:\n  npx daybook user create you@example.com --role admin\n',
    )
  })
})

test('daybook dev prints the addresses and the link once, and keeps the link through restarts', async () => {
  await using folder = await folderOf({ 'daybook.config.ts': STORED })
  const service = await startService(folder.path, { command: 'dev', args: ['--port', String(await freePort())] })
  const setup = setupIn(service.output)
  const count = (text: string): number => service.output.split(text).length - 1
  await appendFile(join(folder.path, 'daybook.config.ts'), '// Changed.\n')
  await eventually(() => expect(count('listening on ')).toBe(2))
  expect((await setUp(urlIn(service.output), setup)).status).toBe(201)
  await service.stop()
  expect(count('#setup=')).toBe(1)
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
