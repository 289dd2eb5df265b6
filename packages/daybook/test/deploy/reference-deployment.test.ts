import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { S3_KEY, S3Server } from '../support/assets/s3-server.ts'
import { DAYBOOK } from '../support/built/command.ts'
import { PostgresDatabase } from '../support/postgres/postgres-database.ts'

const ROOT = resolve(import.meta.dirname, '../../../..')
const CONFIG = join(ROOT, 'deploy/daybook.config.ts')
const PASSWORD = 'correct horse battery'
const PUBLIC_URL = 'https://content.example.com'

let database: PostgresDatabase
let bucket: S3Server
let first: Awaited<ReturnType<typeof startNode>>
let second: typeof first
const cookies: Record<string, string> = {}

const environment = () => ({
  PATH: process.env.PATH,
  NODE_ENV: 'production',
  DAYBOOK_DATA: '/nowhere',
  DATABASE_URL: database.url,
  PUBLIC_URL,
  S3_BUCKET: 'uploads',
  AWS_ENDPOINT_URL_S3: `http://127.0.0.1:${bucket.port}`,
  AWS_REGION: 'us-east-1',
  AWS_ACCESS_KEY_ID: S3_KEY.accessKeyId,
  AWS_SECRET_ACCESS_KEY: S3_KEY.secretAccessKey,
})

const spawnDaybook = (args: readonly string[]) =>
  spawn(process.execPath, [...DAYBOOK, ...args, '--config', CONFIG], {
    env: environment(),
    stdio: ['pipe', 'pipe', 'inherit'],
  })

async function startNode() {
  const child = spawnDaybook(['start', '--host', '127.0.0.1', '--port', '0', '--log', 'silent'])
  const [chunk] = await once(child.stdout, 'data')
  const url = /listening on (http:\S+)/.exec(String(chunk))?.[1] ?? ''
  const stop = async (): Promise<void> => {
    const ended = once(child, 'exit')
    child.kill('SIGTERM')
    await ended
  }
  return { url, stop }
}

async function createAccount(name: string, ...args: readonly string[]): Promise<void> {
  const child = spawnDaybook(['user', 'create', `${name}@example.org`, '--password-stdin', ...args])
  child.stdin.end(`${PASSWORD}\n`)
  const [, [status]] = await Promise.all([text(child.stdout), once(child, 'close')])
  expect(status).toBe(0)
}

/** A request as the proxy passes it on. */
const request = (
  node: { readonly url: string },
  method: string,
  path: string,
  json?: unknown,
  client = '192.0.2.1',
  cookie = '',
) =>
  fetch(node.url + path, {
    method,
    headers: {
      'X-Forwarded-For': client,
      'X-Forwarded-Proto': 'https',
      'X-Forwarded-Host': 'content.example.com',
      ...(cookie === '' ? {} : { Cookie: cookie }),
      ...(json === undefined ? {} : { 'Content-Type': 'application/json' }),
    },
    ...(json === undefined ? {} : { body: JSON.stringify(json) }),
  })

const signIn = (node: { readonly url: string }, name: string, client?: string, password = PASSWORD) =>
  request(node, 'POST', '/api/cms/auth/actions/login', { email: `${name}@example.org`, password }, client)

beforeAll(async () => {
  ;[database, bucket] = await Promise.all([PostgresDatabase.make(), S3Server.make('uploads')])
  ;[first, second] = await Promise.all([startNode(), startNode()])
  await createAccount('root', '--role', 'admin')
  await createAccount('ann', '--role', 'author')
  await createAccount('reader')
  for (const [index, name] of ['root', 'ann', 'reader'].entries()) {
    const response = await signIn(first, name, `192.0.2.${index + 10}`)
    cookies[name] = response.headers.getSetCookie()[0]?.split(';')[0] ?? ''
  }
}, 120_000)

afterAll(async () => {
  await Promise.all([first?.stop(), second?.stop()])
  await database?.[Symbol.asyncDispose]()
  await bucket?.[Symbol.asyncDispose]()
})

describe('the reference deployment', () => {
  test('lets nobody register', async () => {
    const stranger = { name: 'Eve', email: 'eve@example.org', password: PASSWORD }
    expect((await request(first, 'POST', '/api/cms/auth/actions/register', stranger)).status).toBe(403)
    const { status } = await request(first, 'POST', '/api/auth/sign-up/email', stranger)
    expect(status).toBeGreaterThanOrEqual(400)
    expect((await signIn(first, 'eve')).status).toBe(401)
  })

  test('sets cookies that plain HTTP does not carry, for sessions of all replicas', async () => {
    const response = await signIn(first, 'root', '192.0.2.20')
    const [cookie = ''] = response.headers.getSetCookie()
    expect(cookie).toContain('; Secure')
    const session = await request(second, 'GET', '/api/cms/auth/session', undefined, '192.0.2.20', cookie.split(';')[0])
    expect(await session.json()).toMatchObject({ authenticated: true, identity: { roles: ['admin'] } })
  })

  test('counts attempts to sign in for each client, not for the proxy', async () => {
    const attempts = Array.from({ length: 11 }, () => signIn(first, 'nobody', '198.51.100.1', 'a wrong password'))
    expect((await Promise.all(attempts)).map(({ status }) => status)).toContain(429)
    expect((await signIn(first, 'root', '198.51.100.2')).status).toBe(200)
  })

  const post = { title: 'Hello' }
  test('lets authors write posts, editors and administrators everything, and other accounts nothing', async () => {
    const write = async (name: string | undefined, method: string, path: string, json?: unknown) =>
      (await request(second, method, path, json, undefined, name && cookies[name])).status
    const created = await request(second, 'POST', '/api/posts', post, undefined, cookies.ann)
    expect(created.status).toBe(201)
    const { id } = (await created.json()) as { id: string }
    for (const name of ['reader', undefined]) {
      const refused = name === undefined ? 401 : 403
      for (const path of ['/api/posts', '/api/pages']) expect(await write(name, 'POST', path, post)).toBe(refused)
      expect([refused, 404]).toContain(await write(name, 'PUT', `/api/posts/${id}`, post))
      expect([refused, 404]).toContain(await write(name, 'DELETE', `/api/posts/${id}`))
      const site = { siteName: 'Mine', siteUrl: 'https://example.org' }
      expect(await write(name, 'PUT', '/api/globals/site', site)).toBe(refused)
    }
    expect(await write('ann', 'POST', '/api/pages', post)).toBe(403)
    expect(await write('root', 'POST', '/api/pages', post)).toBe(201)
    expect(await write('ann', 'PUT', `/api/posts/${id}`, { title: 'Hello again' })).toBe(200)
    const other = (await (await request(second, 'POST', '/api/posts', post, undefined, cookies.root)).json()) as {
      id: string
    }
    expect([403, 404]).toContain(await write('ann', 'DELETE', `/api/posts/${other.id}`))
    expect(await write('root', 'DELETE', `/api/posts/${id}`)).toBe(204)
  })

  test('keeps files in the bucket, of those who may write', async () => {
    const upload = (name: string) => {
      const form = new FormData()
      form.set('file', new File(['These are notes.'], 'notes.txt'))
      form.set('filename', 'notes.txt')
      return fetch(`${first.url}/api/assets`, { method: 'POST', headers: { Cookie: cookies[name] ?? '' }, body: form })
    }
    expect((await upload('reader')).status).toBe(403)
    expect((await upload('ann')).status).toBe(201)
    expect([...bucket.stored.objects.keys()]).toContain('notes.txt')
  })
})
