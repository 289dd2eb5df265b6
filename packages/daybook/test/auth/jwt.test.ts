import { createHmac } from 'node:crypto'
import { type Identity, StartupError } from 'daybook'
import { type JwtOptions, jwt } from 'daybook/jwt'
import fc from 'fast-check'
import { type CryptoKey, exportSPKI, importJWK, type JWK, SignJWT } from 'jose'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { Issuer, makeKey } from '../support/auth/issuer.ts'
import { expectQuietProcess } from '../support/scenarios/sane.ts'
import { eventually } from '../support/timeouts.ts'
import {
  base64,
  expectNobody,
  expectSomebody,
  expectUnavailable,
  make,
  sendRequest,
  serve,
  toContext,
  write,
} from './jwt-service.ts'

// On one kind of store, because tokens store nothing. The rights of sessions are tested elsewhere, on every store.

afterEach(async () => {
  vi.restoreAllMocks()
  await expectQuietProcess()
})

describe('a token of the issuer', () => {
  test('gives a session with subject, session id, expiry, claims and the profile', async () => {
    const { issuer, service } = await make()
    const exp = Math.floor(Date.now() / 1000) + 300
    const claims = { sid: 's-1', jti: 't-1', email: 'mia@example.org', name: 'Mia', exp }
    const { session } = await sendRequest(service, await issuer.token({ claims }))
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
      expect((await sendRequest(service, await issuer.token(), scheme)).session.authenticated).toBe(true)
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
    const { session } = await sendRequest(service, await issuer.token({ claims: { exp: 1e300 } }))
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
    const { session } = await sendRequest(service, await issuer.token({ claims: { ...claims } }))
    expect(session.identity?.roles).toEqual(expected)
  })

  test('subject from another claim, actor type from a function, provider by name', async () => {
    const { issuer, service } = await make({
      subject: 'user.id',
      actorType: ({ azp, sub }) => (azp === sub ? 'service' : 'human'),
      provider: 'intranet',
    })
    const { session } = await sendRequest(service, await issuer.token({ claims: { user: { id: 'u-1' }, azp: 'mia' } }))
    expect(session.identity).toMatchObject({ provider: 'intranet', subject: 'u-1', actorType: 'service' })
    await expectNobody(service, await issuer.token())
  })

  test('session id: sid, else jti, else one for each token', async () => {
    const { issuer, service } = await make()
    const sessionOf = async (claims: Readonly<Record<string, unknown>>): Promise<string> =>
      String((await sendRequest(service, await issuer.token({ claims }))).session.identity?.sessionId)
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
      new RegExp(`^The options of jwt\\(\\) cannot be used:\\n  ${option} [^\\n]+$`),
    )
  })

  test('all faults are listed at once', () => {
    expect(() => jwt({} as JwtOptions)).toThrow(/\n {2}issuer must be .*\n {2}audience must be /)
  })

  test('with jwksUrl, the issuer may be any text', () => {
    expect(() => jwt({ ...fine, issuer: 'intranet', jwksUrl: 'http://localhost:8080/keys' })).not.toThrow()
  })
})
