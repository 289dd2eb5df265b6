import {
  type AuthAdapter,
  type AuthContext,
  DaybookError,
  defineCollection,
  defineConfig,
  f,
  type Identity,
  StartupError,
} from 'daybook'
import { createTestService } from 'daybook/testing'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { expectQuietProcess, expectSane } from '../../support/scenarios/sane.ts'
import { type Connection, type TestRequest, type TestResponse, TRANSPORTS } from '../../support/scenarios/transports.ts'
import { POLICY_STORES, type StoredService } from '../../support/stores/stores.ts'

const IDENTITY: Identity = {
  provider: 'switch',
  subject: 'mia',
  sessionId: 's-1',
  actorType: 'human',
  expiresAt: null,
  claims: {},
  roles: ['editor'],
}

type Parts = Required<Pick<AuthAdapter, 'getPrincipal' | 'getIdentity' | 'invoke' | 'handleRequest'>>

/** Working members of an adapter, for which every caller is Mia. */
const SOUND: Parts = {
  getPrincipal: async () => ({ id: 'mia' }),
  getIdentity: async () => IDENTITY,
  invoke: async (action) => Response.json({ action }),
  handleRequest: async (request) => Response.json({ url: request.url }),
}

/** The current behaviour of the adapter. */
let parts: Parts = SOUND
let calls = 0

const counted = <T>(value: T): T => {
  calls += 1
  return value
}

const adapter: AuthAdapter = {
  getCapabilities: () => ({ provider: 'switch', providerRoutes: { enabled: true, basePath: '/api/auth' } }),
  getPrincipal: (context) => counted(parts).getPrincipal(context),
  getIdentity: (context) => counted(parts).getIdentity(context),
  invoke: (action, input, context) => counted(parts).invoke(action, input, context),
  handleRequest: (request, context) => counted(parts).handleRequest(request, context),
}

const fields = { title: f.text({ required: true }), slug: f.slug({ from: 'title' }), status: f.status() }

const config = defineConfig({
  auth: adapter,
  collections: {
    posts: defineCollection({ fields }),
    guestbook: defineCollection({ access: { create: () => true }, fields }),
  },
  globals: {},
  seed: async ({ create }) => {
    await create('posts', { title: 'Public' })
    await create('posts', { title: 'Draft', status: 'draft' })
  },
})

const BEARER = { authorization: 'Bearer x' }
const COOKIE = { cookie: 'sid=x' }
const JSON_TYPE = { 'content-type': 'application/json' }
const body = '{"title":"New"}'

/** Requests that the adapter authenticates. */
const AUTHENTICATED: readonly TestRequest[] = [BEARER, COOKIE].flatMap((headers) => [
  { method: 'POST', path: '/api/posts', headers: { ...headers, ...JSON_TYPE }, body },
  { method: 'POST', path: '/api/guestbook', headers: { ...headers, ...JSON_TYPE }, body },
  { method: 'DELETE', path: '/api/posts/public', headers },
  { method: 'GET', path: '/api/cms/auth/session', headers },
  { method: 'GET', path: '/api/posts', headers },
  { method: 'GET', path: '/api/posts/draft', headers },
  { method: 'HEAD', path: '/api/posts/public', headers },
])

/** Requests that the adapter handles itself. */
const PASSED: readonly TestRequest[] = [
  { method: 'POST', path: '/api/cms/auth/actions/greet', headers: JSON_TYPE, body: '{}' },
  { method: 'POST', path: '/api/cms/auth/actions/greet', headers: { ...BEARER, ...JSON_TYPE }, body: '{}' },
  { method: 'GET', path: '/api/auth/anything', headers: {} },
  { method: 'PUT', path: '/api/auth/anything', headers: { ...BEARER, ...JSON_TYPE }, body: '{}' },
]

const never = (): Promise<never> => new Promise(() => {})
const late = (): Promise<never> =>
  new Promise((_resolve, reject) => void setTimeout(() => reject(new Error('late')), 60_000).unref())
