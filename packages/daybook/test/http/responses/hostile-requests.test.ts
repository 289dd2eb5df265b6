import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { small } from '../../support/configs/configs.ts'
import { type ListeningService, listen } from '../../support/network/listening.ts'
import { exchange, parseResponses, readAll, requestText } from '../../support/network/raw-http.ts'
import { expectQuietProcess, expectSane } from '../../support/scenarios/sane.ts'
import type { TestResponse } from '../../support/scenarios/transports.ts'

/** Requests as raw bytes, since no HTTP client would send them. */
describe('a request on a raw socket', () => {
  let server: ListeningService
  beforeAll(async () => {
    server = await listen(small, { requestTimeoutMs: 1500, headersTimeoutMs: 1000 })
  })
  afterAll(async () => {
    await server.stop(100)
    await expectQuietProcess()
  })

  const send = (...parts: readonly (string | Uint8Array)[]): Promise<readonly TestResponse[]> =>
    exchange(server.port, ...parts)

  /** Asserts that there is a single response, with one of these statuses. */
  async function expectOnly(responses: readonly TestResponse[], ...statuses: readonly number[]): Promise<TestResponse> {
    expect(responses.map(({ status }) => status)).toHaveLength(1)
    const [response] = responses as [TestResponse]
    expect(statuses).toContain(response.status)
    expectSane(response)
    return response
  }

  const notes = async (): Promise<number> => {
    const { total } = (await (await server.service.request('/api/notes?limit=0')).json()) as { total: number }
    return total
  }

  const json = '{"text":"x"}'
  const post = (...headers: readonly string[]): readonly string[] => [
    server.authorization,
    'Content-Type: application/json',
    ...headers,
  ]

  describe('whose end is unclear is 400, and the bytes after it are not run as a request', () => {
    const framings: readonly (readonly [name: string, headers: readonly string[], body: string])[] = [
      ['length and chunked', ['Content-Length: 5', 'Transfer-Encoding: chunked'], `c\r\n${json}\r\n0\r\n\r\n`],
      ['two lengths', ['Content-Length: 12', 'Content-Length: 5'], json],
      ['a list of lengths', ['Content-Length: 12, 5'], json],
      ['an unknown coding', ['Transfer-Encoding: xchunked'], json],
      ['chunked that is not last', ['Transfer-Encoding: chunked, identity'], `c\r\n${json}\r\n0\r\n\r\n`],
      ['chunked, split by a control', ['Transfer-Encoding: chu\x0bnked'], `c\r\n${json}\r\n0\r\n\r\n`],
      ['a signed length', ['Content-Length: +12'], json],
      ['a negative length', ['Content-Length: -1'], json],
      ['a hexadecimal length', ['Content-Length: 0xc'], json],
      ['a space before the colon', ['Content-Length : 12'], json],
      ['a folded header', ['Content-Length:', ' 12'], json],
      ['a broken chunk size', ['Transfer-Encoding: chunked'], `zz\r\n${json}\r\n0\r\n\r\n`],
      ['a chunk longer than it says', ['Transfer-Encoding: chunked'], `2\r\n${json}\r\n0\r\n\r\n`],
    ]
    test.each(framings)('%s', async (_name, headers, body) => {
      const before = await notes()
      const first = requestText('POST /api/notes', post(...headers), body)
      const second = requestText('POST /api/notes', post('Content-Length: 12', 'Connection: close'), json)
      await expectOnly(await send(first + second), 400)
      expect(await notes()).toBe(before)
    })
  })

  test('with more than 16 KiB of headers is 431, and so is one with 2,001 headers', async () => {
    await expectOnly(await send(requestText('GET /api/notes', [`X-Long: ${'x'.repeat(17_000)}`])), 431)
    await expectOnly(await send(requestText('GET /api/notes', Array<string>(2001).fill('a:'))), 431)
  })

  test('with a URL of 64 KiB is 414 or 431', async () => {
    await expectOnly(await send(requestText(`GET /api/notes?q=${'x'.repeat(65_536)}`)), 414, 431)
  })

  test.each(['%zz', '%c0%af', '%00', '%', '%f0%9f%8e'])('with %s in its path is 400', async (segment) => {
    await expectOnly(await send(requestText(`GET /api/notes/${segment}`, ['Connection: close'])), 400)
  })

  test('with bytes that are invalid in a URL is rejected', async () => {
    await expectOnly(await send(requestText('GET /api/notes/\u00e9', ['Connection: close'])), 400, 404)
    await expectOnly(await send(requestText('GET /api/no\x00tes', ['Connection: close'])), 400)
    await expectOnly(await send(requestText('GET /api/notes/a b', ['Connection: close'])), 400)
    await expectOnly(await send('\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n'), 400, 501)
    await expectOnly(await send('GET /api/notes HTTP/3.0\r\nHost: a\r\n\r\n'), 400, 505)
  })

  test('without a Host, or with two or an invalid one, is 400', async () => {
    await expectOnly(await send('GET /api/notes HTTP/1.1\r\nConnection: close\r\n\r\n'), 400)
    await expectOnly(await send(requestText('GET /api/notes', ['Host: evil.example', 'Connection: close'])), 200, 400)
    await expectOnly(await send('GET /api/notes HTTP/1.1\r\nHost: a b\r\nConnection: close\r\n\r\n'), 400)
  })

  describe('with unusual or repeated headers', () => {
    test('named like members of an object gets the usual response', async () => {
      const headers = ['__proto__: x', 'constructor: y', 'toString: z', 'hasOwnProperty: 1', 'Connection: close']
      await expectOnly(await send(requestText('GET /api/notes', headers)), 200)
    })

    test('is not authenticated by one of two credentials', async () => {
      const bad = 'Authorization: Bearer another-token-of-some-other-principal'
      for (const pair of [
        [server.authorization, bad],
        [bad, server.authorization],
      ]) {
        const headers = [...pair, 'Content-Type: application/json', 'Content-Length: 12', 'Connection: close']
        await expectOnly(await send(requestText('POST /api/notes', headers, json)), 400, 401)
      }
    })

    test('with two content types is rejected', async () => {
      const headers = post('Content-Type: text/plain', 'Content-Length: 12', 'Connection: close')
      await expectOnly(await send(requestText('POST /api/notes', headers, json)), 400, 415)
    })

    test('combines two If-Match headers into one list', async () => {
      const created = await server.service.request('/api/notes', {
        method: 'POST',
        headers: { Authorization: `Bearer ${server.service.token}`, 'Content-Type': 'application/json' },
        body: json,
      })
      const { id } = (await created.json()) as { id: string }
      const headers = post(
        'If-Match: "x"',
        `If-Match: ${created.headers.get('etag')}`,
        'Content-Length: 12',
        'Connection: close',
      )
      await expectOnly(await send(requestText(`PUT /api/notes/${id}`, headers, json)), 200, 400)
    })
  })

  test('with an unknown method is 501, TRACE is 405, and CONNECT is rejected', async () => {
    await expectOnly(await send(requestText('BREW /api/notes', ['Connection: close'])), 501)
    const trace = await expectOnly(await send(requestText('TRACE /api/notes', ['Connection: close'])), 405)
    expect(trace.headers.get('allow')).toBe('GET, HEAD, POST, PATCH, DELETE, OPTIONS')
    const responses = await send(requestText('CONNECT evil.example:443'))
    expect(responses.every(({ status }) => status >= 400 && status < 500)).toBe(true)
  })

  describe('that sends Expect before its body', () => {
    const asking = (length: number, expectation = '100-continue'): string =>
      requestText('POST /api/notes', post(`Content-Length: ${length}`, `Expect: ${expectation}`, 'Connection: close'))

    test('gets 413 at once if the body would be too large', async () => {
      await expectOnly(await send(asking(1_000_000)), 413)
    })

    test('gets 417 for another expectation', async () => {
      await expectOnly(await send(asking(12, 'a-pony')), 417)
    })

    test('gets 100 Continue otherwise', async () => {
      const socket = connect({ port: server.port, host: '127.0.0.1' })
      const received = readAll(socket)
      socket.write(asking(12))
      const [first] = (await once(socket, 'data')) as [Buffer]
      expect(first.toString()).toMatch(/^HTTP\/1\.1 100 Continue/)
      socket.write(json)
      expect(parseResponses(await received).map(({ status }) => status)).toEqual([100, 201])
    })
  })

  describe('with an unusual target', () => {
    test('with a fragment is rejected, and no parameter is read from it', async () => {
      await expectOnly(await send(requestText('GET /api/notes#f?limit=1', ['Connection: close'])), 400, 404)
      await expectOnly(await send(requestText('GET /api/notes#?limit=1', ['Connection: close'])), 400, 404)
      await expectOnly(await send(requestText('GET /api/notes?limit=1#&foo=1', ['Connection: close'])), 400)
    })

    test('that is an absolute URL is routed by its path, whatever its host, or rejected', async () => {
      for (const [target, canonical] of [
        ['/api/notes', 200],
        ['/api/nope', 404],
        ['/api/notes?foo=1', 400],
      ] as const) {
        await expectOnly(
          await send(requestText(`GET http://evil.example${target}`, ['Connection: close'])),
          canonical,
          400,
        )
      }
    })

    test('with dot segments gets the response of the plain path, or 404, and bypasses no check', async () => {
      for (const path of [
        '/api/./notes',
        '/api/x/../notes',
        '/../api/notes',
        '/api/%2e/notes',
        '/api/x/%2e%2e/notes',
        '/api/notes/.',
      ]) {
        await expectOnly(await send(requestText(`GET ${path}`, ['Connection: close'])), 200, 404)
        const write = requestText(
          `POST ${path}`,
          ['Content-Type: application/json', 'Content-Length: 12', 'Connection: close'],
          json,
        )
        await expectOnly(await send(write), 401, 404, 405)
      }
    })

    test('that is an asterisk matches no path', async () => {
      await expectOnly(await send(requestText('OPTIONS *', ['Connection: close'])), 200, 204, 400, 404)
      await expectOnly(await send(requestText('GET *', ['Connection: close'])), 400, 404)
    })
  })

  describe('with a body over the limit', () => {
    test('is 413 by its Content-Length, before the body has arrived', async () => {
      await expectOnly(
        await send(requestText('POST /api/notes', post('Content-Length: 100000000', 'Connection: close'), '{"text":"')),
        413,
      )
    })

    test('is 413 in chunks as soon as the limit is exceeded', async () => {
      const chunk = `400\r\n${'x'.repeat(0x400)}\r\n`
      const head = requestText('POST /api/notes', post('Transfer-Encoding: chunked', 'Connection: close'))
      await expectOnly(await send(head, chunk, chunk, chunk), 413)
    })

    test('may send the rest slowly after the 413, and then another request', async () => {
      const [pieces, bytes] = [5, 2000]
      const socket = connect({ port: server.port, host: '127.0.0.1', noDelay: true })
      const received = readAll(socket)
      socket.write(requestText('POST /api/notes', post(`Content-Length: ${pieces * bytes}`)))
      for (let sent = 0; sent < pieces; sent += 1) {
        await sleep(200)
        socket.write('x'.repeat(bytes))
      }
      socket.write(requestText('GET /api/notes', ['Connection: close']))
      expect(parseResponses(await received).map(({ status }) => status)).toEqual([413, 200])
    })

    test('is closed if the rest of the body does not arrive', async () => {
      const responses = await send(requestText('POST /api/notes', post('Content-Length: 100000000')), '{"text":"')
      expect(responses.map(({ status }) => status)).toEqual([413])
    })

    test('is 408 if the body is shorter than its Content-Length, and nothing is stored', async () => {
      const before = await notes()
      await expectOnly(await send(requestText('POST /api/notes', post('Content-Length: 500'), json)), 408)
      expect(await notes()).toBe(before)
    })

    test('ends at its Content-Length if more bytes arrive: the rest is neither body nor request', async () => {
      const before = await notes()
      const responses = await send(
        requestText('POST /api/notes', post('Content-Length: 12'), `${json}${'x'.repeat(5000)}`),
      )
      for (const { status } of responses) expect([201, 400, 501]).toContain(status)
      expect(await notes()).toBeLessThanOrEqual(before + 1)
    })
  })

  test('that breaks off does not stop the service', async () => {
    for (const part of ['POST /api/no', requestText('POST /api/notes', post('Content-Length: 12'), '{"te')]) {
      const socket = connect({ port: server.port, host: '127.0.0.1' })
      await once(socket, 'connect')
      socket.write(part)
      socket.resetAndDestroy()
      await once(socket, 'close')
    }
    await expectOnly(await send(requestText('GET /api/notes', ['Connection: close'])), 200)
  })
})
