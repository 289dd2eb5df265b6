import { createHmac } from 'node:crypto'
import { type AuthContext, defineCollection, defineConfig, f, type Identity, StartupError } from 'daybook'
import { type JwtOptions, jwt } from 'daybook/jwt'
import { createTestService, type TestService } from 'daybook/testing'
import fc from 'fast-check'
import { type CryptoKey, exportSPKI, importJWK, type JWK, SignJWT } from 'jose'
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { Issuer, METADATA, makeKey } from '../support/auth/issuer.ts'
import { expectQuietProcess, expectSane } from '../support/scenarios/sane.ts'
import { eventually } from '../support/timeouts.ts'

// On one kind of store, because tokens store nothing. The rights of sessions are tested elsewhere, on every store.

afterEach(async () => {
  vi.restoreAllMocks()
  await expectQuietProcess()
})

const NOBODY = { authenticated: false, principal: null, identity: null }
const COOL_DOWN_MS = 30_000
const HOUR_MS = 3_600_000

/** A service that takes an issuer's tokens. */
async function serve(issuer: Issuer, options: Partial<JwtOptions> = {}): Promise<TestService> {
  const service = await createTestService(
    defineConfig({
      auth: jwt({ issuer: issuer.url, audience: issuer.audience, ...options }),
      collections: { posts: defineCollection({ fields: { title: f.text({ required: true }) } }) },
    }),
  )
  onTestFinished(() => service.close())
  return service as unknown as TestService
}

async function make(options: Partial<JwtOptions> = {}): Promise<{ issuer: Issuer; service: TestService }> {
  const issuer = await Issuer.make()
  onTestFinished(() => issuer[Symbol.asyncDispose]())
  return { issuer, service: await serve(issuer, options) }
}

/** The context of a request, as an adapter receives it. */
const toContext = (token: string): AuthContext => ({
  headers: new Headers({ authorization: `Bearer ${token}` }),
  address: null,
  origin: 'https://cms.example.org',
})

interface Session {
  readonly authenticated: boolean
  readonly principal: object | null
  readonly identity: Identity | null
}

interface Outcome {
  readonly status: number
  readonly session: Session
}

/** The session that the service finds for a token. */
async function ask(service: TestService, token: string, scheme = 'Bearer'): Promise<Outcome> {
  const response = await service.request('/api/cms/auth/session', { headers: { authorization: `${scheme} ${token}` } })
  const { status, headers } = response
  const text = await response.text()
  expectSane({ status, headers, text })
  return { status, session: JSON.parse(text) }
}

/** A change with a token: 201 when it counts. */
async function write(service: TestService, token: string): Promise<number> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const { status } = await service.request('/api/posts', { method: 'POST', headers, body: '{"title":"x"}' })
  return status
}

async function expectNobody(service: TestService, token: string): Promise<void> {
  expect(await ask(service, token)).toEqual({ status: 200, session: NOBODY })
  expect(await write(service, token)).toBe(401)
}

async function expectSomebody(service: TestService, token: string): Promise<void> {
  const { status, session } = await ask(service, token)
  expect({ status, authenticated: session.authenticated }).toEqual({ status: 200, authenticated: true })
}

async function expectUnavailable(service: TestService, token: string): Promise<void> {
  expect((await ask(service, token)).status).toBe(503)
  expect(await write(service, token)).toBe(503)
}

const now = performance.now.bind(performance)

/** Stops the clock of the keys' age at a time from now. */
function skip(ms: number): void {
  vi.spyOn(performance, 'now').mockReturnValue(now() + ms)
}

const base64 = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')

