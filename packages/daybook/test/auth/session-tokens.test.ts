import { multiSession } from 'better-auth/plugins'
import { defineConfig, type Service, SILENT } from 'daybook'
import { betterAuth } from 'daybook/better-auth'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { AuthSource } from '../../src/auth/adapter.ts'
import type { Place } from '../support/stores/place.ts'
import { POLICY_STORES } from '../support/stores/stores.ts'
import { SLOW_MACHINE_LIMITS } from '../support/timeouts.ts'
import { Browser, ORIGIN, PASSWORD } from './browser.ts'

const source: AuthSource = betterAuth({ baseURL: ORIGIN, plugins: [multiSession()] })
const limits = { ...SLOW_MACHINE_LIMITS, signInsPerMinute: 10_000 }
const config = defineConfig({ auth: source, collections: {}, limits })

const json = ({ text }: { readonly text: string }) => JSON.parse(text)
const bearer = (token: string) => ({ headers: { Authorization: `Bearer ${token}` } })

describe.each(POLICY_STORES)('the provider’s own routes on $name', ({ at }) => {
  let place: Place
  let service: Service
  let ines: Browser
  let inesId: string
  let admin: Browser
  let tokens: string[]

  beforeEach(async () => {
    tokens = []
    place = await at()
    service = await place.open(config)
    const store = await place.store()
    const accounts = await source.manage?.({ records: store.records, log: SILENT })
    await accounts?.create({ email: 'root@example.org', name: 'Root', password: PASSWORD, roles: ['admin'] })
    await store.close()
    ines = new Browser(service)
    const registered = json(await ines.register())
    inesId = registered.principal.id
    tokens.push(registered.token)
    admin = await signIn('root@example.org')
  })
  afterEach(async () => {
    await service.close()
    await place[Symbol.asyncDispose]()
  })

  async function signIn(email = 'ines@example.org'): Promise<Browser> {
    const browser = new Browser(service)
    const response = await browser.login(email)
    expect(response.status).toBe(200)
    tokens.push(json(response).token)
    return browser
  }

  const sessionsOf = async (browser: Browser): Promise<readonly { readonly id: string }[]> =>
    json(await browser.send('/api/auth/list-sessions'))

  test('return no session tokens to scripts of a page', async () => {
    await signIn()
    const post = (browser: Browser, path: string, body: object) => browser.send(`/api/auth${path}`, { json: body })
    const responses = {
      session: await ines.send('/api/auth/get-session'),
      sessionOfProgram: await new Browser(service).send('/api/auth/get-session', bearer(tokens[0] ?? '')),
      sessions: await ines.send('/api/auth/list-sessions'),
      deviceSessions: await ines.send('/api/auth/multi-session/list-device-sessions'),
      update: await post(ines, '/update-user', { name: 'I.' }),
      sessionsOfUser: await post(admin, '/admin/list-user-sessions', { userId: inesId }),
      impersonation: await post(admin, '/admin/impersonate-user', { userId: inesId }),
      endOfImpersonation: await post(admin, '/admin/stop-impersonating', {}),
    }
    const rows = await place.rows<{ doc: string }>("SELECT doc FROM daybook$records WHERE kind = 'better-auth session'")
    const all = [...tokens, ...rows.map(({ doc }) => JSON.parse(doc).token)]
    for (const [name, { status, text, headers }] of Object.entries(responses)) {
      expect([name, status]).toEqual([name, 200])
      headers.delete('set-cookie')
      const readable = text + JSON.stringify([...headers])
      for (const token of all) expect(readable, name).not.toContain(token)
    }
    expect(json(responses.session)).toMatchObject({ session: { userId: inesId }, user: { email: 'ines@example.org' } })
    expect(json(responses.sessions)).toHaveLength(2)
  })

  test('reject requests without a session with 401', async () => {
    for (const path of ['get-session', 'ok'])
      expect((await new Browser(service).send(`/api/auth/${path}`)).status).toBe(200)
    for (const path of ['list-sessions', 'admin/list-users']) {
      expect((await new Browser(service).send(`/api/auth/${path}`)).status, path).toBe(401)
    }
  })

  test('return the token of a new session, for programs', async () => {
    const account = { email: 'ines@example.org', password: PASSWORD }
    const begun = await new Browser(service).send('/api/auth/sign-in/email', { json: account })
    const { token } = json(begun)
    expect(await new Browser(service).session(bearer(token))).toMatchObject({ authenticated: true })
    expect(begun.headers.get('set-auth-token')).toContain(token)
    const change = { currentPassword: PASSWORD, newPassword: 'another long one' }
    const changed = await new Browser(service).send('/api/auth/change-password', { json: change, ...bearer(token) })
    expect(json(changed).token).not.toBe(token)
    expect(await new Browser(service).session(bearer(json(changed).token))).toMatchObject({ authenticated: true })
  })

  test('end a session of the same account by its id', async () => {
    const other = await signIn()
    const [adminSession] = await sessionsOf(admin)
    const { identity } = (await other.session()) as unknown as { readonly identity: { readonly sessionId: string } }
    const revoke = (sessionId: unknown) => ines.send('/api/auth/revoke-session', { json: { sessionId } })
    for (const sessionId of [adminSession?.id, 'nobody', '']) expect((await revoke(sessionId)).status).toBe(200)
    expect((await revoke(7)).status).toBe(400)
    expect([(await other.session()).authenticated, (await admin.session()).authenticated]).toEqual([true, true])
    expect((await revoke(identity.sessionId)).status).toBe(200)
    expect([(await other.session()).authenticated, (await ines.session()).authenticated]).toEqual([false, true])
  })

  test('end a session of another account by its id only for administrators', async () => {
    const [session] = await sessionsOf(ines)
    const json = { sessionId: session?.id }
    const eve = new Browser(service)
    await eve.register('eve@example.org')
    expect((await eve.send('/api/auth/admin/revoke-user-session', { json })).status).toBe(403)
    expect((await ines.session()).authenticated).toBe(true)
    expect((await admin.send('/api/auth/admin/revoke-user-session', { json })).status).toBe(200)
    expect((await ines.session()).authenticated).toBe(false)
  })

  test('end all other sessions', async () => {
    const other = await signIn()
    expect((await ines.send('/api/auth/revoke-other-sessions', { json: {} })).status).toBe(200)
    expect([(await other.session()).authenticated, (await ines.session()).authenticated]).toEqual([false, true])
  })

  test.each(['state_mismatch', '<script>alert(1)</script>', '', 'x'.repeat(1000)])(
    'say that a sign-in failed as a text: %j',
    async (error) => {
      const path = `/api/auth/error?error=${encodeURIComponent(error)}&error_description=<script>`
      const response = await new Browser(service).send(path)
      expect([response.status, response.headers.get('content-type')]).toEqual([400, 'text/plain; charset=utf-8'])
      expect(response.headers.get('x-content-type-options')).toBe('nosniff')
      expect(response.text).toContain(error === 'state_mismatch' ? '(state_mismatch)' : '(unknown)')
      expect(response.text).not.toContain('<')
    },
  )
})