const throws = (): never => {
  throw new Error('oops: SELECT secret FROM users')
}
const rejects = (reason: unknown) => (): Promise<never> => Promise.reject(reason)
const gives = (value: unknown) => async (): Promise<never> => value as never
const withIdentity = (change: object): Partial<Parts> => ({ getIdentity: gives({ ...IDENTITY, ...change }) })

/** Adapters that cannot identify the caller. */
const FAILING: Readonly<Record<string, Partial<Parts>>> = {
  'getPrincipal throws': { getPrincipal: throws },
  'getIdentity throws': { getIdentity: throws },
  'getPrincipal rejects': { getPrincipal: rejects(new Error('oops')) },
  'getIdentity rejects': { getIdentity: rejects(new TypeError('fetch failed')) },
  'both reject': { getPrincipal: rejects(new Error('one')), getIdentity: rejects(new Error('two')) },
  'one rejects, the other throws': { getPrincipal: rejects(new Error('one')), getIdentity: throws },
  'it rejects with nothing': { getPrincipal: rejects(undefined) },
  'it rejects with a text': { getIdentity: rejects('oops') },
  'it rejects with another one’s error': { getIdentity: rejects({ code: 'UNAUTHORIZED', status: 200 }) },
  'getPrincipal gives undefined': { getPrincipal: gives(undefined) },
  'both give undefined': { getPrincipal: gives(undefined), getIdentity: gives(undefined) },
  'getPrincipal gives true': { getPrincipal: gives(true) },
  'getPrincipal gives a text': { getPrincipal: gives('mia') },
  'getPrincipal gives a number': { getPrincipal: gives(1) },
  'getPrincipal gives a list': { getPrincipal: gives([{ id: 'mia' }]) },
  'getPrincipal gives a function': { getPrincipal: gives(() => ({ id: 'mia' })) },
  'getPrincipal alone gives null': { getPrincipal: gives(null) },
  'getIdentity alone gives null': { getIdentity: gives(null) },
  'getIdentity gives undefined': { getIdentity: gives(undefined) },
  'getIdentity gives true': { getIdentity: gives(true) },
  'getIdentity gives an empty object': { getIdentity: gives({}) },
  'getIdentity gives a list': { getIdentity: gives([IDENTITY]) },
  'getIdentity gives what throws when it is read': {
    getIdentity: gives({
      ...IDENTITY,
      get subject(): string {
        return throws()
      },
    }),
  },
  'getIdentity gives what throws whatever is done to it': {
    getIdentity: async () => new Proxy(IDENTITY, { get: (_target, name) => (name === 'then' ? undefined : throws()) }),
  },
  'provider is missing': withIdentity({ provider: undefined }),
  'subject is missing': withIdentity({ subject: undefined }),
  'subject is empty': withIdentity({ subject: '' }),
  'subject is a number': withIdentity({ subject: 1 }),
  'sessionId is null': withIdentity({ sessionId: null }),
  'actorType is unknown': withIdentity({ actorType: 'admin' }),
  'expiresAt is missing': withIdentity({ expiresAt: undefined }),
  'expiresAt is a number': withIdentity({ expiresAt: 9_999_999_999 }),
  'expiresAt is a date': withIdentity({ expiresAt: new Date('2999-01-01') }),
  'expiresAt is no time': withIdentity({ expiresAt: 'never' }),
  'claims are missing': withIdentity({ claims: undefined }),
  'claims are a list': withIdentity({ claims: [] }),
  'roles are missing': withIdentity({ roles: undefined }),
  'roles are a text': withIdentity({ roles: 'admin' }),
  'roles hold a number': withIdentity({ roles: ['editor', 1] }),
  'roles have a hole': withIdentity({ roles: new Array(1) }),
}

const used = async (): Promise<Response> => {
  const response = new Response('x')
  await response.text()
  return response
}

const locked = async (): Promise<Response> => {
  const response = new Response('x')
  response.body?.getReader()
  return response
}

/** Invalid responses of actions and provider routes. */
const NO_RESPONSES: Readonly<Record<string, () => Promise<Response>>> = {
  throws,
  rejects: rejects(new Error('oops')),
  'rejects with nothing': rejects(undefined),
  'gives undefined': gives(undefined),
  'gives true': gives(true),
  'gives a text': gives('ok'),
  'gives an object': gives({ ok: true }),
  'gives what looks like a Response': gives({ status: 200, headers: new Headers(), body: null }),
  'gives a Response that was read': used,
  'gives a Response that somebody reads': locked,
  'gives a Response of no status': async () => Response.error(),
}

