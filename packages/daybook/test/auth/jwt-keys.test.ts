import type { JWK } from 'jose'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { Issuer, METADATA, makeKey } from '../support/auth/issuer.ts'
import { expectQuietProcess } from '../support/scenarios/sane.ts'
import { eventually } from '../support/timeouts.ts'
import {
  COOL_DOWN_MS,
  expectNobody,
  expectSomebody,
  expectUnavailable,
  HOUR_MS,
  make,
  serve,
  skip,
  write,
} from './jwt-service.ts'

// On one kind of store, because tokens store nothing. The rights of sessions are tested elsewhere, on every store.

afterEach(async () => {
  vi.restoreAllMocks()
  await expectQuietProcess()
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
