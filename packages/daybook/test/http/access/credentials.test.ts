import { type AuthAdapter, type AuthContext, defineCollection, defineConfig, f, isAuthenticated } from 'daybook'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { identityOf } from '../../support/auth/people.ts'
import { listen } from '../../support/network/listening.ts'
import { exchange, requestText } from '../../support/network/raw-http.ts'
import { CANARY, expectNoCanary, expectQuietProcess, expectSane } from '../../support/scenarios/sane.ts'
import { type Connection, type TestResponse, TRANSPORTS } from '../../support/scenarios/transports.ts'
import { POLICY_STORES, type StoredService } from '../../support/stores/stores.ts'

/** Credentials that are valid as a token and as a cookie. */
const PEOPLE: ReadonlyMap<string, string> = new Map([
  ['token-of-mia', 'mia'],
  ['token-of-ann', 'ann'],
])

/** An adapter that accepts `Authorization: Bearer`, or else the cookie `sid`. */
function credentialOf({ headers }: AuthContext): string {
  const token = /^Bearer (\S+)$/.exec(headers.get('authorization') ?? '')?.[1]
  return token ?? /(?:^|; )sid=([^;]+)/.exec(headers.get('cookie') ?? '')?.[1] ?? ''
}

const auth: AuthAdapter = {
  getCapabilities: () => ({ provider: 'people', providerRoutes: { enabled: false } }),
  getPrincipal: async (context) => {
    const id = PEOPLE.get(credentialOf(context))
    return id === undefined ? null : { id }
  },
  getIdentity: async (context) => {
    const subject = PEOPLE.get(credentialOf(context))
    return subject === undefined ? null : identityOf(subject)
  },
}

const config = defineConfig({
  auth,
  collections: {
    posts: defineCollection({
      fields: {
        title: f.text({ required: true }),
        slug: f.slug({ from: 'title' }),
        status: f.status(),
        secret: f.text({ access: { read: isAuthenticated } }),
      },
    }),
  },
  seed: async ({ create }) => {
    await create('posts', { title: 'Public', secret: CANARY })
    await create('posts', { title: `Draft ${CANARY}`, slug: 'draft', status: 'draft' })
  },
})

