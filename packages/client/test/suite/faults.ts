import { createClient, DaybookError, etagOf, NetworkError, TimeoutError } from '@daybook/client'
import { type Case, equal, failure, holds, type ScriptedResponse } from './case.ts'

const JSON_TYPE = { 'Content-Type': 'application/json' }
const MERGE_TYPE = 'application/merge-patch+json'
const ID = '01a1f9d5-ddca-7255-9a37-e7bf8ce09df2'
const SECRET = 'secret-token-of-somebody'

const json = (body: object, more: Partial<ScriptedResponse> = {}): ScriptedResponse => ({
  body: JSON.stringify(body),
  headers: JSON_TYPE,
  ...more,
})
const page = json({ collection: 'posts', total: 0, limit: 20, offset: 0, items: [], nextCursor: null })
const entry = json({ id: ID, title: 'A' }, { headers: { ...JSON_TYPE, ETag: '"1.x"' } })
const problem = (
  status: number,
  code: string,
  headers: Readonly<Record<string, string>> = {},
  details: object = {},
): ScriptedResponse =>
  json(
    { code, message: 'It says why.', details, requestId: 'request-1' },
    { status, headers: { ...JSON_TYPE, ...headers } },
  )
const badGateway: ScriptedResponse = {
  status: 502,
  headers: { 'Content-Type': 'text/html' },
  body: '<html><h1>502 Bad Gateway</h1></html>',
}

/** Responses that no Daybook service sends, and network failures. */
const BAD_RESPONSES: readonly Case[] = [
  ...(
    [
      ['HTML', { body: '<!doctype html><p>Welcome' }, '200 with HTML'],
      ['an empty body', { body: '' }, '200 without a body'],
      ['half of its JSON', { body: page.body?.slice(0, 40) ?? '' }, 'with invalid or incomplete JSON'],
      ['JSON of another kind', { body: '["posts"]' }, 'with JSON of another kind'],
      ['an object that is not a list', { body: '{"posts":[]}' }, 'with JSON of another kind'],
      ['nothing at all', { status: 204 }, '204 without a body'],
      ['an error page', { status: 404, body: '<html>Not here' }, '404 with HTML'],
      ['an error without a code', { status: 400, body: '{"error":"bad"}' }, '400 with JSON of another kind'],
    ] as const satisfies readonly (readonly [string, ScriptedResponse, string])[]
  ).map(
    ([what, scripted, description]): Case => ({
      name: `${what} instead of a list is an error with a description`,
      async run({ script, clientOf }) {
        const server = await script(scripted)
        const error = await failure(clientOf(server).collections.posts.findMany({ q: SECRET }), DaybookError)
        equal([error.code, error.request], ['UNEXPECTED_ANSWER', `GET ${server.baseUrl}/api/posts`])
        holds(error.message, `GET ${server.baseUrl}/api/posts received the response`)
        holds(error.message, description)
        equal((await server.sent()).length, 1)
      },
    }),
  ),
  {
    name: 'an HTML page with 404 is an error, and not a missing entry',
    async run({ script, clientOf }) {
      const error = await failure(
        clientOf(await script({ status: 404, body: '<html>' })).collections.posts.findBySlug('a'),
        DaybookError,
      )
      equal([error.code, error.status], ['UNEXPECTED_ANSWER', 404])
    },
  },
  {
    name: "a proxy's 502 page is an error with its status",
    async run({ script, clientOf }) {
      const server = await script(badGateway)
      const error = await failure(clientOf(server).collections.posts.findMany(), DaybookError)
      equal([error.code, error.status, error.details, error.requestId], ['UNEXPECTED_ANSWER', 502, {}, ''])
    },
  },
  {
    name: 'an unknown error code is passed on',
    async run({ script, clientOf }) {
      const server = await script(problem(418, 'TEAPOT', {}, { lid: 'off' }))
      const error = await failure(clientOf(server).collections.posts.findMany(), DaybookError)
      equal([error.code, error.status, error.message], ['TEAPOT', 418, 'It says why.'])
      equal([error.details, error.requestId], [{ lid: 'off' }, 'request-1'])
    },
  },
  {
    name: 'a truncated body and a reset connection are network errors',
    async run({ script, clientOf }) {
      for (const fault of ['cut', 'reset'] as const) {
        const server = await script({ ...page, fault })
        const error = await failure(clientOf(server).collections.posts.findMany(), NetworkError)
        holds(error.message, `GET ${server.baseUrl}/api/posts`)
        equal([error.cause instanceof Error, (await server.sent()).length], [true, 3])
      }
    },
  },
  {
    name: 'an address where nothing listens is a network error',
    async run({ baseUrl, clientOf, script }) {
      const nobody = { ...(await script(page)), baseUrl: `${baseUrl.replace(/:\d+$/, '')}:1` }
      const error = await failure(clientOf(nobody).health(), NetworkError)
      holds(error.message, `GET ${nobody.baseUrl}/api/health got no response: `)
    },
  },
  {
    name: 'a response or a body that takes too long is a timeout',
    async run({ script, clientOf }) {
      for (const fault of ['silence', 'stall'] as const) {
        const server = await script({ ...page, fault })
        const error = await failure(clientOf(server, { timeout: 100 }).collections.posts.findMany(), TimeoutError)
        equal(error.message, `GET ${server.baseUrl}/api/posts got no response within 100 ms.`)
        equal([error.request, (await server.sent()).length > 1], [`GET ${server.baseUrl}/api/posts`, false])
      }
    },
  },
  {
    name: 'a timeout has the failure that was being retried as its cause',
    async run({ script, clientOf }) {
      const responses = [Response.json({}, { status: 502 })]
      const send = (): Promise<Response> => Promise.resolve(responses.pop() ?? new Promise<Response>(() => {}))
      const client = clientOf(await script(page), { fetch: send, timeout: 50 })
      const { cause } = await failure(client.collections.posts.findMany(), TimeoutError)
      equal(cause instanceof DaybookError && cause.status, 502)
    },
  },
  {
    name: 'a redirected POST is an error, since the redirect makes it a GET',
    async run({ script, clientOf }) {
      const target = await script(page)
      const server = await script({ status: 301, headers: { Location: `${target.baseUrl}/api/posts` } })
      equal((await clientOf(server).collections.posts.findMany()).total, 0)
      const error = await failure(clientOf(server).collections.posts.create({ title: 'A' }), DaybookError)
      holds(error.message, 'received the response 200 after a redirect')
    },
  },
]