describe('a token of the issuer', () => {
  test('gives a session with subject, session id, expiry, claims and the profile', async () => {
    const { issuer, service } = await make()
    const exp = Math.floor(Date.now() / 1000) + 300
    const claims = { sid: 's-1', jti: 't-1', email: 'mia@example.org', name: 'Mia', exp }
    const { session } = await ask(service, await issuer.token({ claims }))
    expect(session).toEqual({
      authenticated: true,
      principal: { id: 'mia', email: 'mia@example.org', name: 'Mia' },
      identity: {
        provider: 'jwt',
        subject: 'mia',
        sessionId: 's-1',
        actorType: 'human',
        expiresAt: new Date((exp + 5) * 1000).toISOString(),
        claims: { iss: issuer.url, aud: issuer.audience, sub: 'mia', iat: expect.any(Number), ...claims },
        roles: [],
      },
    })
  })

  test('lets its holder write, beside the service token', async () => {
    const { issuer, service } = await make()
    expect(await write(service, await issuer.token())).toBe(201)
    expect(await write(service, service.token)).toBe(201)
  })

  test.each(['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'])(
    'counts with a signature by %s',
    async (alg) => {
      await using issuer = await Issuer.make(alg)
      await expectSomebody(await serve(issuer), await issuer.token())
    },
  )

  test.each(['bearer', 'BEARER', 'Bearer  '])(
    'counts with the scheme written "%s" (RFC 9110, section 11.1)',
    async (scheme) => {
      const { issuer, service } = await make()
      expect((await ask(service, await issuer.token(), scheme)).session.authenticated).toBe(true)
    },
  )

  test('is accepted for one of several audiences, in the token or in the config', async () => {
    const { issuer, service } = await make({ audience: ['https://other.example.org', 'https://cms.example.org'] })
    await expectSomebody(service, await issuer.token({ claims: { aud: ['a', issuer.audience] } }))
    await expectSomebody(service, await issuer.token({ claims: { aud: 'https://other.example.org' } }))
    await expectNobody(service, await issuer.token({ claims: { aud: 'https://third.example.org' } }))
  })

  test('is accepted within the clock tolerance, and no longer', async () => {
    const { issuer, service } = await make({ clockToleranceSeconds: 60 })
    const now = Math.floor(Date.now() / 1000)
    await expectSomebody(service, await issuer.token({ claims: { exp: now - 30 } }))
    await expectSomebody(service, await issuer.token({ claims: { nbf: now + 30 } }))
    await expectNobody(service, await issuer.token({ claims: { exp: now - 90 } }))
    await expectNobody(service, await issuer.token({ claims: { nbf: now + 90 } }))
  })

  test('expires even if it was verified before', async () => {
    const { issuer, service } = await make({ clockToleranceSeconds: 0 })
    const token = await issuer.token({ claims: { exp: Math.floor(Date.now() / 1000) + 3 } })
    const adapter = jwt({ issuer: issuer.url, audience: issuer.audience, clockToleranceSeconds: 0 })
    await expectSomebody(service, token)
    expect(await adapter.getIdentity(toContext(token))).toMatchObject({ subject: 'mia' })
    await eventually(() => expectNobody(service, token))
    expect(await adapter.getIdentity(toContext(token))).toBeNull()
  })

  test('may expire after the year 9999', async () => {
    const { issuer, service } = await make()
    const { session } = await ask(service, await issuer.token({ claims: { exp: 1e300 } }))
    expect(session.identity?.expiresAt).toBe('9999-12-31T23:59:59.000Z')
  })

  test('needs the type that the config requires (RFC 9068, section 4)', async () => {
    const { issuer, service } = await make({ tokenType: 'at+jwt' })
    await expectSomebody(service, await issuer.token({ head: { typ: 'at+jwt' } }))
    await expectSomebody(service, await issuer.token({ head: { typ: 'application/AT+JWT' } }))
    await expectNobody(service, await issuer.token({ head: { typ: 'JWT' } }))
    await expectNobody(service, await issuer.token())
  })
})

