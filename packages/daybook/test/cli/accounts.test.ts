import { join } from 'node:path'
import { createService } from 'daybook'
import { beforeEach, describe, expect, test } from 'vitest'
import { SLOW_MACHINE_LIMITS } from '../support/timeouts.ts'
import { daybook, folderOf } from './cli.ts'

const BETTER_AUTH = join(import.meta.dirname, '../../src/auth/accounts/index.ts')
const config = (auth: string) => `
  import { defineCollection, defineConfig, f } from 'DAYBOOK'
  import { betterAuth } from '${BETTER_AUTH}'
  export default defineConfig({
    ${auth}
    limits: ${JSON.stringify(SLOW_MACHINE_LIMITS)},
    collections: { posts: defineCollection({ fields: { title: f.text({ required: true }), state: f.status() } }) },
  })`

let folder: Awaited<ReturnType<typeof folderOf>>

beforeEach(async () => {
  folder = await folderOf({ 'daybook.config.ts': config("auth: betterAuth({ registration: 'invite' }),") })
  return () => folder[Symbol.asyncDispose]()
})

const run = (...args: readonly string[]) => daybook(folder.path, ...args)

/** Starts a service on the same folder for one request. */
async function sendRequest(path: string, init: RequestInit & { readonly token?: string } = {}) {
  const { default: serviceConfig } = await import(`${folder.path}/daybook.config.ts`)
  const service = await createService(serviceConfig, { data: join(folder.path, '.daybook') })
  const headers = {
    'Content-Type': 'application/json',
    ...(init.token ? { Authorization: `Bearer ${init.token}` } : {}),
  }
  const response = await service.fetch(new Request(`http://cms.example${path}`, { ...init, headers }))
  const text = await response.text()
  await service.close()
  return { status: response.status, json: JSON.parse(text) }
}

const login = (email: string, password: string) =>
  sendRequest('/api/cms/auth/actions/login', { method: 'POST', body: JSON.stringify({ email, password }) })

describe('daybook user', () => {
  test('creates the first administrator, and prints a generated password to standard output only', async () => {
    const created = await run('user', 'create', 'root@example.org', '--name', 'Root', '--role', 'admin')
    expect(created).toMatchObject({ status: 0, stdout: expect.stringMatching(/^[\w-]{20}\n$/) })
    const { status, json } = await login('root@example.org', created.stdout.trim())
    expect([status, json.identity.roles]).toEqual([200, ['admin']])
    expect(await run('user', 'create', 'Root@Example.org')).toEqual({
      status: 1,
      stdout: '',
      stderr: 'daybook: This e-mail address is already used by another account.\n',
    })
    const { stdout } = await run('user', 'list')
    expect(stdout).toMatch(/^EMAIL +NAME +ROLES +BANNED +SINCE\nroot@example\.org +Root +admin +no +\d{4}-\S+\n$/)
    expect(stdout).not.toContain(created.stdout.trim())
  })

  test('sets roles and passwords, bans and unbans', async () => {
    await run('user', 'create', 'ann@example.org')
    expect(await run('user', 'role', 'ann@example.org', '--role', 'editor', '--role', 'author')).toMatchObject({
      status: 0,
    })
    const { stdout: password } = await run('user', 'password', 'ann@example.org')
    expect((await login('ann@example.org', password.trim())).json.identity.roles).toEqual(['editor', 'author'])
    await run('user', 'ban', 'ann@example.org')
    expect((await login('ann@example.org', password.trim())).status).toBe(403)
    await run('user', 'unban', 'ann@example.org')
    expect((await login('ann@example.org', password.trim())).status).toBe(200)
  })

  test('ends sessions, previews and schedules of a banned account, and prints their number', async () => {
    const { stdout: password } = await run('user', 'create', 'ann@example.org', '--role', 'editor')
    const { token } = (await login('ann@example.org', password.trim())).json
    const post = (path: string, body: object) =>
      sendRequest(path, { method: 'POST', body: JSON.stringify(body), token })
    const { id } = (await post('/api/posts', { title: 'A', state: 'draft' })).json
    expect((await post(`/api/posts/${id}/publish`, { publishAt: '2999-01-01T00:00:00Z' })).status).toBe(200)
    const preview = (await post(`/api/posts/${id}/preview`, {})).json.token
    expect((await sendRequest(`/api/posts/${id}?preview=${preview}`)).status).toBe(200)
    expect(await run('user', 'ban', 'ann@example.org')).toEqual({
      status: 0,
      stdout: '',
      stderr:
        'Account ann@example.org is no longer allowed to sign in. Ended 1 session, 1 preview and 1 scheduled time.\n',
    })
    await run('user', 'unban', 'ann@example.org')
    expect((await sendRequest(`/api/posts/${id}?preview=${preview}`)).status).toBe(404)
    const again = (await login('ann@example.org', password.trim())).json.token
    expect((await sendRequest('/api/cms/schedules', { token: again })).json.items).toEqual([])
  })

  test('prints an invitation, which allows a registration', async () => {
    const { stdout: invitation } = await run('user', 'invite', 'ben@example.org', '--role', 'editor', '--days', '1')
    const input = {
      name: 'Ben',
      email: 'ben@example.org',
      password: 'a long one of mine',
      invitation: invitation.trim(),
    }
    const { status, json } = await sendRequest('/api/cms/auth/actions/register', {
      method: 'POST',
      body: JSON.stringify(input),
    })
    expect([status, json.identity.roles]).toEqual([201, ['editor']])
    expect(await run('user', 'invite', 'ben@example.org')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('already used by another account'),
    })
  })

  test.each([
    [['user'], 2, 'daybook user list'],
    [['user', 'create'], 2, 'daybook user create EMAIL'],
    [['user', 'list', 'x'], 2, 'daybook user list'],
    [['user', 'frobnicate', 'x@example.org'], 2, 'create, role, password, ban, unban, invite'],
    [['user', 'role', 'x@example.org'], 2, '--role editor'],
    [['user', 'role', 'x@example.org', '--role', 'a,b'], 2, '--role must be at most 48 letters'],
    [['user', 'invite', 'x@example.org', '--days', '0'], 2, '--days must be a number from 1 to 3650'],
    [['user', 'ban', 'x@example.org'], 1, 'The account x@example.org does not exist.'],
    [['user', 'create', 'no address'], 1, 'email must be an e-mail address.'],
  ])('%j is rejected with advice', async (args, status, advice) => {
    expect(await run(...args)).toMatchObject({ status, stdout: '', stderr: expect.stringContaining(advice) })
  })

  test('explains how to add accounts to the config', async () => {
    await folder.write({ 'daybook.config.ts': config('') })
    expect(await run('user', 'list')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('auth: betterAuth()'),
    })
  })
})