const RETRIES: readonly Case[] = [
  ...[502, 503, 504].map(
    (status): Case => ({
      name: `a read is retried after ${status}`,
      async run({ script, clientOf }) {
        const server = await script({ ...badGateway, status }, problem(status, 'SERVICE_UNAVAILABLE'), page)
        equal((await clientOf(server).collections.posts.findMany()).total, 0)
        equal((await server.sent()).length, 3)
      },
    }),
  ),
  {
    name: 'a read is retried after a network error',
    async run({ script, clientOf }) {
      const server = await script({ fault: 'reset' }, { ...entry, fault: 'cut' }, entry)
      equal((await clientOf(server).collections.posts.findById(ID))?.title, 'A')
      equal((await server.sent()).length, 3)
    },
  },
  {
    name: 'other errors are not retried',
    async run({ script, clientOf }) {
      for (const status of [400, 401, 403, 409, 429, 500, 501, 507]) {
        const server = await script(problem(status, 'SOME_CODE'))
        await failure(clientOf(server).collections.posts.findMany(), DaybookError)
        equal((await server.sent()).length, 1)
      }
    },
  },
  {
    name: 'the number of attempts is limited, and at least one',
    async run({ script, clientOf }) {
      const bounds = [
        [1, 1],
        [2, 2],
        [4, 4],
        [0, 1],
        [Number.NaN, 1],
        [undefined as never, 3],
      ] as const
      for (const [attempts, times] of bounds) {
        const server = await script(badGateway)
        const error = await failure(clientOf(server).health({ retry: { attempts, minDelay: 1 } }), DaybookError)
        equal([error.status, (await server.sent()).length], [502, times])
      }
    },
  },
  {
    name: 'a write without an idempotency key is sent once',
    async run({ script, clientOf }) {
      for (const scripted of [
        badGateway,
        problem(503, 'SERVICE_UNAVAILABLE', { 'Retry-After': '0' }),
        { fault: 'reset' } as const,
      ]) {
        const server = await script(scripted)
        const { collections, globals, auth, batch } = clientOf(server)
        const writes = [
          () => collections.posts.create({ title: 'A' }),
          () => collections.posts.update(ID, { title: 'A' }),
          () => collections.posts.patch(ID, { title: 'A' }),
          () => collections.posts.delete(ID),
          () => globals.site.update({ name: 'A' }),
          () => batch([]),
          () => auth.login({ email: 'a@example.org', password: 'x' }),
          () => auth.logout(),
        ]
        for (const write of writes) await failure(write(), Error)
        equal((await server.sent()).length, writes.length)
      }
    },
  },
  {
    name: 'a write with an idempotency key is retried with the same key',
    async run({ script, clientOf }) {
      const server = await script({ fault: 'reset' }, badGateway, { ...entry, status: 201 })
      await clientOf(server).collections.posts.create({ title: 'A' }, { idempotencyKey: 'k-1' })
      const sent = await server.sent()
      equal(
        sent.map(({ headers, body }) => [headers['idempotency-key'], body]),
        Array(3).fill(['k-1', '{"title":"A"}']),
      )
    },
  },
  {
    name: 'a write is retried while its first attempt is in progress',
    async run({ script, clientOf }) {
      const server = await script({ ...badGateway, status: 504 }, problem(409, 'CONFLICT'), { ...entry, status: 201 })
      equal((await clientOf(server).collections.posts.create({ title: 'A' }, { idempotencyKey: 'k-1' })).id, ID)
      const conflicting = await script(badGateway, problem(409, 'CONFLICT', {}, { field: 'slug' }))
      const error = await failure(
        clientOf(conflicting).collections.posts.create({ title: 'A' }, { idempotencyKey: 'k-1' }),
        DaybookError,
      )
      equal([error.details, (await conflicting.sent()).length], [{ field: 'slug' }, 2])
    },
  },
  {
    name: 'Retry-After, in seconds or as a date, delays a retry by at most maxDelay',
    async run({ script, clientOf }) {
      for (const after of ['3600', new Date(Date.now() + 3_600_000).toUTCString()]) {
        const server = await script(problem(503, 'SERVICE_UNAVAILABLE', { 'Retry-After': after }), page)
        // The pause that the service requests exceeds the timeout.
        const patient = clientOf(server, { timeout: 10_000, retry: { maxDelay: 20_000 } })
        const error = await failure(patient.collections.posts.findMany(), DaybookError)
        equal(
          [error.code, (error.retryAfter ?? 0) > 3500, (await server.sent()).length],
          ['SERVICE_UNAVAILABLE', true, 1],
        )
        equal((await clientOf(server, { retry: { maxDelay: 5 } }).collections.posts.findMany()).total, 0)
      }
    },
  },
  {
    name: 'rate-limited requests are retried if the wait is short',
    async run({ script, clientOf }) {
      const server = await script(problem(429, 'RATE_LIMITED', { 'Retry-After': '0' }), page)
      equal((await clientOf(server).collections.posts.findMany()).total, 0)
      const busy = await script(problem(429, 'RATE_LIMITED', { 'Retry-After': '60' }))
      const error = await failure(clientOf(busy, { timeout: 1e9 }).collections.posts.findMany(), DaybookError)
      equal([error.code, error.retryAfter, (await busy.sent()).length], ['RATE_LIMITED', 60, 1])
    },
  },
]