describe('an invalid token gives no session', () => {
  const past = Math.floor(Date.now() / 1000) - 3600
  const claims: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
    'another issuer': { iss: 'https://evil.example.org' },
    'the issuer with a slash': { iss: 'http://127.0.0.1/' },
    'no issuer': { iss: undefined },
    'another audience': { aud: 'https://other.example.org' },
    'a longer audience': { aud: 'https://cms.example.org.evil.example' },
    'no audience': { aud: undefined },
    'an audience of another type': { aud: { 'https://cms.example.org': true } },
    'an end that is past': { exp: past },
    'no end': { exp: undefined },
    'an end that is text': { exp: '9999999999' },
    'a beginning to come': { nbf: past + 7200 },
    'a beginning that is text': { nbf: 'yesterday' },
    'no subject': { sub: undefined },
    'an empty subject': { sub: '' },
    'a subject that is a number': { sub: 1 },
  }
  test.each(Object.entries(claims))('%s', async (_name, wrong) => {
    const { issuer, service } = await make()
    await expectNobody(service, await issuer.token({ claims: wrong }))
  })

  test('signed with another key under the id of the issuer’s', async () => {
    const { issuer, service } = await make()
    const [real] = issuer.keys
    await expectNobody(service, await issuer.token({ key: { ...(await makeKey()), kid: String(real?.kid) } }))
  })

  test('signed with a key that the token contains or links to', async () => {
    const { issuer, service } = await make()
    await using evil = await Issuer.make()
    const key = evil.keys[0]
    if (!key) throw new Error('An issuer has a key.')
    const heads = [
      { jwk: key.jwk },
      { jku: evil.jwksUrl },
      { x5u: evil.jwksUrl },
      { kid: evil.jwksUrl },
      { kid: '../../x' },
    ]
    for (const head of heads) await expectNobody(service, await issuer.token({ key, head }))
    expect(evil.requestedPaths).toEqual([])
  })

  test('without a signature: alg none in any spelling', async () => {
    const { issuer, service } = await make()
    const [, payload] = (await issuer.token()).split('.')
    for (const alg of ['none', 'None', 'NONE', '', null, 0, ['ES256']]) {
      const head = base64({ alg, kid: issuer.keys[0]?.kid })
      for (const signature of ['', 'AA', 'x']) await expectNobody(service, `${head}.${payload}.${signature}`)
    }
  })

  test('signed with the public key as a secret (HMAC)', async () => {
    const { issuer, service } = await make({ algorithms: ['RS256', 'ES256'] })
    const { jwk, kid } = issuer.keys[0] as { jwk: JWK; kid: string }
    const publicKey = (await importJWK(jwk)) as CryptoKey
    const [, payload] = (await issuer.token()).split('.')
    for (const secret of [await exportSPKI(publicKey), JSON.stringify(jwk), '']) {
      const signed = `${base64({ alg: 'HS256', kid })}.${payload}`
      const signature = createHmac('sha256', secret).update(signed).digest('base64url')
      await expectNobody(service, `${signed}.${signature}`)
    }
  })

  test('with a symmetric key, even if the issuer publishes it', async () => {
    const { issuer, service } = await make()
    const secret = Buffer.alloc(32, 7)
    const oct = {
      ...(await makeKey()),
      kid: 'shared',
      jwk: { kty: 'oct', k: secret.toString('base64url'), kid: 'shared', alg: 'HS256' },
    }
    issuer.keys = [...issuer.keys, oct]
    const token = await new SignJWT({ iss: issuer.url, aud: issuer.audience, sub: 'mia', exp: past + 7200 })
      .setProtectedHeader({ alg: 'HS256', kid: 'shared' })
      .sign(secret)
    await expectNobody(service, token)
  })

  test('with a signature that the config does not name', async () => {
    const { issuer, service } = await make({ algorithms: ['RS256'] })
    await expectNobody(service, await issuer.token())
  })

  test('with an unknown critical header parameter (RFC 7515, section 4.1.11)', async () => {
    const { issuer, service } = await make()
    const [, payload, signature] = (await issuer.token()).split('.')
    const head = { alg: 'ES256', kid: issuer.keys[0]?.kid, crit: ['odd'], odd: 1 }
    await expectNobody(service, `${base64(head)}.${payload}.${signature}`)
  })

  test('that names no key where the issuer has several', async () => {
    const { issuer, service } = await make()
    issuer.keys = [...issuer.keys, await makeKey()]
    await expectNobody(service, await issuer.token({ head: { kid: undefined } }))
  })

  test('that is malformed', async () => {
    const { service } = await make()
    const short = ['x', 'a.b', 'a.b.c', '..', 'a.b.c.d.e', 'e30.e30.e30', 'bnVsbA.bnVsbA.AA']
    const long = ['A'.repeat(8192), `${'A'.repeat(3000)}.e30.AA`, `a.b.${'c'.repeat(9000)}`]
    for (const token of [...short, ...long]) await expectNobody(service, token)
  })

  test('longer than 8 KiB, even if it is valid', async () => {
    const { issuer, service } = await make()
    await expectNobody(service, await issuer.token({ claims: { groups: 'x'.repeat(8192) } }))
  })

  test('changed in any character', async () => {
    const { issuer, service } = await make()
    const token = await issuer.token()
    await expectSomebody(service, token)
    const characters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.=~+/'
    // The last character of a signature has bits that mean nothing.
    const place = fc.integer({ min: 0, max: token.length - 2 })
    const other = fc.constantFrom(...characters)
    const property = fc.asyncProperty(place, other, async (at, character) => {
      fc.pre(token[at] !== character)
      await expectNobody(service, `${token.slice(0, at)}${character}${token.slice(at + 1)}`)
    })
    await fc.assert(property, { numRuns: 200 })
  })
})

