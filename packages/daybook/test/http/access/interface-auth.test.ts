import {
  ANONYMOUS,
  type AuthAdapter,
  type Caller,
  DaybookError,
  defineCollection,
  defineConfig,
  f,
  getIdentity,
  getSubject,
  type Identity,
  isAuthenticated,
  isHumanUser,
} from 'daybook'
import { createTestService } from 'daybook/testing'
import { describe, expect, test } from 'vitest'
import { Browser, PASSWORD } from '../../auth/browser.ts'
import { SLOW_MACHINE_LIMITS } from '../../support/timeouts.ts'

const IDENTITY: Identity = {
  provider: 'own',
  subject: 'mia',
  sessionId: 's-1',
  actorType: 'human',
  expiresAt: null,
  claims: { team: 'red' },
  roles: ['editor'],
}
const isMia = ({ headers }: { readonly headers: Headers }): boolean => headers.get('authorization') === 'Bearer mia'

/** An adapter with an action that it does not advertise, one that needs a session, and a provider route. */
const adapter: AuthAdapter = {
  getCapabilities: () => ({ provider: 'own', providerRoutes: { enabled: true, basePath: '/api/own' } }),
  getPrincipal: async (context) => (isMia(context) ? { id: 'mia' } : null),
  getIdentity: async (context) => (isMia(context) ? IDENTITY : null),
  invoke: async (action, input, context) => {
    if (action === 'echo')
      return Response.json({ input, isMia: isMia(context) }, { status: 202, headers: { 'X-Own': '1' } })
    if (action !== 'logout') return null
    if (!isMia(context)) throw new DaybookError('UNAUTHORIZED')
    return new Response(null, { status: 204 })
  },
  handleRequest: async (request) => Response.json({ asked: new URL(request.url).pathname }),
}
const { invoke: _invoke, handleRequest: _handleRequest, ...silent } = adapter
const withoutRoutes: AuthAdapter = {
  ...silent,
  getCapabilities: () => ({ provider: 'own', providerRoutes: { enabled: false } }),
}

const collections = {
  notes: defineCollection({
    fields: { title: f.text() },
    access: { update: (caller) => caller.principal?.id === 'mia' && caller.identity?.claims.team === 'red' },
  }),
}
const open = (auth?: AuthAdapter) => {
  const config = defineConfig({ collections, limits: SLOW_MACHINE_LIMITS, ...(auth ? { auth } : {}) })
  return createTestService(config as { collections: typeof collections })
}
const AS_MIA = { headers: { Authorization: 'Bearer mia' } }
const act = (name: string) => `/api/cms/auth/actions/${name}`
const json = ({ text }: { readonly text: string }) => JSON.parse(text)

describe('auth actions', () => {
  test('login, register and logout exist with every adapter', async () => {
    for (const auth of [undefined, adapter, withoutRoutes]) {
      await using service = await open(auth)
      for (const name of ['login', 'register', 'logout']) {
        const response = await new Browser(service).send(act(name), { method: 'GET' })
        expect([response.status, response.headers.get('allow')], name).toEqual([405, 'POST, OPTIONS'])
      }
    }
  })

  test('the generic route runs actions that the adapter does not advertise, and returns its response', async () => {
    await using service = await open(adapter)
    const response = await new Browser(service).send(act('echo'), { json: { a: [1] }, ...AS_MIA })
    expect([response.status, response.headers.get('x-own')]).toEqual([202, '1'])
    expect(json(response)).toEqual({ input: { a: [1] }, isMia: true })
    const form = await new Browser(service).send(act('echo'), { form: { a: '1' } })
    expect(json(form)).toEqual({ input: { a: '1' }, isMia: false })
    expect((await new Browser(service).action('unknown')).status).toBe(404)
  })

  test('without invoke, every action is 501 NOT_IMPLEMENTED', async () => {
    await using service = await open(withoutRoutes)
    for (const name of ['login', 'register', 'logout', 'echo']) {
      const response = await new Browser(service).action(name)
      expect([response.status, json(response).code], name).toEqual([501, 'NOT_IMPLEMENTED'])
    }
  })

  test.each(['[]', '"x"', 'null', '{', '{"a":1}}'])('the body %s is 400', async (body) => {
    await using service = await open(adapter)
    const headers = { 'Content-Type': 'application/json' }
    const response = await service.request(act('echo'), { method: 'POST', headers, body })
    expect(response.status).toBe(400)
  })

  test('an action that needs a session is 401 without one', async () => {
    await using service = await open(adapter)
    expect((await new Browser(service).action('logout')).status).toBe(401)
    expect((await new Browser(service).action('logout', {}, AS_MIA)).status).toBe(204)
  })

  test('the default adapter has login, register and logout', async () => {
    await using service = await open()
    const browser = new Browser(service)
    expect((await browser.register()).status).toBe(201)
    expect((await browser.action('logout')).status).toBe(204)
    expect((await browser.login('ines@example.org', PASSWORD)).status).toBe(200)
  })
})