const SIGNALS: readonly Case[] = [
  {
    name: 'a call with an aborted signal is not sent',
    async run({ script, clientOf }) {
      const server = await script(page)
      const reason = new RangeError('No need.')
      equal(
        (await failure(clientOf(server).health({ signal: AbortSignal.abort(reason) }), RangeError)).message,
        'No need.',
      )
      equal((await server.sent()).length, 0)
    },
  },
  {
    name: 'a signal ends a call that waits for a response, for its body, or for a retry',
    async run({ script, clientOf }) {
      for (const scripted of [
        { fault: 'silence' },
        { ...page, fault: 'stall' },
        badGateway,
      ] as const satisfies readonly ScriptedResponse[]) {
        const server = await script(scripted)
        const controller = new AbortController()
        const retry = { minDelay: 1e9, maxDelay: 1e9 }
        const call = failure(
          clientOf(server, { timeout: 2e9, retry }).health({ signal: controller.signal }),
          RangeError,
        )
        while ((await server.sent()).length === 0) {}
        controller.abort(new RangeError('Enough.'))
        equal((await call).message, 'Enough.')
      }
    },
  },
  {
    name: 'the timeout also ends a fetch that ignores its signal',
    async run({ script, clientOf }) {
      const server = await script(page)
      const deaf = clientOf(server, { fetch: () => new Promise(() => {}), timeout: 20 })
      await failure(deaf.health(), TimeoutError)
    },
  },
]

