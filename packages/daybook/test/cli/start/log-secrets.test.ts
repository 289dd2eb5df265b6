import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { request } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { AS_TERMINAL, DAYBOOK } from '../../support/built/command.ts'
import { daybook, folderOf } from '../cli.ts'

const SECRET = 'CanarySecret0123456789abcdefGHIJ'

const CONFIG = `import { defineConfig, f } from 'DAYBOOK'
import { serveUploads } from '${join(import.meta.dirname, '../../../src/plugins/index.ts')}'

const responses = { 200: { description: 'Never sent.', mediaType: 'text/plain', schema: { type: 'string' } } }
const secretParameter = { token: { description: 'A secret.', schema: { type: 'string' } } }

const run = ({ log, path: { token } }) => {
  const url = 'https://example.org/hook?a=1&token=' + token
  log.warn({ url, endpoint: 'postgres://daybook:' + token + '@db.example.org/cms' }, 'Delivered to ' + url)
  const cause = new Error('GET ' + url + ' failed with Authorization: Bearer ' + token)
  const unreachable = new AggregateError([new Error('postgres://daybook:' + token + '@db.example.org')], 'none', { cause })
  throw Object.assign(unreachable, { input: url, headers: { authorization: token }, code: 'ECONNREFUSED' })
}

export default defineConfig({
  collections: { notes: { fields: { title: f.text(), status: f.status() } } },
  plugins: [serveUploads({ secret: '${SECRET}${SECRET}' })],
  routes: [
    { method: 'GET', path: '/fail/:token', summary: 'Fails.', protection: 'public', responses, run, parameters: secretParameter },
  ],
})`

/** Requests with the secret in all possible places. */
const TARGETS = [
  `/api/notes/first?preview=${SECRET}`,
  `/api/notes/first?pre%76iew=${SECRET}&select=title`,
  `/api/notes?limit=3&preview=${SECRET}`,
  `/api/notes?${SECRET}`,
  `/api/notes?${SECRET}=`,
  `/api/notes?limit=4#token=${SECRET}`,
  `/uploads/a.pdf?expires=1&signature=${SECRET}`,
  `/uploads/a.pdf?X-Amz-Signature=${SECRET}&X-Amz-Credential=${SECRET}&X-Amz-Security-Token=${SECRET}`,
  `/api/auth/reset-password/${SECRET}?callbackURL=https%3A%2F%2Fexample.org%2F%3Ftoken%3D${SECRET}`,
  `/api/auth/reset-password%2F${SECRET}`,
  `/api/auth/magic-link/verify?token=${SECRET}&callbackURL=%2F`,
  `/api/auth/verify-email?token=${SECRET}`,
  `/api/auth/callback/github?code=${SECRET}&state=${SECRET}`,
  `/api/accounts/auth/reset-password/${SECRET}`,
  `/nothing?token=${SECRET}`,
  `/fail/${SECRET}?token=${SECRET}`,
] as const

async function readLog(cwd: string, node: readonly string[]): Promise<string> {
  const child = spawn(process.execPath, [...node, ...DAYBOOK, 'start', '--port', '0', '--log', 'info'], {
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const log = text(child.stderr)
  const closed = once(child, 'close')
  const [chunk] = await once(child.stdout, 'data')
  const port = Number(/:(\d+)/.exec(String(chunk).replace(/^[\s\S]*?http:\/\//, ''))?.[1])
  const headers = {
    Authorization: `Bearer ${SECRET}`,
    Cookie: `better-auth.session_token=${SECRET}`,
    Referer: `http://localhost/?preview=${SECRET}`,
    'Daybook-Preview': SECRET,
  }
  for (const path of TARGETS) {
    const sent = request({ host: '127.0.0.1', port, path, headers }).end()
    const [response] = await once(sent, 'response')
    await text(response)
  }
  child.kill('SIGTERM')
  await closed
  return log
}

test.each([
  ['JSON', []],
  ['readable lines', [AS_TERMINAL]],
])('the log as %s contains no secret of a request or an error', async (_name, node) => {
  await using folder = await folderOf({ 'daybook.config.ts': CONFIG })
  const log = await readLog(folder.path, node)
  for (const shown of [
    '/api/notes/first?preview=[redacted]',
    '/api/notes/first?pre%76iew=[redacted]&select=title',
    '/api/notes?limit=3&preview=[redacted]',
    '/api/notes?limit=4#[redacted]',
    '/uploads/a.pdf?expires=1&signature=[redacted]',
    '/api/auth/reset-password/[redacted]?callbackURL=[redacted]',
    '/api/auth/callback/github?code=[redacted]&state=[redacted]',
    '/api/accounts/auth/reset-password/[redacted]',
    '/fail/[redacted]?token=[redacted]',
    'https://example.org/hook?a=1&token=[redacted]',
    'postgres://[redacted]@db.example.org',
    'AggregateError: none',
  ]) {
    expect(log).toContain(shown)
  }
  expect(log).not.toContain('CanarySecret')
})

test.each([
  ['an unreachable server', `postgres://daybook:${SECRET}@127.0.0.1:1/cms`],
  ['an invalid URL', `postgres://daybook:${SECRET}@[bad/cms`],
  ['a password with a slash', `postgres://daybook:1/${SECRET}@127.0.0.1:1/cms`],
  ['an unknown option', `postgres://daybook:${SECRET}@127.0.0.1:1/cms?sslmode=${SECRET}&password=${SECRET}`],
])('a start with the DATABASE_URL of %s does not print the password', async (_name, url) => {
  await using folder = await folderOf({
    'daybook.config.ts': `import { defineConfig, f } from 'DAYBOOK'
import { postgres } from '${join(import.meta.dirname, '../../../src/store/postgres/index.ts')}'
export default defineConfig({ database: postgres(process.env.DATABASE_URL), collections: { notes: { fields: { title: f.text() } } } })`,
    '.env': `DATABASE_URL='${url}'\n`,
  })
  const { status, stdout, stderr } = await daybook(folder.path, 'start', '--port', '0')
  expect(status).toBe(1)
  expect(stderr).toMatch(/PostgreSQL|DATABASE_URL/)
  expect(stdout + stderr).not.toContain('CanarySecret')
})