describe('daybook token', () => {
  test('creates a token for the scopes, prints it once, and revokes it, with any auth adapter', async () => {
    await folder.write({ 'daybook.config.ts': config("auth: { registration: 'closed' },") })
    const created = await run('token', 'create', 'site build', '--scope', 'posts:create', '--days', '30')
    expect(created).toMatchObject({ status: 0, stdout: expect.stringMatching(/^daybook_[0-9a-f]{12}_[\w-]{43}\n$/) })
    const token = created.stdout.trim()
    const post = () => sendRequest('/api/posts', { method: 'POST', body: '{"title":"A"}', token })
    expect((await post()).status).toBe(201)
    const { stdout } = await run('token', 'list')
    expect(stdout).toMatch(/^NAME .*\nsite build +daybook_[0-9a-f]{12} +posts:create +service +\d{4}-\S+ +\d{4}-\S+\n$/)
    expect(stdout).not.toContain(token)
    expect(await run('token', 'revoke', 'site build')).toMatchObject({ status: 0 })
    expect((await post()).status).toBe(401)
    expect(await run('token', 'revoke', 'site build')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('does not exist. See daybook token list.'),
    })
  })

  test.each([
    [['token'], 2, 'daybook token create NAME'],
    [['token', 'create'], 2, 'daybook token create NAME'],
    [['token', 'create', 'x'], 2, '--scope posts:update'],
    [
      ['token', 'create', 'x', '--scope', 'pages:read'],
      2,
      'Unknown collection or global "pages". Use one of: posts, assets.',
    ],
    [['token', 'create', 'x', '--scope', 'posts:write'], 2, 'read, create, update, delete'],
    [['token', 'create', 'x', '--scope', '*', '--days', 'x'], 2, '--days must be a number'],
    [['token', 'list', 'x'], 2, 'daybook token list'],
  ])('%j is rejected with advice', async (args, status, advice) => {
    expect(await run(...args)).toMatchObject({ status, stdout: '', stderr: expect.stringContaining(advice) })
  })

  test('rejects a name that exists', async () => {
    await run('token', 'create', 'x', '--scope', '*')
    const again = await run('token', 'create', 'x', '--scope', '*')
    expect(again).toMatchObject({
      status: 1,
      stdout: '',
      stderr: 'daybook: The name "x" is already used by another token. Revoke that token first.\n',
    })
  })
})