const REQUESTS: readonly Case[] = [
  {
    name: 'a request has the token, the headers of the client and the body',
    async run({ script, clientOf }) {
      const server = await script(entry)
      const { posts } = clientOf(server, { token: SECRET, headers: { 'X-Own': 'yes' } }).collections
      await posts.update(ID, { words: 5 }, { ifMatch: '"1.x"', locale: 'de' })
      const [sent] = await server.sent()
      equal([sent?.method, sent?.url, sent?.body], ['PUT', `/api/posts/${ID}?locale=de`, '{"words":5}'])
      const { headers = {} } = sent ?? {}
      equal(
        [headers.authorization, headers['x-own'], headers['if-match'], headers['content-type'], headers.accept],
        [`Bearer ${SECRET}`, 'yes', '"1.x"', 'application/json', 'application/json'],
      )
    },
  },
  {
    name: 'headers of the client override conflicting options, and are sent once',
    async run({ script, clientOf }) {
      const server = await script(entry)
      const headers = { authorization: 'Basic x', 'CONTENT-TYPE': 'text/plain' }
      await clientOf(server, { token: SECRET, headers }).collections.posts.create({ title: 'A' })
      await clientOf(server, { headers: { authorization: 'Basic x' } }).health()
      const [first, second] = (await server.sent()).map((sent) => sent.headers)
      equal([first?.authorization, first?.['content-type']], [`Bearer ${SECRET}`, 'application/json'])
      equal(second?.authorization, 'Basic x')
    },
  },
  {
    name: 'an action returns the response of the auth adapter',
    async run({ script, clientOf }) {
      for (const [scripted, expected] of [
        [json({ sent: true }), { sent: true }],
        [{ body: '[1]' }, [1]],
        [{ status: 202 }, undefined],
        [{ status: 204 }, undefined],
      ] as const) {
        equal(await clientOf(await script(scripted)).auth.action('send/link', { to: 'a' }), expected)
      }
      const page = await script({ body: '<html>' })
      equal((await failure(clientOf(page).auth.action('x'), DaybookError)).code, 'UNEXPECTED_ANSWER')
      equal((await page.sent())[0]?.url, '/api/cms/auth/actions/x')
    },
  },
  {
    name: 'request() sends a request to any route, and returns the parsed JSON',
    async run({ script, clientOf }) {
      const server = await script(json({ done: true }, { headers: { ...JSON_TYPE, ETag: '"1.x"' } }), { status: 204 })
      const client = clientOf(server, { token: SECRET, headers: { 'X-Own': 'client' } })
      const { done } = await client.request<{ done: boolean }>({
        method: 'PATCH',
        path: ['api', 'shop', 'a/b', 'orders'],
        query: { state: 'open', where: { total: { gt: 5 } } },
        body: { paid: true },
        headers: { 'X-Own': 'request', 'If-Match': '"0.x"' },
      })
      equal([done, await client.request({ path: '/openapi.json' })], [true, undefined])
      const [first, second] = await server.sent()
      equal(
        [first?.method, first?.url, first?.body],
        ['PATCH', '/api/shop/a%2Fb/orders?state=open&where%5Btotal%5D%5Bgt%5D=5', '{"paid":true}'],
      )
      const { authorization, 'x-own': header, 'if-match': condition, 'content-type': type } = first?.headers ?? {}
      equal([authorization, header, condition, type], [`Bearer ${SECRET}`, 'request', '"0.x"', MERGE_TYPE])
      equal([second?.method, second?.url, second?.headers['x-own']], ['GET', '/openapi.json', 'client'])
    },
  },
  {
    name: 'request() fails like all methods',
    async run({ script, clientOf }) {
      const rejecting = await script(problem(409, 'CONFLICT', {}, { field: 'name' }))
      const conflict = await failure(clientOf(rejecting).request({ method: 'POST', path: '/api/shop' }), DaybookError)
      equal(
        [conflict.code, conflict.details.field, conflict.request],
        ['CONFLICT', 'name', `POST ${rejecting.baseUrl}/api/shop`],
      )
      const html = await failure(clientOf(await script({ body: '<p>' })).request({ path: '/shop' }), DaybookError)
      equal(html.code, 'UNEXPECTED_ANSWER')
      const gone = await script(badGateway)
      await failure(clientOf(gone).request({ path: '/shop' }), DaybookError)
      await failure(clientOf(gone).request({ method: 'POST', path: '/shop' }), DaybookError)
      await failure(clientOf(gone).request({ method: 'POST', path: '/shop', idempotencyKey: 'a' }), DaybookError)
      equal((await gone.sent()).length, 7)
    },
  },
  {
    name: 'request() rejects a path that leads elsewhere or contains a query',
    async run({ script, clientOf }) {
      const server = await script(page)
      for (const path of ['.example.org', '@example.org', '/api/posts?q=a', '/api/posts#a', ['posts', '..'], [''], []])
        await failure(clientOf(server).request({ path: path as '/' }), TypeError)
      equal(await server.sent(), [])
    },
  },
  {
    name: 'a token function is called for each attempt',
    async run({ script, clientOf }) {
      const server = await script(badGateway, page)
      const tokens = ['old', 'new']
      await clientOf(server, { token: async () => tokens.shift() }).collections.posts.findMany()
      equal(
        (await server.sent()).map(({ headers }) => headers.authorization),
        ['Bearer old', 'Bearer new'],
      )
      await clientOf(server, { token: () => undefined }).health()
      equal((await server.sent()).at(-1)?.headers.authorization, undefined)
      const failed = clientOf(server, { token: () => Promise.reject(new RangeError('Sign in again.')) }).health()
      equal((await failure(failed, RangeError)).message, 'Sign in again.')
    },
  },
  {
    name: 'no error reveals the token',
    async run({ script, clientOf }) {
      const broken = clientOf(await script(page), { token: `${SECRET}\nx` })
      const gone = clientOf(
        { ...(await script(page)), baseUrl: 'http://127.0.0.1:1' },
        { token: SECRET, retry: { attempts: 1 } },
      )
      const page502 = clientOf(await script(badGateway), { token: SECRET, retry: { attempts: 1 } })
      for (const client of [broken, gone, page502]) {
        const error = await failure(client.collections.posts.findMany({ q: SECRET }), Error)
        for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
          if (`${cause.message} ${cause.stack} ${JSON.stringify(cause)}`.includes(SECRET))
            throw new Error('It reveals the token.')
        }
      }
    },
  },
  {
    name: 'baseUrl may contain a path, and a trailing slash is ignored',
    async run({ script, clientOf }) {
      const server = await script(page)
      for (const end of ['', '/', '//', '/cms', '/cms/']) {
        await clientOf({ ...server, baseUrl: server.baseUrl + end }).collections.posts.findMany()
      }
      const paths = (await server.sent()).map(({ url }) => url)
      equal(paths, ['/api/posts', '/api/posts', '/api/posts', '/cms/api/posts', '/cms/api/posts'])
    },
  },
  {
    name: 'an invalid baseUrl is rejected at once',
    async run() {
      for (const baseUrl of [
        'ftp://example.org',
        'http://',
        'https://example.org?a=b',
        'https://example.org/#x',
        `https://mia:${SECRET}@example.org`,
      ]) {
        try {
          createClient({ baseUrl })
        } catch (error) {
          equal([error instanceof TypeError, String(error).includes(SECRET)], [true, false])
          continue
        }
        throw new Error(`${baseUrl} was accepted.`)
      }
    },
  },
  {
    name: 'a tag that a proxy has marked as weak still works as a condition',
    async run({ script, clientOf }) {
      const weak = json({ id: ID, title: 'A' }, { headers: { ...JSON_TYPE, ETag: 'W/"1.x"' } })
      const server = await script(weak)
      const { posts } = clientOf(server).collections
      const post = await posts.findById(ID)
      equal(etagOf(post ?? {}), '"1.x"')
      await posts.update(post ?? '', { words: 1 })
      equal((await server.sent())[1]?.headers['if-match'], '"1.x"')
    },
  },
  {
    name: 'an entry from a response without a tag cannot be updated conditionally',
    async run({ script, clientOf }) {
      const server = await script(json({ id: ID }))
      const post = await clientOf(server).collections.posts.findById(ID)
      await failure((async () => etagOf(post ?? {}))(), TypeError)
    },
  },
  {
    name: 'entries of another config are returned unchanged',
    async run({ script, clientOf }) {
      const server = await script(json({ id: ID, headline: 'A', author: { id: ID } }))
      equal(await clientOf(server).collections.posts.findById(ID), { id: ID, headline: 'A', author: { id: ID } })
    },
  },
]

export const FAULTS: readonly Case[] = [...BAD_RESPONSES, ...RETRIES, ...SIGNALS, ...REQUESTS]