afterEach(async () => {
  parts = SOUND
  await expectQuietProcess()
})

describe.each(POLICY_STORES)('an auth adapter that fails, on $name', (store) => {
  describe.each(TRANSPORTS)('over $name', (transport) => {
    let service: StoredService
    let connection: Connection
    beforeAll(async () => {
      service = await store.open(config)
      connection = await transport.connect(service)
    })
    afterAll(() => connection.close())

    const send = async (sent: TestRequest): Promise<TestResponse> => {
      const response = await connection.send(sent)
      expectSane(response, sent.method)
      return response
    }
    const sendAll = (all: readonly TestRequest[]): Promise<readonly TestResponse[]> => Promise.all(all.map(send))
    const expectRefused = async (all: readonly TestRequest[]): Promise<void> => {
      const responses = await sendAll(all)
      expect(responses.map(({ status, headers }) => [status, headers.get('retry-after')])).toEqual(
        all.map(() => [503, '1']),
      )
    }
    /** The stored content, as the service token sees it. */
    const stored = async (): Promise<unknown> => {
      const init = { headers: { authorization: `Bearer ${service.token}` } }
      const paths = ['/api/posts', '/api/guestbook']
      return Promise.all(paths.map(async (path) => (await service.request(path, init)).text()))
    }

    test.each(Object.entries(FAILING))('rejects all requests with 503 and Retry-After: %s', async (_name, failing) => {
      const before = await stored()
      parts = { ...SOUND, ...failing }
      await expectRefused(AUTHENTICATED)
      expect(await stored()).toEqual(before)
    })

    test.each(Object.entries(NO_RESPONSES))(
      'answers for itself when an action or a provider route %s',
      async (_name, respond) => {
        parts = { ...SOUND, invoke: respond, handleRequest: respond }
        await expectRefused(PASSED)
      },
    )

    test.each([
      ['never answers', never],
      ['fails after a minute', late],
    ])('is not waited for when it %s', async (_name, respond) => {
      const before = await stored()
      // A request with a cookie waits for the principal, one with a token for the identity.
      const isCookie = ({ headers }: AuthContext): boolean => headers.has('cookie')
      parts = {
        getPrincipal: (context) => (isCookie(context) ? respond() : SOUND.getPrincipal(context)),
        getIdentity: (context) => (isCookie(context) ? SOUND.getIdentity(context) : respond()),
        invoke: respond,
        handleRequest: respond,
      }
      await expectRefused([...AUTHENTICATED, ...PASSED])
      expect(await stored()).toEqual(before)
    })

    test('breaks off a response that the adapter breaks off', async () => {
      const broken = async (): Promise<Response> => {
        const parts = [new TextEncoder().encode('{"half":'), undefined]
        const pull = (controller: ReadableStreamDefaultController): void => {
          const part = parts.shift()
          if (part) controller.enqueue(part)
          else controller.error(new Error('oops'))
        }
        return new Response(new ReadableStream({ pull }))
      }
      parts = { ...SOUND, invoke: broken, handleRequest: broken }
      for (const sent of PASSED) await expect(connection.send(sent)).rejects.toThrow()
      expect((await send({ method: 'GET', path: '/api/posts', headers: {} })).status).toBe(200)
    })

    test.each<[string, unknown]>([
      ['holds itself', Object.assign({ id: 'mia' }, { self: null })],
      ['holds what JSON does not know', { id: 1n }],
      ['throws when it is told', { toJSON: throws }],
    ])('rejects a principal that %s without revealing it', async (_name, principal) => {
      if (Object.hasOwn(principal as object, 'self')) Object.assign(principal as object, { self: principal })
      parts = { ...SOUND, getPrincipal: gives(principal) }
      await expectRefused(AUTHENTICATED.filter(({ path }) => path === '/api/cms/auth/session'))
    })

    test('is not called for requests without a credential or with the service token', async () => {
      parts = { getPrincipal: throws, getIdentity: throws, invoke: throws, handleRequest: throws }
      calls = 0
      const anonymous = [
        { method: 'GET', path: '/api/posts', headers: {} },
        { method: 'GET', path: '/api/posts/public', headers: {} },
        { method: 'GET', path: '/api/cms/auth/session', headers: {} },
        { method: 'GET', path: '/api/posts', headers: { authorization: `Bearer ${service.token}` } },
      ]
      const responses = await sendAll(anonymous)
      expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200])
      expect((await send({ method: 'POST', path: '/api/posts', headers: JSON_TYPE, body })).status).toBe(401)
      expect(calls).toBe(0)
    })

    test('is called twice for a request with a credential, with the same context', async () => {
      const contexts: AuthContext[] = []
      const keep = (context: AuthContext): Promise<null> => {
        contexts.push(context)
        return Promise.resolve(null)
      }
      parts = { ...SOUND, getPrincipal: keep, getIdentity: keep }
      expect((await send({ method: 'GET', path: '/api/posts', headers: BEARER })).status).toBe(200)
      expect(contexts).toHaveLength(2)
      expect(contexts[0]).toBe(contexts[1])
    })

    test('can reject a request by throwing a DaybookError', async () => {
      const refuse = rejects(new DaybookError('RATE_LIMITED', 'Slow down.', { retryAfter: 7 }))
      parts = { getPrincipal: refuse, getIdentity: refuse, invoke: refuse, handleRequest: refuse }
      const responses = await sendAll([...AUTHENTICATED, ...PASSED])
      for (const { status, headers } of responses) expect([status, headers.get('retry-after')]).toEqual([429, '7'])
    })

    test('gives sessions again as soon as it works', async () => {
      parts = { ...SOUND, getPrincipal: throws }
      await expectRefused(AUTHENTICATED)
      parts = SOUND
      const response = await send({ method: 'GET', path: '/api/posts/draft', headers: BEARER })
      expect(response.status).toBe(200)
    })

    test('cannot change the headers that every response has', async () => {
      const theirs = { 'X-Request-Id': 'their-request-id', 'X-Content-Type-Options': 'nosniff', 'X-Theirs': 'kept' }
      const respond = async (): Promise<Response> => Response.json({}, { headers: theirs })
      parts = { ...SOUND, invoke: respond, handleRequest: respond }
      for (const { headers } of await sendAll(PASSED)) {
        expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
        expect(headers.get('x-theirs')).toBe('kept')
      }
    })

    test('returns 404 for an unknown action', async () => {
      parts = { ...SOUND, invoke: gives(null) }
      const [response] = await sendAll(PASSED)
      expect(response?.status).toBe(404)
    })
  })
})

