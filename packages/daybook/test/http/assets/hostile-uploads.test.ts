import { once } from 'node:events'
import { Agent, type ClientRequest, type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { type BlobStore, type BlobStoreOption, DaybookError, defineCollection, defineConfig, disk, f } from 'daybook'
import { s3 } from 'daybook/s3'
import { createTestService } from 'daybook/testing'
import { afterEach, describe, expect, test } from 'vitest'
import { S3_KEY, S3Server } from '../../support/assets/s3-server.ts'
import { FaultyProxy } from '../../support/network/faulty-proxy.ts'
import { type ListeningService, listen } from '../../support/network/listening.ts'
import { expectQuietProcess } from '../../support/scenarios/sane.ts'
import { POLICY_STORES } from '../../support/stores/stores.ts'
import { eventually, LARGE_TEST_MS } from '../../support/timeouts.ts'
import { type Asset, postUpload, storedFiles, upload } from '../../support/uploads.ts'

const KIB = 1024
const config = defineConfig({
  collections: { posts: defineCollection({ fields: { title: f.text() } }) },
  assets: { maxBytes: 256 * KIB },
  limits: { bodyBytes: KIB },
})
const BEGINNING = '--b\r\nContent-Disposition: form-data; name="file"; filename="a.bin"\r\n\r\n'
const END = '\r\n--b--\r\n'

afterEach(expectQuietProcess)

/** Begins an upload by sending its head. */
function beginUpload(
  { port, service }: ListeningService,
  headers: Readonly<Record<string, string>> = {},
): ClientRequest {
  return request({
    host: '127.0.0.1',
    port,
    method: 'POST',
    path: '/api/assets',
    headers: {
      Authorization: `Bearer ${service.token}`,
      'Content-Type': 'multipart/form-data; boundary=b',
      ...headers,
    },
  })
}

/** Reads the response to a request that may still be sending. */
async function readResponse(sent: ClientRequest): Promise<readonly [status: number, body: string]> {
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  const body = await text(response)
  sent.destroy()
  return [response.statusCode ?? 0, body]
}

async function countAssets({ service }: Pick<ListeningService, 'service'>): Promise<number> {
  const response = await service.request('/api/assets?limit=0')
  return ((await response.json()) as { readonly total: number }).total
}

describe('an upload over a socket', () => {
  test('that is rejected keeps its connection open for the next request', async () => {
    await using server = await listen({ ...config, assets: { accept: ['image/*'] } })
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const sendRequest = async (method: string, path: string, headers: Readonly<Record<string, string>>, body = '') => {
      const sent = request({ host: '127.0.0.1', port: server.port, method, path, headers, agent }).end(body)
      const [response] = (await once(sent, 'response')) as [IncomingMessage]
      const { localPort } = response.socket
      await text(response)
      return { status: response.statusCode, localPort }
    }
    const headers = {
      Authorization: `Bearer ${server.service.token}`,
      'Content-Type': 'multipart/form-data; boundary=b',
    }
    const refused = await sendRequest('POST', '/api/assets', headers, `${BEGINNING}<!doctype html><p>x${END}`)
    expect(refused.status).toBe(400)
    // The rest of a rejected body may take at least half a second.
    await sleep(800)
    expect(await sendRequest('GET', '/api/health', {})).toEqual({ status: 200, localPort: refused.localPort })
    agent.destroy()
  })

  test('of too many bytes, without a length, is 413 at the limit, and leaves nothing', async () => {
    await using server = await listen(config)
    const sent = beginUpload(server).on('error', () => {})
    const answered = readResponse(sent)
    sent.write(BEGINNING)
    const chunk = Buffer.alloc(64 * KIB)
    for (let count = 0; count < 1000 && !sent.destroyed; count++) {
      if (!sent.write(chunk)) await Promise.race([once(sent, 'drain'), answered, once(sent, 'close')])
    }
    const [status, body] = await answered
    expect([status, JSON.parse(body)]).toMatchObject([413, { details: { limit: 256 * KIB } }])
    expect([await countAssets(server), await storedFiles(server.service.data)]).toEqual([0, []])
  })

  test('with a length over the limit is 413 before the body is sent; within the limit, the client continues', async () => {
    await using server = await listen(config)
    const large = beginUpload(server, { Expect: '100-continue', 'Content-Length': String(10_000 * KIB) })
    let isContinued = false
    large
      .on('error', () => {})
      .on('continue', () => {
        isContinued = true
      })
    large.flushHeaders()
    expect([(await readResponse(large))[0], isContinued]).toEqual([413, false])
    const content = 'x'.repeat(100 * KIB)
    const length = String(BEGINNING.length + content.length + END.length)
    const fitting = beginUpload(server, { Expect: '100-continue', 'Content-Length': length })
    fitting.flushHeaders()
    await once(fitting, 'continue')
    fitting.end(`${BEGINNING}${content}${END}`)
    expect((await readResponse(fitting))[0]).toBe(201)
  })

  test('that breaks off at any byte leaves neither file nor asset', { timeout: LARGE_TEST_MS }, async () => {
    await using server = await listen(config)
    const form = `${BEGINNING}${'x'.repeat(200 * KIB)}${END}`
    const breakOff = async (index: number): Promise<void> => {
      const sent = beginUpload(server, { 'Content-Length': String(form.length) }).on('error', () => {})
      const bytes = Math.floor((form.length * index) / 200)
      await new Promise((done) => sent.write(form.slice(0, bytes), done))
      const closed = new Promise((done) => sent.once('close', done))
      sent.destroy()
      await closed
    }
    for (let index = 0; index < 200; index += 20) {
      await Promise.all(Array.from({ length: 20 }, (_, offset) => breakOff(index + offset)))
    }
    await eventually(async () => expect(await storedFiles(server.service.data)).toEqual([]))
    expect(await countAssets(server)).toBe(0)
    expect((await postUpload(server.service)).status).toBe(201)
  })

  test('that makes steady progress may take longer than other bodies', async () => {
    await using server = await listen({ ...config, assets: { maxBytes: 10_000 * KIB } }, { requestTimeoutMs: 500 })
    const sent = beginUpload(server)
    sent.write(BEGINNING)
    for (const until = Date.now() + 2000; Date.now() < until; ) {
      sent.write(Buffer.alloc(128 * KIB))
      await sleep(100)
    }
    sent.end(END)
    expect((await readResponse(sent))[0]).toBe(201)
  })

  test('that makes hardly any progress is 408, and leaves nothing', async () => {
    await using server = await listen(config, { requestTimeoutMs: 300 })
    const sent = beginUpload(server).on('error', () => {})
    const answered = readResponse(sent)
    sent.write(BEGINNING)
    const trickle = setInterval(() => sent.write('x'), 20)
    try {
      expect((await answered)[0]).toBe(408)
    } finally {
      clearInterval(trickle)
    }
    await eventually(async () => expect(await storedFiles(server.service.data)).toEqual([]))
  })
})

/** A disk store that calls a function of the test before it stages or publishes a file. */
function failingStore(fail: (step: 'stage' | 'publish') => void): BlobStoreOption {
  const diskOption = disk()
  return {
    name: 'failing',
    async open(host) {
      const store = await diskOption.open(host)
      const failing: Pick<BlobStore, 'stage' | 'publish'> = {
        stage: async (...parameters) => {
          fail('stage')
          return store.stage(...parameters)
        },
        publish: async (...parameters) => {
          fail('publish')
          return store.publish(...parameters)
        },
      }
      return new Proxy(store, {
        get: (target, name) => {
          const part = Reflect.get(Object.hasOwn(failing, name) ? failing : target, name)
          return typeof part === 'function' ? part.bind(Object.hasOwn(failing, name) ? failing : target) : part
        },
      })
    },
  }
}

describe.each(POLICY_STORES)('a store of files that fails, on $name', (store) => {
  test.each([
    ['INSUFFICIENT_STORAGE', 507, 'stage'],
    ['INSUFFICIENT_STORAGE', 507, 'publish'],
    ['SERVICE_UNAVAILABLE', 503, 'stage'],
    ['SERVICE_UNAVAILABLE', 503, 'publish'],
  ] as const)(
    'U8, D5: by %s, %i while it works to %s, fails the upload alone, and heals',
    async (code, status, step) => {
      let isFailing = true
      const fail = (at: string): void => {
        if (isFailing && at === step) throw new DaybookError(code)
      }
      await using service = await store.open({ ...config, assets: { store: failingStore(fail) } })
      const upload = { texts: { filename: 'a.txt' } }
      const response = await postUpload(service, upload)
      expect([response.status, await response.json()]).toMatchObject([status, { code, details: {} }])
      expect(await storedFiles(service.data)).toEqual([])
      expect((await service.request('/api/posts')).status).toBe(200)
      isFailing = false
      expect((await postUpload(service, upload)).status).toBe(201)
      expect(await storedFiles(service.data)).toEqual(['a.txt'])
    },
  )

  test('an upload beyond the quota of an account is 403 or 413, also with concurrent uploads, and leaves no file', async () => {
    await using service = await store.open({ ...config, assets: { quota: { files: 3, bytes: 100 } } })
    const responses = await Promise.all(
      Array.from({ length: 8 }, () => postUpload(service, { content: 'x'.repeat(10) })),
    )
    expect(responses.map(({ status }) => status).sort()).toEqual([201, 201, 201, 403, 403, 403, 403, 403])
    const { items } = (await (await service.request('/api/assets')).json()) as { readonly items: readonly Asset[] }
    const headers = { Authorization: `Bearer ${service.token}` }
    await service.request(`/api/assets/${items[0]?.id}`, { method: 'DELETE', headers })
    const large = await postUpload(service, { content: 'x'.repeat(81) })
    expect([large.status, await large.json()]).toMatchObject([413, { details: { limit: 100 } }])
    expect((await postUpload(service, { content: 'x'.repeat(80) })).status).toBe(201)
    const isKept = (file: string): boolean => file.startsWith('.deleted')
    await eventually(async () =>
      expect((await storedFiles(service.data)).map(isKept).sort()).toEqual([false, false, false, true]),
    )
  })

  test('a rule that rejects the new asset leaves no file', async () => {
    const access = { create: () => ({ mimeType: { eq: 'image/png' } }) }
    await using service = await store.open({ ...config, assets: { access } })
    expect((await postUpload(service)).status).toBe(403)
    expect(await storedFiles(service.data)).toEqual([])
  })
})

describe('files on S3', () => {
  test('while it is gone, uploads are 503 and everything else works; then uploads work again', async () => {
    await using bucket = await S3Server.make()
    await using network = await FaultyProxy.to(bucket.port)
    const store = s3({
      bucket: 'files',
      endpoint: `http://127.0.0.1:${network.port}`,
      credentials: S3_KEY,
      timeoutMs: 1000,
    })
    await using service = await createTestService({ ...config, assets: { store } })
    const first = await upload(service, { content: 'first' })
    for (const fail of [() => network.blackHole(), () => network.refuse()]) {
      fail()
      network.cut()
      const response = await postUpload(service, { content: 'second' })
      const body = await response.text()
      expect([response.status, response.headers.get('retry-after')]).toEqual([503, expect.any(String)])
      expect(body).not.toMatch(/127\.0\.0\.1|bucket|ECONN/)
      const headers = { Authorization: `Bearer ${service.token}`, 'Content-Type': 'application/json' }
      const created = await service.request('/api/posts', { method: 'POST', headers, body: '{"title":"x"}' })
      expect(created.status).toBe(201)
      expect((await service.request(`/api/assets/${first.id}`)).status).toBe(200)
      expect((await service.request('/api/ready')).status).toBe(200)
      await network.heal()
      expect((await postUpload(service, { content: 'third' })).status).toBe(201)
    }
    expect(await countAssets({ service })).toBe(3)
  })
})
