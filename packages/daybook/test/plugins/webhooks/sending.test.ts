import type { ServerResponse } from 'node:http'
import { type WebhooksOptions, webhooks } from 'daybook/plugins'
import { useAgent } from 'request-filtering-agent'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { sendMessage } from '../../../src/plugins/webhooks/sender.ts'
import { HookReceiver } from '../../support/network/hook-receiver.ts'

const SECRET = `whsec_${Buffer.alloc(32, 1).toString('base64')}`

const withEndpoint = (endpoint: object): WebhooksOptions =>
  ({ endpoints: { site: { url: 'https://www.example.org/hook', secrets: [SECRET], ...endpoint } } }) as WebhooksOptions

const findFaults = (endpoint: object): string => {
  try {
    webhooks(withEndpoint(endpoint))
    return ''
  } catch (error) {
    return (error as Error).message
  }
}

describe('an endpoint is rejected at start', () => {
  test.each([
    'https://127.0.0.1/',
    'https://0/',
    'https://0x7f000001/',
    'https://2130706433/',
    'https://0177.0.0.1/',
    'https://127.1/',
    'https://[::1]/',
    'https://[::]/',
    'https://[::ffff:7f00:1]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[64:ff9b::7f00:1]/',
    'https://169.254.169.254/latest/meta-data',
    'https://10.1.2.3/',
    'https://100.64.0.1/',
    'https://172.16.0.1/',
    'https://192.168.0.1/',
    'https://[fc00::1]/',
    'https://[fe80::1]/',
    'https://localhost/',
    'https://localhost./',
    'https://api.localhost/',
    'https://127。0。0。1/',
    'https://１２７.0.0.1/',
  ])('with the URL %s', (url) => {
    expect(findFaults({ url })).toContain('plugins.webhooks.options.endpoints.site.url is a private')
    expect(findFaults({ url, allowPrivate: true })).toBe('')
  })

  test.each([
    ['https://good@127.0.0.1/', 'must not contain a user or a password'],
    ['https://user:secret@www.example.org/', 'must not contain a user or a password'],
    ['http://www.example.org/', 'must be an https: URL'],
    ['file:///etc/passwd', 'must be an https: URL'],
    ['data:text/plain,x', 'must be an https: URL'],
    ['//www.example.org/', 'must be a URL'],
    ['', 'must be a URL'],
  ])('with the URL %s', (url, message) => {
    const fault = findFaults({ url })
    expect(fault).toContain(`plugins.webhooks.options.endpoints.site.url ${message}`)
    expect(fault).not.toContain('secret@')
  })

  test.each([
    ['Host', 'www.example.org'],
    ['content-length', '5'],
    ['Transfer-Encoding', 'chunked'],
    ['Content-Type', 'text/plain'],
    ['Cookie', 'a=b'],
    ['webhook-id', '1'],
    ['Webhook-Signature', 'v1,x'],
    ['X-A', 'a\r\nHost: evil'],
    ['X-A', 'a\nb'],
    ['X-A\r\nHost', 'evil'],
    ['X A', 'a'],
    ['X-A', 5],
  ])('with the header %j: %j', (header, value) => {
    expect(findFaults({ headers: { [header]: value } })).toContain(
      `plugins.webhooks.options.endpoints.site.headers.${header}`,
    )
  })

  test.each([
    [[]],
    [['whsec_']],
    [['']],
    [[SECRET.slice(6)]],
    [['whsec_c2hvcnQ=']],
    [['whsec_not base64 at all, and long enough to be one']],
    [[SECRET, SECRET, SECRET]],
    [SECRET],
  ])('with the secrets %j, which the message does not repeat', (secrets) => {
    const fault = findFaults({ secrets })
    expect(fault).toContain('plugins.webhooks.options.endpoints.site.secrets must be a list of one or two secrets')
    for (const secret of [secrets].flat().filter((secret) => secret.length > 6)) expect(fault).not.toContain(secret)
  })

  test.each([
    ['nope', { nope: 1 }],
    ['as', { as: 'editor' }],
    ['allowPrivate', { allowPrivate: 'yes' }],
  ])('with an invalid option %s', (option, endpoint) => {
    expect(findFaults(endpoint)).toContain(option)
  })
})

