import { once } from 'node:events'
import { connect } from 'node:net'
import { type AuthAdapter, type AuthContext, type DaybookConfig, type Log, serviceTokenAdapter } from 'daybook'
import { type Listening, serve } from 'daybook/node'
import { createTestService, type TestService } from 'daybook/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { small } from '../support/configs/configs.ts'
import { exchange, parseResponses, readAll, requestText } from '../support/network/raw-http.ts'
import { expectQuietProcess, expectSane } from '../support/scenarios/sane.ts'
import type { TestResponse } from '../support/scenarios/transports.ts'

const JSON_BODY = '{"text":"x"}'
const CLOSE = 'Connection: close'

/** Records the log, and lets a test wait for the line of a request. */
class RequestLog implements Log {
  readonly requests = true
  readonly errors: string[] = []
  readonly statuses: number[] = []
  #waiting: (() => void)[] = []

  info(fields: object): void {
    this.statuses.push((fields as { readonly status: number }).status)
    for (const resolve of this.#waiting.splice(0)) resolve()
  }

  warn(_fields: object, message: string): void {
    this.errors.push(message)
  }

  error(_fields: object, message: string): void {
    this.errors.push(message)
  }

  next(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve))
  }
}

describe('a connection', () => {
  const log = new RequestLog()
  let service: TestService
  let server: Listening
  let post: (...headers: readonly string[]) => readonly string[]
  beforeAll(async () => {
    service = await createTestService<DaybookConfig>({ ...small, auth: serviceTokenAdapter(undefined) }, { log })
    server = await serve(service, { port: 0 })
    post = (...headers) => [`Authorization: Bearer ${service.token}`, 'Content-Type: application/json', ...headers]
  })
  afterAll(async () => {
    await server.stop(100)
    expect(log.errors).toEqual([])
    await expectQuietProcess()
  })

  const send = (...parts: readonly (string | Uint8Array)[]): Promise<readonly TestResponse[]> =>
    exchange(server.port, ...parts)
  const statusesOf = (responses: readonly TestResponse[]): readonly number[] => responses.map(({ status }) => status)
  /** Sends a request, and returns its only response. */
  async function only(request: string): Promise<TestResponse> {
    const responses = await send(request)
    expect(responses).toHaveLength(1)
    const [response] = responses as [TestResponse]
    expectSane(response)
    return response
  }

  test('that pipelines requests gets the responses in order', async () => {
    const responses = await send(
      [
        requestText('GET /api/health'),
        requestText('GET /api/nope'),
        requestText('POST /api/notes', post(`Content-Length: ${JSON_BODY.length}`), JSON_BODY),
        requestText('POST /api/notes', ['Content-Type: application/json', 'Content-Length: 12'], JSON_BODY),
        requestText('GET /api/notes?limit=0', [CLOSE]),
      ].join(''),
    )
    expect(statusesOf(responses)).toEqual([200, 404, 201, 401, 200])
    for (const response of responses) expectSane(response)
  })

  test('gets the Content-Length in bytes', async () => {
    const body = '{"text":"Käse 🧀"}'
    const length = `Content-Length: ${Buffer.byteLength(body)}`
    const [created] = await send(requestText('POST /api/notes', post(length, CLOSE), body))
    expect(created?.headers.get('content-length')).toBe(String(Buffer.byteLength(created?.text ?? '')))
    expect(JSON.parse(created?.text ?? '')).toMatchObject({ text: 'Käse 🧀' })
  })

  test('may send a body in chunks', async () => {
    const chunks = [...JSON_BODY].map((letter) => `1\r\n${letter}\r\n`)
    const head = requestText('POST /api/notes', post('Transfer-Encoding: chunked', CLOSE))
    const [created] = await send(head, ...chunks, '0\r\n\r\n')
    expect(created?.status).toBe(201)
    expect(JSON.parse(created?.text ?? '')).toMatchObject({ text: 'x' })
  })

  describe('with a HEAD request', () => {
    test.each(['/api/notes?limit=0', '/api/nope'])('of %s gets the headers of GET, and no content', async (path) => {
      const id = 'X-Request-Id: one-and-the-same'
      const got = await only(requestText(`GET ${path}`, [id, CLOSE]))
      const [head] = await send(requestText(`HEAD ${path}`, [id, CLOSE]))
      const withoutDate = ({ headers }: TestResponse): object => ({ ...Object.fromEntries(headers), date: '' })
      expect(head?.text).toBe('')
      expect(withoutDate(head as TestResponse)).toEqual(withoutDate(got))
    })

    test('may send the next request at once', async () => {
      const socket = connect({ port: server.port, host: '127.0.0.1' })
      socket.write(requestText('HEAD /api/health') + requestText('GET /api/health', [CLOSE]))
      const [, ...afterHead] = (await readAll(socket)).split('\r\n\r\n')
      expect(parseResponses(afterHead.join('\r\n\r\n'))).toMatchObject([{ status: 200, text: '{"status":"ok"}' }])
    })
  })

  test.each(['204', '304'])('gets no body with %s', async (status) => {
    const request =
      status === '204' ? requestText('OPTIONS /api/notes') : requestText('GET /api/notes', ['If-None-Match: *'])
    const [response, next] = await send(request + requestText('GET /api/health', [CLOSE]))
    expect([response?.status, next?.status]).toEqual([Number(status), 200])
    for (const name of ['content-length', 'transfer-encoding', 'content-type']) {
      expect(response?.headers.get(name), name).toBeNull()
    }
  })

  describe('with a target that is not just a path', () => {
    test('may send an absolute URL, whose host is ignored', async () => {
      const response = await only(requestText('GET http://elsewhere.example:81/api/notes?limit=0', [CLOSE]))
      expect(JSON.parse(response.text)).toMatchObject({ collection: 'notes', limit: 0 })
      expect((await only(requestText('GET https://elsewhere.example', [CLOSE]))).status).toBe(404)
    })

    test('gets dot segments resolved, and a backslash rejected', async () => {
      expect((await only(requestText('GET /x/../api/%2E/health', [CLOSE]))).status).toBe(200)
      expect((await only(requestText('GET //elsewhere.example/../api/health', [CLOSE]))).status).toBe(404)
      expect((await only(requestText('GET /api\\health', [CLOSE]))).status).toBe(400)
      expect((await only(requestText('GET /api/notes?q=a\\b/../c', [CLOSE]))).status).toBe(200)
    })

    test('may send OPTIONS *, and stays open', async () => {
      const responses = await send(requestText('OPTIONS *') + requestText('GET /api/health', [CLOSE]))
      expect(statusesOf(responses)).toEqual([204, 200])
      for (const response of responses) expectSane(response)
      expect(responses[0]?.headers.get('allow')).toBe('GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS')
    })

    test.each(['GET *', 'POST *', 'OPTIONS **', 'GET ftp://a.example/api/health', 'GET http://%zz/api/health'])(
      '%s is rejected, and the connection stays open',
      async (line) => {
        const responses = await send(requestText(line) + requestText('GET /api/health', [CLOSE]))
        expect(statusesOf(responses)).toEqual([400, 200])
        for (const response of responses) expectSane(response)
      },
    )
  })

  test.each(['', 'a b', 'user@a.example', 'a.example/x', 'a.example?x', 'a.example:', 'a.example:70000', '['])(
    'with the Host "%s" is rejected',
    async (host) => {
      const response = await only(`GET /api/health HTTP/1.1\r\nHost: ${host}\r\n${CLOSE}\r\n\r\n`)
      expect([response.status, JSON.parse(response.text).code]).toEqual([400, 'VALIDATION_ERROR'])
    },
  )

  test.each(['A.Example', 'a.example:80', 'localhost:3000', '127.0.0.1:3000', '[::1]:3000', 'a_b'])(
    'with the Host "%s" is accepted',
    async (host) => {
      expect((await only(`GET /api/health HTTP/1.1\r\nHost: ${host}\r\n${CLOSE}\r\n\r\n`)).status).toBe(200)
    },
  )

  describe('with a repeated single-valued header is rejected', () => {
    const singles: readonly (readonly [first: string, second: string])[] = [
      ['Host: daybook.test', 'Host: daybook.test'],
      ['Host: daybook.test', 'host: evil.example'],
      ['Authorization: Bearer a', 'Authorization: Bearer b'],
      ['Proxy-Authorization: Basic a', 'Proxy-Authorization: Basic b'],
      ['Content-Type: application/json', 'Content-Type: application/json'],
      ['Idempotency-Key: a', 'Idempotency-Key: b'],
      ['Daybook-Min-Seq: 1', 'Daybook-Min-Seq: 2'],
      ['Origin: http://a.example', 'Origin: http://b.example'],
      ['Sec-Fetch-Site: none', 'Sec-Fetch-Site: cross-site'],
      ['Access-Control-Request-Method: PUT', 'Access-Control-Request-Method: PUT'],
      ['Range: bytes=0-1', 'Range: bytes=2-3'],
      ['If-Range: "a"', 'If-Range: "b"'],
      ['If-Modified-Since: x', 'If-Modified-Since: y'],
      ['If-Unmodified-Since: x', 'If-Unmodified-Since: y'],
      ['User-Agent: a', 'User-Agent: b'],
      ['Referer: a', 'Referer: b'],
      ['Content-Length: 0', 'Content-Length: 0'],
    ]
    const LINES = ['GET /api/health', 'POST /api/notes', 'POST /api/cms/auth/actions/login', 'GET /api/auth/ok']

    test.each(singles)('%s, %s', async (first, second) => {
      const host = /^host/i.test(first) ? [] : ['Host: daybook.test']
      for (const line of LINES) {
        const request = [`${line} HTTP/1.1`, ...host, first, 'X-Between: 1', second, CLOSE, '', ''].join('\r\n')
        const response = await only(request)
        expect([response.status, JSON.parse(response.text).code], line).toEqual([400, 'VALIDATION_ERROR'])
      }
    })
  })

  describe('with a repeated list header gets the values joined', () => {
    const twice = (line: string): readonly string[] => [line, line]

    test('two tags are a list', async () => {
      const { headers } = await only(requestText('GET /api/notes', [CLOSE]))
      const tags = ['If-None-Match: "other"', `If-None-Match: ${headers.get('etag')}`]
      expect((await only(requestText('GET /api/notes', [...tags, CLOSE]))).status).toBe(304)
    })

    test('two request ids are ignored', async () => {
      const { headers } = await only(requestText('GET /api/health', [...twice('X-Request-Id: 12345678'), CLOSE]))
      expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
    })
  })

  describe('of HTTP/1.0', () => {
    const old = (line: string, ...headers: readonly string[]): string =>
      [`${line} HTTP/1.0`, ...headers, '', ''].join('\r\n')

    test('is accepted without a Host, and closed', async () => {
      expect(statusesOf(await send(old('GET /api/health')))).toEqual([200])
      expect(statusesOf(await send(old('HEAD /api/ready')))).toEqual([200])
      expect((await only(old('GET /api/notes?limit=0'))).headers.get('connection')).toBe('close')
    })

    test('stays open with keep-alive', async () => {
      const again = 'Connection: keep-alive'
      const responses = await send(old('GET /api/health', again) + old('GET /api/nope', again) + old('GET /api/health'))
      expect(responses.map(({ status, headers }) => [status, headers.get('connection')])).toEqual([
        [200, 'keep-alive'],
        [404, 'keep-alive'],
        [200, 'close'],
      ])
    })

    test('is rejected with an invalid Host', async () => {
      expect((await only(old('GET /api/health', 'Host: a b'))).status).toBe(400)
    })
  })

  describe('with a malformed request line is 400 (RFC 9112, section 3)', () => {
    test.each([
      'GET\t/api/health\tHTTP/1.1',
      'GET /api/health\tHTTP/1.1',
      'BREW\t/api/health HTTP/1.1',
      '   ',
      '\t',
      ' GET /api/health HTTP/1.1',
      '\x00\x01\x02\xff\xfe',
      '\x16\x03\x01\x02',
      `${'A'.repeat(5000)} /api/health HTTP/1.1`,
      'BR(W /api/health HTTP/1.1',
      'BR\xc4W /api/health HTTP/1.1',
      'BREW',
      'BREW /api/health',
      'BREW  /api/health HTTP/1.1',
      'BREW /api/health HTTP/1.1 ',
      'BREW /api/health HTTP/3.0',
      'BREW /api/health HTTPS/1.1',
      'GET',
      'GET /api/health',
      'GET /api/health HTTP/0.9',
      'GET /api/health HTTP/2.0',
      'GET /api/health HTTP/1.2',
      'GET /api/health FTP/1.1',
      'GET /api/health HTTP/1.1 ',
      '/api/health HTTP/1.1',
      '{"text":"x"}',
    ])('%j', async (line) => {
      const request = `${line}\r\nHost: daybook.test\r\n${CLOSE}\r\n\r\n`
      for (const before of ['', requestText('GET /api/health')]) {
        const responses = await send(Buffer.from(before + request, 'latin1'))
        const response = responses.at(-1) as TestResponse
        expectSane(response)
        expect([response.status, JSON.parse(response.text).code]).toEqual([400, 'VALIDATION_ERROR'])
      }
    })

    test.each(['BREW', 'get', 'GETT', 'GE', 'DESCRIBE', "!#$%&'*+.^`|~-_9", 'A'.repeat(64)])(
      'but 501 if only the method %s is unknown',
      async (method) => {
        for (const before of ['', requestText('GET /api/health')]) {
          const responses = await send(before + requestText(`${method} /api/health`, [CLOSE]))
          const response = responses.at(-1) as TestResponse
          expectSane(response)
          expect([response.status, JSON.parse(response.text).code]).toEqual([501, 'NOT_IMPLEMENTED'])
        }
      },
    )
  })

  describe('whose body was rejected', () => {
    const unwanted: readonly (readonly [name: string, status: number, headers: () => readonly string[]])[] = [
      ['without a session', 401, () => ['Content-Type: application/json']],
      ['for its length', 413, () => post()],
      ['for its type', 415, () => [...post().slice(0, 1), 'Content-Type: text/plain']],
    ]

    test.each(unwanted)('%s accepts the next request after the rest of the body', async (_name, status, headers) => {
      const socket = connect({ port: server.port, host: '127.0.0.1' })
      const received = readAll(socket)
      socket.write(requestText('POST /api/notes', [...headers(), 'Content-Length: 5000']))
      await once(socket, 'data')
      socket.write('x'.repeat(5000) + requestText('GET /api/health', [CLOSE]))
      expect(statusesOf(parseResponses(await received))).toEqual([status, 200])
    })

    test.each(unwanted)('%s is closed if the body does not arrive', async (_name, status, headers) => {
      expect(statusesOf(await send(requestText('POST /api/notes', [...headers(), 'Content-Length: 5000'])))).toEqual([
        status,
      ])
    })

    test('and is endless is closed', async () => {
      const socket = connect({ port: server.port, host: '127.0.0.1' })
      const received = readAll(socket)
      socket.write(requestText('POST /api/notes', post('Transfer-Encoding: chunked')))
      const chunk = `400\r\n${'x'.repeat(0x400)}\r\n`
      const pour = (): void => {
        if (socket.write(chunk)) setImmediate(pour)
        else socket.once('drain', pour)
      }
      pour()
      expect(await received).toMatch(/^HTTP\/1\.1 413 /)
    })
  })

  test('that breaks off within a body stores nothing, and is not logged as an error', async () => {
    const count = async (): Promise<string> => (await service.request('/api/notes?limit=0')).text()
    for (const framing of ['Content-Length: 500', 'Transfer-Encoding: chunked']) {
      const before = await count()
      const socket = connect({ port: server.port, host: '127.0.0.1' })
      socket.write(requestText('POST /api/notes', post(framing, 'Expect: 100-continue')))
      // From here on, the service reads the body.
      await once(socket, 'data')
      const logged = log.next()
      socket.resetAndDestroy()
      await logged
      expect(log.statuses.at(-1)).toBe(400)
      expect(await count()).toBe(before)
    }
  })
})

