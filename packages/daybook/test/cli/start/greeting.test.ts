import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'
import { AS_TERMINAL, DAYBOOK } from '../../support/built/command.ts'
import { eventually, SLOW_MACHINE_LIMITS } from '../../support/timeouts.ts'
import { daybook, folderOf } from '../cli.ts'

const notes = (options = ''): string => `import { defineConfig, f } from 'DAYBOOK'
export default defineConfig({ ${options} limits: ${JSON.stringify(SLOW_MACHINE_LIMITS)}, collections: { notes: { fields: { title: f.text({ required: true }), done: f.boolean() } } } })
`

const BETTER_AUTH = join(import.meta.dirname, '../../../src/auth/accounts/index.ts')

/** A config with accounts in the database. */
const STORED = `import { betterAuth } from '${BETTER_AUTH}'
${notes("auth: betterAuth({ registration: 'closed' }),")}`

interface Started {
  readonly output: string
  /** Stops it; returns its output and its log. */
  stop(): Promise<{ readonly output: string; readonly log: string }>
}

async function startService(
  cwd: string,
  { command = 'start', env = {}, args = [], node = [AS_TERMINAL], end = '\n\n' }: StartOptions = {},
): Promise<Started> {
  const child = spawn(process.execPath, [...node, ...DAYBOOK, command, '--port', '0', ...args], {
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
  /** @default 'start' */
  readonly command?: 'start' | 'dev'
  readonly env?: NodeJS.ProcessEnv
  readonly args?: readonly string[]
  readonly node?: readonly string[]
  /** The end of its first output. */
  readonly end?: string
}

const urlIn = (output: string): string => /^listening on (\S+)$/m.exec(output)?.[1] ?? ''

/** Returns the account that a greeting contains, or undefined. */
function accountIn(output: string): { readonly email: string; readonly password: string } | undefined {
  const [, email, password] = /^ {2}E-mail {5}(\S+)\n {2}Password {3}(\S+)$/m.exec(output) ?? []
  return email === undefined || password === undefined ? undefined : { email, password }
}

async function runShell(command: string): Promise<string> {
  const child = spawn('bash', ['-c', command], { stdio: ['ignore', 'pipe', 'ignore'] })
  return text(child.stdout)
}

const login = (url: string, account: object | undefined): Promise<Response> =>
  fetch(`${url}/api/cms/auth/actions/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(account),
  })

describe('daybook start in a terminal', () => {
  test('prints its URLs, an account, a first request, and what to change before others use it', async () => {
    await using folder = await folderOf({ 'daybook.config.ts': notes() })
    const service = await startService(folder.path)
    const url = urlIn(service.output)
    await service.stop()
    expect(service.output.replace(/(Password +)[\w-]{20}$/m, '$1…')).toBe(`listening on ${url}

  API        ${url}/api/notes
  Docs page  ${url}/docs

Sign in with this account. Its password is shown only once:
  E-mail     admin@example.com
  Password   …

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
    expect(accountIn(service.output)).toBeUndefined()
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

describe('the account that daybook start prints', () => {
  test('signs in, and is another one after a restart if accounts are in memory', async () => {
    await using folder = await folderOf({ 'daybook.config.ts': notes() })
    const first = await startService(folder.path)
    const account = accountIn(first.output)
    const response = await login(urlIn(first.output), account)
    expect(response.status).toBe(200)
    expect(await response.json()).toMatchObject({
      principal: { email: account?.email },
      identity: { roles: ['admin'] },
    })
    const { log } = await first.stop()
    expect(log).not.toContain(account?.password)
    const second = await startService(folder.path)
    const statuses = [account, accountIn(second.output)].map(
      async (it) => (await login(urlIn(second.output), it)).status,
    )
    expect(await Promise.all(statuses)).toEqual([401, 200])
    await second.stop()
  })

  test('is created and printed once if accounts are stored', async () => {
    await using folder = await folderOf({ 'daybook.config.ts': STORED })
    const first = await startService(folder.path)
    const account = accountIn(first.output)
    await first.stop()
    const second = await startService(folder.path)
    expect(accountIn(second.output)).toBeUndefined()
    expect((await login(urlIn(second.output), account)).status).toBe(200)
    await second.stop()
  })

  test('is missing if somebody has an account', async () => {
    await using folder = await folderOf({ 'daybook.config.ts': STORED })
    expect(await daybook(folder.path, 'user', 'create', 'root@example.org')).toMatchObject({ status: 0 })
    const service = await startService(folder.path)
    await service.stop()
    expect(accountIn(service.output)).toBeUndefined()
  })

  test.each<[string, StartOptions]>([
    ['in production', { env: { NODE_ENV: 'production' } }],
    ['if other machines reach the service', { args: ['--host', '0.0.0.0'] }],
    ['without a terminal', { node: [], end: '\n' }],
  ])('is neither printed nor created %s', async (_situation, options) => {
    await using folder = await folderOf({ 'daybook.config.ts': STORED })
    const service = await startService(folder.path, options)
    const { output, log } = await service.stop()
    expect(output + log).not.toContain('admin@example.com')
    const { stdout } = await daybook(folder.path, 'user', 'list')
    expect(stdout.trim().split('\n')).toHaveLength(1)
  })
})

test('daybook dev prints an account in a terminal', async () => {
  await using folder = await folderOf({ 'daybook.config.ts': notes() })
  const service = await startService(folder.path, { command: 'dev' })
  const response = await login(urlIn(service.output), accountIn(service.output))
  await service.stop()
  expect(response.status).toBe(200)
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