describe('claims', () => {
  const roles: readonly (readonly [
    name: string,
    option: NonNullable<JwtOptions['roles']>,
    claims: object,
    roles: string[],
  ])[] = [
    ['a list', 'roles', { roles: ['editor', 'author'] }, ['editor', 'author']],
    ['a dotted path', 'realm_access.roles', { realm_access: { roles: ['editor'] } }, ['editor']],
    [
      'a claim with dots in its name',
      'https://example.org/roles',
      { 'https://example.org/roles': ['editor'] },
      ['editor'],
    ],
    ['scopes', 'scope', { scope: 'posts:read posts:write' }, ['posts:read', 'posts:write']],
    ['nothing there', 'roles', {}, []],
    ['nothing on the way', 'a.b.c', { a: 1 }, []],
    ['what is inherited', 'constructor.name', {}, []],
    ['other types', 'roles', { roles: ['editor', '', 1, null, ['x']] }, ['editor']],
    ['no list', 'roles', { roles: { editor: true } }, []],
    ['a function', ({ department }) => [`${department}-editor`], { department: 'news' }, ['news-editor']],
  ]
  test.each(roles)('roles: %s', async (_name, option, claims, expected) => {
    const { issuer, service } = await make({ roles: option })
    const { session } = await ask(service, await issuer.token({ claims: { ...claims } }))
    expect(session.identity?.roles).toEqual(expected)
  })

  test('subject from another claim, actor type from a function, provider by name', async () => {
    const { issuer, service } = await make({
      subject: 'user.id',
      actorType: ({ azp, sub }) => (azp === sub ? 'service' : 'human'),
      provider: 'intranet',
    })
    const { session } = await ask(service, await issuer.token({ claims: { user: { id: 'u-1' }, azp: 'mia' } }))
    expect(session.identity).toMatchObject({ provider: 'intranet', subject: 'u-1', actorType: 'service' })
    await expectNobody(service, await issuer.token())
  })

  test('session id: sid, else jti, else one for each token', async () => {
    const { issuer, service } = await make()
    const sessionOf = async (claims: Readonly<Record<string, unknown>>): Promise<string> =>
      String((await ask(service, await issuer.token({ claims }))).session.identity?.sessionId)
    expect(await sessionOf({ sid: 's', jti: 't' })).toBe('s')
    expect(await sessionOf({ jti: 't' })).toBe('t')
    const [first, second] = [await sessionOf({ n: 1 }), await sessionOf({ n: 2 })]
    expect(first).toMatch(/^[\w-]{43}$/)
    expect(second).not.toBe(first)
  })

  test.each<Partial<JwtOptions>>([
    {
      roles: () => {
        throw new Error('oops')
      },
    },
    { roles: () => 'admin' as never },
    { roles: () => [1] as never },
    { actorType: () => 'robot' as never },
  ])('a function that fails rejects the token: %o', async (options) => {
    const { issuer, service } = await make(options)
    await expectUnavailable(service, await issuer.token())
  })

  test('an access rule cannot change the cached claims of a token', async () => {
    await using issuer = await Issuer.make()
    const adapter = jwt({ issuer: issuer.url, audience: issuer.audience, roles: 'a.roles' })
    const token = await issuer.token({ claims: { a: { roles: ['editor'] } } })
    const identity = await adapter.getIdentity(toContext(token))
    const { roles, claims } = identity as Identity & { claims: { a: { roles: string[] } } }
    expect(() => (roles as string[]).push('admin')).toThrow(TypeError)
    expect(() => claims.a.roles.push('admin')).toThrow(TypeError)
  })
})