// No store is opened.
describe('an auth adapter with invalid capabilities', () => {
  test.each([
    [undefined],
    [null],
    ['own'],
    [Promise.resolve({ provider: 'own', providerRoutes: { enabled: false } })],
    [{}],
    [{ provider: 'own' }],
    [{ provider: '', providerRoutes: { enabled: false } }],
    [{ provider: 'own', providerRoutes: { enabled: 'yes', basePath: '/api/auth' } }],
    [{ provider: 'own', providerRoutes: { enabled: true } }],
    [{ provider: 'own', providerRoutes: { enabled: true, basePath: '' } }],
    [{ provider: 'own', providerRoutes: { enabled: true, basePath: 'api/auth' } }],
    [{ provider: 'own', providerRoutes: { enabled: true, basePath: '/api/auth/' } }],
    [{ provider: 'own', providerRoutes: { enabled: true, basePath: '/api/:any' } }],
    [{ provider: 'own', providerRoutes: { enabled: true, basePath: '/*' } }],
  ])('prevents the start: %j', async (capabilities) => {
    const faulty = { ...config, auth: { ...adapter, getCapabilities: () => capabilities as never } }
    await expect(createTestService(faulty)).rejects.toThrow(StartupError)
    await expect(createTestService(faulty)).rejects.toThrow(/^auth\.getCapabilities: return /)
  })
})