/** Sends a request, and returns the context that an auth adapter gets. */
async function contextOf(request: string): Promise<AuthContext & { readonly port: number }> {
  const seen: AuthContext[] = []
  const auth: AuthAdapter = {
    getCapabilities: () => ({ provider: 'test', providerRoutes: { enabled: false } }),
    getPrincipal: async (context) => {
      seen.push(context)
      return null
    },
    getIdentity: async () => null,
  }
  const server = await serve(await createTestService<DaybookConfig>({ ...small, auth }), { port: 0 })
  await exchange(server.port, request)
  await server.stop(100)
  expect(seen).toHaveLength(1)
  return { ...(seen[0] as AuthContext), port: server.port }
}

test('an auth adapter gets all headers as web Headers', async () => {
  const odd = ['Cookie: a=1', 'Cookie: b=2', 'X-Odd: 1', 'x-odd: 2', '__proto__: x', 'constructor: y']
  const { headers } = await contextOf(requestText('GET /api/notes', [...odd, CLOSE]))
  expect(headers).toEqual(expect.any(Headers))
  expect(Object.fromEntries(headers)).toMatchObject({ cookie: 'a=1; b=2', 'x-odd': '1, 2', constructor: 'y' })
  expect(headers.get('__proto__')).toBe('x')
})

test('an auth adapter gets the local address as the origin if there is no Host', async () => {
  const { origin, port } = await contextOf('GET /api/notes HTTP/1.0\r\nCookie: a=1\r\n\r\n')
  expect(origin).toBe(`http://127.0.0.1:${port}`)
})