describe('the issuer’s keys', () => {
  test('are loaded from the URL in the issuer’s metadata or in the config', async () => {
    const { issuer, service } = await make()
    await expectSomebody(service, await issuer.token())
    expect(issuer.requestedPaths).toEqual(['/.well-known/openid-configuration', '/keys'])
    issuer.requestedPaths.length = 0
    const direct = await serve(issuer, { issuer: 'intranet', jwksUrl: issuer.jwksUrl })
    await expectSomebody(direct, await issuer.token({ claims: { iss: 'intranet' } }))
    expect(issuer.requestedPaths).toEqual(['/keys'])
  })

  test('are loaded once for concurrent and for later requests', async () => {
    const { issuer, service } = await make()
    const tokens = await Promise.all(Array.from({ length: 30 }, (_, n) => issuer.token({ claims: { sub: `u${n}` } })))
    await Promise.all(tokens.map((token) => expectSomebody(service, token)))
    expect(issuer.loads).toBe(1)
  })

  test('are not loaded for requests without a token', async () => {
    const { issuer, service } = await make()
    expect((await service.request('/api/posts')).status).toBe(200)
    expect((await service.request('/api/posts', { headers: { cookie: 'a=b' } })).status).toBe(200)
    await expectNobody(service, 'x')
    expect(issuer.requestedPaths).toEqual([])
  })

  test('rotate: a new key is accepted, and the former one while it is published', async () => {
    const { issuer, service } = await make()
    const before = await issuer.token()
    await expectSomebody(service, before)
    issuer.keys = [await makeKey(), ...issuer.keys]
    skip(COOL_DOWN_MS)
    await expectSomebody(service, await issuer.token())
    await expectSomebody(service, before)
    expect(issuer.loads).toBe(2)
  })

  test('are not reloaded for every made-up key id', async () => {
    const { issuer, service } = await make()
    await expectSomebody(service, await issuer.token())
    const storm = async (): Promise<void> => {
      const heads = Array.from({ length: 50 }, (_, n) => ({ kid: `made-up-${n}` }))
      await Promise.all(heads.map(async (head) => expectNobody(service, await issuer.token({ head }))))
    }
    await storm()
    expect(issuer.loads).toBe(1)
    skip(COOL_DOWN_MS)
    await storm()
    expect(issuer.loads).toBe(2)
  })

  test('invalidate their tokens once they are withdrawn, cached or not', async () => {
    const { issuer, service } = await make()
    const token = await issuer.token()
    await expectSomebody(service, token)
    issuer.keys = [await makeKey()]
    skip(HOUR_MS / 2)
    // Old keys are used until newer ones are loaded.
    await eventually(() => expectNobody(service, token))
    await expectSomebody(service, await issuer.token())
  })

  test('keep verified tokens cached if a reload brings the same keys', async () => {
    const roles = vi.fn(() => ['editor'])
    const { issuer, service } = await make({ roles })
    const token = await issuer.token()
    await expectSomebody(service, token)
    skip(HOUR_MS / 2)
    await expectSomebody(service, token)
    await eventually(() => expect(issuer.loads).toBe(2))
    await expectSomebody(service, token)
    expect(roles).toHaveBeenCalledTimes(1)
  })

  test('stay valid for an hour while the issuer is unreachable', async () => {
    const { issuer, service } = await make()
    const token = await issuer.token()
    await expectSomebody(service, token)
    await issuer.stop()
    skip(HOUR_MS / 2)
    await expectSomebody(service, token)
    await expectSomebody(service, await issuer.token({ claims: { sub: 'ann' } }))
    skip(HOUR_MS)
    await expectUnavailable(service, token)
    await issuer.start()
    skip(2 * HOUR_MS)
    await expectSomebody(service, token)
  })
})