describe('authentication', () => {
  test('a session route receives principal and identity from the adapter', async () => {
    await using service = await open(adapter)
    const mia = new Browser(service)
    const { id } = json(await mia.send('/api/notes', { json: { title: 'A' }, ...AS_MIA }))
    const put = { method: 'PUT', json: { title: 'B' } }
    expect((await mia.send(`/api/notes/${id}`, { ...put, ...AS_MIA })).status).toBe(200)
    expect((await mia.send('/api/notes')).status).toBe(200)
  })

  test('a session route without a principal is 401 UNAUTHORIZED', async () => {
    await using service = await open(adapter)
    for (const sent of [{}, { headers: { Authorization: 'Bearer ben' } }]) {
      const response = await new Browser(service).send('/api/notes', { json: { title: 'A' }, ...sent })
      expect([response.status, json(response).code]).toEqual([401, 'UNAUTHORIZED'])
    }
  })

  test('helpers read the identity of a caller', () => {
    const mia: Caller = { principal: { id: 'mia' }, identity: IDENTITY }
    const describeCaller = (caller: Caller) => [
      getIdentity(caller),
      isAuthenticated(caller),
      isHumanUser(caller),
      getSubject(caller),
    ]
    expect(describeCaller(mia)).toEqual([IDENTITY, true, true, 'mia'])
    expect(describeCaller(ANONYMOUS)).toEqual([null, false, false, null])
    expect(isHumanUser({ ...mia, identity: { ...IDENTITY, actorType: 'service' } })).toBe(false)
  })

  test('an adapter replaces the default one and its routes', async () => {
    await using service = await open(adapter)
    const browser = new Browser(service)
    expect((await browser.register()).status).toBe(404)
    expect((await browser.send('/api/auth/get-session')).status).toBe(404)
    expect(json(await browser.send('/api/own/anything'))).toEqual({ asked: '/api/own/anything' })
  })

  test('the default adapter has its routes below /api/auth, and loses its users with the process', async () => {
    await using first = await open()
    expect((await new Browser(first).register()).status).toBe(201)
    expect((await new Browser(first).send('/api/auth/get-session')).status).toBe(200)
    await using second = await open()
    expect((await new Browser(second).login('ines@example.org', PASSWORD)).status).toBe(401)
  })

  test('provider routes exist only if they are enabled', async () => {
    await using service = await open(withoutRoutes)
    for (const path of ['/api/own/anything', '/api/auth/get-session']) {
      expect((await new Browser(service).send(path)).status, path).toBe(404)
    }
  })

  test('reading the session and running actions accept credentials, and need none', async () => {
    await using service = await open(adapter)
    const sendRequest = async (sent: object) => json(await new Browser(service).send('/api/cms/auth/session', sent))
    expect(await sendRequest({})).toEqual({ authenticated: false, principal: null, identity: null })
    expect(await sendRequest(AS_MIA)).toEqual({ authenticated: true, principal: { id: 'mia' }, identity: IDENTITY })
  })
})