const unsigned = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${Buffer.from('{"sub":"mia"}').toString('base64url')}.`

const INVALID_HEADERS: Readonly<Record<string, string>> = {
  Basic: `Basic ${Buffer.from('mia:token-of-mia').toString('base64')}`,
  Digest: 'Digest username="mia", response="token-of-mia"',
  'the token without a scheme': 'token-of-mia',
  'an empty value': '',
  'a scheme alone': 'Bearer',
  'an empty token': 'Bearer ',
  'a token of spaces': 'Bearer    ',
  'two in one': 'Bearer token-of-mia, Bearer token-of-mia',
  'two people in one': 'Bearer token-of-mia, Bearer token-of-ann',
  'a token and a word': 'Bearer token-of-mia x',
  'a token in quotes': 'Bearer "token-of-mia"',
  'a token with one character changed': 'Bearer token-of-mib',
  'a token with one character more': 'Bearer token-of-mia1',
  'a token in capitals': 'Bearer TOKEN-OF-MIA',
  'a token of 8 KB': `Bearer ${'x'.repeat(8192)}`,
  'a token without a signature': `Bearer ${unsigned}`,
  'escaped line ends': 'Bearer token-of-mia%0d%0aCookie:%20sid=token-of-mia',
}

afterEach(() => expectQuietProcess())

describe.each(POLICY_STORES)('credentials on $name', (store) => {
  describe.each(TRANSPORTS)('over $name', (transport) => {
    let service: StoredService
    let connection: Connection
    beforeAll(async () => {
      service = await store.open(config)
      connection = await transport.connect(service)
    })
    afterAll(() => connection.close())

    const send = async (
      method: string,
      path: string,
      headers: Readonly<Record<string, string>>,
    ): Promise<TestResponse> => {
      const isRead = method === 'GET'
      const all = isRead ? headers : { ...headers, 'content-type': 'application/json' }
      const response = await connection.send({
        method,
        path,
        headers: all,
        body: isRead ? undefined : '{"title":"New"}',
      })
      expectSane(response, method)
      return response
    }
    const subjectOf = async (headers: Readonly<Record<string, string>>): Promise<string | null> =>
      JSON.parse((await send('GET', '/api/cms/auth/session', headers)).text).identity?.subject ?? null
    /** Checks that writes are 401, and that reads show public content. */
    const expectNobody = async (headers: Readonly<Record<string, string>>): Promise<void> => {
      expect(await subjectOf(headers)).toBeNull()
      expect((await send('POST', '/api/posts', headers)).status).toBe(401)
      expect((await send('GET', '/api/posts/draft', headers)).status).toBe(404)
      const list = await send('GET', '/api/posts', headers)
      expect(JSON.parse(list.text)).toMatchObject({ total: 1, items: [{ slug: 'public' }] })
      expectNoCanary(list)
    }

    test.each(Object.entries(INVALID_HEADERS))('%s in Authorization gives no session', async (_name, authorization) => {
      await expectNobody({ authorization })
    })

    test.each(Object.entries(INVALID_HEADERS))(
      '%s in Authorization beside a good cookie is nobody, too',
      async (_name, authorization) => {
        await expectNobody({ authorization, cookie: 'sid=token-of-mia' })
      },
    )

    test.each([
      'sid=token-of-mib',
      'sid=',
      'sid',
      'SID=token-of-mia',
      'sid="token-of-mia"',
      'xsid=token-of-mia',
      `sid=${'x'.repeat(8000)}`,
    ])('the cookie %s gives no session', async (cookie) => {
      await expectNobody({ cookie })
    })

    test('a valid token gives a session, and so does a valid cookie', async () => {
      expect(await subjectOf({ authorization: 'Bearer token-of-mia' })).toBe('mia')
      expect(await subjectOf({ cookie: 'a=b; sid=token-of-ann' })).toBe('ann')
      expect((await send('GET', '/api/posts/draft', { cookie: 'sid=token-of-ann' })).status).toBe(200)
    })

    test('a token takes precedence over the cookie of another person', async () => {
      expect(await subjectOf({ authorization: 'Bearer token-of-mia', cookie: 'sid=token-of-ann' })).toBe('mia')
      expect(await subjectOf({ cookie: 'sid=token-of-mia', authorization: 'Bearer token-of-ann' })).toBe('ann')
      expect(await subjectOf({ authorization: `Bearer ${service.token}`, cookie: 'sid=token-of-ann' })).toBe('service')
    })

    test('a token in the URL is no credential', async () => {
      for (const token of ['token-of-mia', service.token]) {
        for (const name of ['access_token', 'token', 'authorization', 'sid']) {
          const query = `${name}=${encodeURIComponent(token)}`
          expect((await send('POST', `/api/posts?${query}`, {})).status).toBe(401)
          expect((await send('GET', `/api/posts?${query}`, {})).status).toBe(400)
          expect((await send('GET', `/api/cms/auth/session?${query}`, {})).status).toBe(400)
        }
      }
    })

    test('a token in the body is no credential', async () => {
      const body = JSON.stringify({ title: 'New', access_token: 'token-of-mia' })
      const headers = { 'content-type': 'application/json' }
      expect((await connection.send({ method: 'POST', path: '/api/posts', headers, body })).status).toBe(401)
    })
  })
})

// These need a raw socket, because web Headers join or reject them.
describe('credentials as bytes', () => {
  const line = 'GET /api/cms/auth/session'
  const close = 'Connection: close'

  test('two Authorization headers are rejected in either order, also with the service token', async () => {
    await using server = await listen(config)
    const [mia, ann] = ['Authorization: Bearer token-of-mia', 'Authorization: Bearer token-of-ann']
    for (const headers of [
      [mia, ann],
      [ann, mia],
      [mia, mia],
      [mia, server.authorization],
      [server.authorization, mia],
      [server.authorization, server.authorization],
    ]) {
      for (const requestLine of [line, 'DELETE /api/posts/public']) {
        const [response] = await exchange(server.port, requestText(requestLine, [...headers, close]))
        expect(response?.status, requestLine).toBe(400)
        expect(JSON.parse(response?.text ?? '').message).toContain('Authorization')
      }
    }
  })

  test('the case of header names is ignored', async () => {
    await using server = await listen(config)
    const [response] = await exchange(server.port, requestText(line, ['aUTHORIZATION: Bearer token-of-mia', close]))
    expect(JSON.parse(response?.text ?? '').identity.subject).toBe('mia')
  })

  test('a credential with bytes outside ASCII gives no session', async () => {
    await using server = await listen(config)
    const request = Buffer.from(
      requestText(line, ['Authorization: Bearer token-of-mi\u00e4', 'Cookie: sid=\u00ff', close]),
      'latin1',
    )
    const [response] = await exchange(server.port, request)
    expect(JSON.parse(response?.text ?? '').authenticated).toBe(false)
  })

  test.each([
    ['a line end', 'Authorization: Bearer token-of-mia\n x', 400],
    ['a bare CR', 'Authorization: Bearer token-of-\rmia', 400],
    ['NUL', 'Authorization: Bearer token-of-mia\0', 400],
    ['a space before the colon', 'Authorization : Bearer token-of-mia', 400],
    ['more than a head may hold', `Authorization: Bearer ${'x'.repeat(70_000)}`, 431],
  ])('a request with %s in a credential is rejected', async (_name, header, status) => {
    await using server = await listen(config)
    const [response] = await exchange(server.port, requestText(line, [header, close]))
    expect(response?.status).toBe(status)
  })
})