describe('while the keys cannot be loaded, tokens get 503 and requests without a token are served', () => {
  test('the issuer is down, and comes back', async () => {
    const { issuer, service } = await make()
    await issuer.stop()
    await expectUnavailable(service, await issuer.token())
    expect((await service.request('/api/posts')).status).toBe(200)
    expect(await write(service, service.token)).toBe(201)
    await issuer.start()
    skip(1000)
    await expectSomebody(service, await issuer.token())
  })

  test('the issuer gets at most one request a second while it is down', async () => {
    const { issuer, service } = await make()
    issuer.instead = (_incoming, response) => void response.writeHead(500).end()
    const token = await issuer.token()
    skip(0)
    await expectUnavailable(service, token)
    await expectUnavailable(service, token)
    expect(issuer.requestedPaths).toHaveLength(1)
    skip(1000)
    await expectUnavailable(service, token)
    expect(issuer.requestedPaths).toHaveLength(2)
  })

  test('the issuer is slow: requests get 503 until the keys are loaded', async () => {
    const { issuer, service } = await make()
    const delay = Promise.withResolvers<void>()
    issuer.instead = async (incoming, response) => {
      await delay.promise
      issuer.respond(incoming, response)
    }
    const token = await issuer.token()
    await expectUnavailable(service, token)
    delay.resolve()
    await eventually(() => expectSomebody(service, token))
    expect(issuer.loads).toBe(1)
  })

  test('the response never ends', async () => {
    const { issuer, service } = await make()
    issuer.instead = (_incoming, response) => {
      const more = (): void => {
        while (!response.destroyed && response.write(' '.repeat(65_536)));
        if (!response.destroyed) response.once('drain', more)
      }
      more()
    }
    await expectUnavailable(service, await issuer.token())
  })

  const documents = [
    '',
    'null',
    '1',
    '[]',
    '"x"',
    '{',
    '<html></html>',
    '\u0000',
    '{"keys":1}',
    '{"keys":[1]}',
    '{"keys":{}}',
  ]
  test.each(documents)('the keys are garbage: %j', async (text) => {
    const { issuer, service } = await make()
    issuer.instead = (incoming, response) => {
      if (incoming.url === '/keys') response.end(text)
      else issuer.respond(incoming, response)
    }
    await expectUnavailable(service, await issuer.token())
  })

  /** The same server, under an address that may belong to another machine. */
  const unsafe = (url: string): string => `${url.replace('127.0.0.1', '0.0.0.0')}/keys`
  const metadata: readonly (readonly [string, (issuer: Issuer) => object])[] = [
    ['is about another issuer', (issuer) => ({ ...issuer.metadata(), issuer: 'https://evil.example.org' })],
    ['names no keys', ({ url }) => ({ issuer: url })],
    ['names keys that others can change on the way', ({ url }) => ({ issuer: url, jwks_uri: unsafe(url) })],
    ['names a file', ({ url }) => ({ issuer: url, jwks_uri: 'file:///etc/passwd' })],
    ['is empty', () => ({})],
  ]
  test.each(metadata)('the metadata %s', async (_name, document) => {
    const { issuer, service } = await make()
    issuer.instead = (incoming, response) => {
      if (incoming.url === METADATA) response.end(JSON.stringify(document(issuer)))
      else issuer.respond(incoming, response)
    }
    await expectUnavailable(service, await issuer.token())
  })

  test('the right keys have the wrong status', async () => {
    const { issuer, service } = await make()
    issuer.instead = (incoming, response) => {
      if (incoming.url === METADATA) issuer.respond(incoming, response)
      else response.writeHead(203).end(JSON.stringify(issuer.jwks()))
    }
    await expectUnavailable(service, await issuer.token())
  })

  test('the response is larger than a mebibyte', async () => {
    const { issuer, service } = await make()
    issuer.instead = (incoming, response) => {
      if (incoming.url === METADATA) issuer.respond(incoming, response)
      else response.end(JSON.stringify({ ...issuer.jwks(), more: 'x'.repeat(1024 * 1024) }))
    }
    await expectUnavailable(service, await issuer.token())
  })

  test('the response is a redirect', async () => {
    const { issuer, service } = await make()
    await using evil = await Issuer.make()
    issuer.instead = ({ url }, response) => void response.writeHead(302, { Location: `${evil.url}${url}` }).end()
    await expectUnavailable(service, await issuer.token())
    expect(evil.requestedPaths).toEqual([])
  })

  test.each([undefined, ['verify'], ['sign', 'verify']])('the keys are private, for %j', async (key_ops) => {
    const { issuer, service } = await make()
    const [key] = issuer.keys
    if (!key) throw new Error('An issuer has a key.')
    const { d } = await crypto.subtle.exportKey('jwk', key.privateKey)
    issuer.keys = [{ ...key, jwk: { ...key.jwk, d, ...(key_ops && { key_ops }) } as JWK }]
    await expectUnavailable(service, await issuer.token())
  })
})