describe('a message', () => {
  let receiver: HookReceiver
  let other: HookReceiver

  beforeEach(async () => {
    receiver = await HookReceiver.open()
    other = await HookReceiver.open()
  })
  afterEach(async () => {
    await receiver[Symbol.asyncDispose]()
    await other[Symbol.asyncDispose]()
  })

  const PRIVATE = { allowPrivateIPAddress: true }

  const send = (url: string, options: Parameters<typeof useAgent>[1] = PRIVATE, ms = 60_000) => {
    const request = { url: new URL(url), headers: { Authorization: 'Bearer abc' }, body: '{"data":{}}' }
    return sendMessage(request, useAgent(url, options), AbortSignal.timeout(ms))
  }

  const respondWith = (respond: (response: ServerResponse) => unknown): void => {
    receiver.respond = (_hook, response) => respond(response)
  }

  test.each([200, 201, 204])('is delivered with the status %d', async (status) => {
    respondWith((response) => response.writeHead(status).end())
    await send(receiver.url)
    expect(receiver.received).toHaveLength(1)
  })

  test.each([301, 302, 303, 307, 308])('fails with the redirect %d, which is not followed', async (status) => {
    respondWith((response) => response.writeHead(status, { Location: other.url }).end())
    await expect(send(receiver.url)).rejects.toThrow(
      `The receiver responded with ${status}. Redirects are not followed`,
    )
    expect(other.connections).toBe(0)
  })

  test.each([400, 404, 410, 429, 500, 503])(
    'fails with the status %d, and the error reveals nothing else of the response',
    async (status) => {
      respondWith((response) => response.writeHead(status, 'canary-reason', { 'X-A': 'canary' }).end('canary'))
      await expect(send(receiver.url)).rejects.toThrow(new RegExp(`^The receiver responded with ${status}\\.$`))
    },
  )

  test.each(['127.0.0.1', '[::1]', '[::ffff:127.0.0.1]', '0x7f000001', '2130706433', 'localhost'])(
    'is not sent to the private address %s',
    async (host) => {
      await expect(send(`http://${host}:${receiver.port}/`, {})).rejects.toThrow('The address is private')
      expect(receiver.connections).toBe(0)
    },
  )

  /** Creates a DNS lookup that returns other addresses at each call. */
  const createLookup = (...results: readonly (readonly string[])[]) => {
    let calls = 0
    const lookup = (_host: string, _options: object, done: (error: null, addresses: object[]) => void): void => {
      const addresses = results[Math.min(calls++, results.length - 1)] ?? []
      done(
        null,
        addresses.map((address) => ({ address, family: 4 })),
      )
    }
    return { lookup: lookup as never, calls: () => calls }
  }

  /** An address that stands for a public one. Nothing listens there. */
  const PUBLIC = '192.0.2.1'
  const IS_PUBLIC = { allowIPAddressList: [PUBLIC] }

  test('is not sent to a name with a private address, alone or among others', async () => {
    const url = `http://hooks.example.org:${receiver.port}/`
    for (const addresses of [['127.0.0.1'], [PUBLIC, '127.0.0.1'], ['127.0.0.1', PUBLIC]])
      await expect(send(url, { ...IS_PUBLIC, lookup: createLookup(addresses).lookup })).rejects.toThrow(
        'The address is private',
      )
    expect(receiver.connections).toBe(0)
  })

  test('is sent to the address that was checked, even if the name resolves to another one later', async () => {
    const { lookup, calls } = createLookup([PUBLIC], ['127.0.0.1'])
    const url = `http://hooks.example.org:${receiver.port}/`
    await expect(send(url, { ...IS_PUBLIC, lookup }, 200)).rejects.toThrow(/could not be reached|in time/)
    expect(calls()).toBe(1)
    await expect(send(url, { ...IS_PUBLIC, lookup })).rejects.toThrow('The address is private')
    expect(receiver.connections).toBe(0)
  })

  test('times out without a response, and closes its connection', async () => {
    const gone = Promise.withResolvers<void>()
    respondWith((response) => response.on('close', () => gone.resolve()))
    await expect(send(receiver.url, PRIVATE, 200)).rejects.toThrow('The receiver did not respond in time.')
    await gone.promise
  })

  test.each([
    [
      'endless',
      (response: ServerResponse) => {
        const chunk = Buffer.alloc(64 * 1024)
        const write = (): void => {
          while (!response.destroyed && response.write(chunk));
          if (!response.destroyed) response.once('drain', write)
        }
        write()
      },
    ],
    [
      'dripping',
      (response: ServerResponse) => {
        const timer = setInterval(() => response.write('.'), 20)
        response.on('close', () => clearInterval(timer))
      },
    ],
    ['compressed', (response: ServerResponse) => response.end(Buffer.alloc(64 * 1024))],
  ])('is delivered with an %s response, and closes its connection', async (kind, respond) => {
    const gone = Promise.withResolvers<void>()
    respondWith((response) => {
      response.on('close', () => gone.resolve())
      response.writeHead(200, kind === 'compressed' ? { 'Content-Encoding': 'gzip' } : {})
      respond(response)
    })
    await send(receiver.url)
    await gone.promise
  })

  test.each([
    ['breaks off', (response: ServerResponse) => response.destroy()],
    ['is not HTTP', (response: ServerResponse) => response.socket?.end('nonsense\r\n\r\n')],
    [
      'has a head without end',
      (response: ServerResponse) => response.socket?.write(`HTTP/1.1 200 OK\r\nX-A: ${'a'.repeat(40_000)}`),
    ],
    [
      'switches protocols',
      (response: ServerResponse) => response.writeHead(101, { Connection: 'Upgrade', Upgrade: 'x' }).end(),
    ],
  ])('fails if the response %s', async (_case, respond) => {
    respondWith(respond)
    await expect(send(receiver.url)).rejects.toThrow('The receiver could not be reached: ')
  })

  test('fails on a port where nothing listens', async () => {
    const { port } = other
    await other[Symbol.asyncDispose]()
    await expect(send(`http://127.0.0.1:${port}/`)).rejects.toThrow('The receiver could not be reached: ECONNREFUSED.')
    other = await HookReceiver.open()
  })
})