describe('options are checked at start', () => {
  const fine: JwtOptions = { issuer: 'https://login.example.org', audience: 'cms' }
  const wrong: readonly (readonly [options: object, option: string])[] = [
    [{ issuer: undefined }, 'issuer'],
    [{ issuer: '' }, 'issuer'],
    [{ issuer: 'login.example.org' }, 'issuer'],
    [{ issuer: 'http://login.example.org' }, 'issuer'],
    [{ issuer: 'http://localhost.evil.example' }, 'issuer'],
    [{ issuer: '', jwksUrl: 'https://login.example.org/keys' }, 'issuer'],
    [{ audience: undefined }, 'audience'],
    [{ audience: [] }, 'audience'],
    [{ audience: ['a', ''] }, 'audience'],
    [{ jwksUrl: '/keys' }, 'jwksUrl'],
    [{ jwksUrl: 'http://login.example.org/keys' }, 'jwksUrl'],
    [{ jwksUrl: 'file:///keys' }, 'jwksUrl'],
    [{ algorithms: [] }, 'algorithms'],
    [{ algorithms: ['none'] }, 'algorithms'],
    [{ algorithms: ['RS256', 'HS256'] }, 'algorithms'],
    [{ algorithms: 'RS256' }, 'algorithms'],
    [{ roles: ['editor'] }, 'roles'],
    [{ subject: '' }, 'subject'],
    [{ actorType: 'robot' }, 'actorType'],
    [{ clockToleranceSeconds: -1 }, 'clockToleranceSeconds'],
    [{ clockToleranceSeconds: Number.NaN }, 'clockToleranceSeconds'],
    [{ clockToleranceSeconds: 3600 }, 'clockToleranceSeconds'],
    [{ clockToleranceSeconds: '5' }, 'clockToleranceSeconds'],
    [{ tokenType: '' }, 'tokenType'],
    [{ provider: '' }, 'provider'],
    [{ algorithm: ['RS256'] }, 'algorithm'],
  ]
  test.each(wrong)('%o', (options, option) => {
    expect(() => jwt({ ...fine, ...options })).toThrow(StartupError)
    expect(() => jwt({ ...fine, ...options })).toThrow(
      new RegExp(`^The options of jwt\\(\\) cannot be used:\\n  ${option}: [^\\n]+$`),
    )
  })

  test('all faults are listed at once', () => {
    expect(() => jwt({} as JwtOptions)).toThrow(/issuer: write .*\n {2}audience: write /)
  })

  test('with jwksUrl, the issuer may be any text', () => {
    expect(() => jwt({ ...fine, issuer: 'intranet', jwksUrl: 'http://localhost:8080/keys' })).not.toThrow()
  })
})
