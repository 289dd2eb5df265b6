import { createHash, randomBytes } from 'node:crypto'
import { readdir, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { type DaybookConfig, defineCollection, defineConfig, f, type Log } from 'daybook'
import { serve } from 'daybook/node'
import { serveUploads, signUpload } from 'daybook/plugins'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Connection, TRANSPORTS } from '../support/scenarios/transports.ts'
import { POLICY_STORES, SQLITE, type StoredService } from '../support/stores/stores.ts'
import { type Asset, upload } from '../support/uploads.ts'

const SECRET = 'a-secret-that-nobody-can-guess-at-all'

/** Files in `private` need a session; files in `secret` are readable only by code of the service. */
const config: DaybookConfig = defineConfig({
  collections: { posts: defineCollection({ fields: { title: f.text() } }) },
  assets: {
    access: {
      read: ({ identity }) =>
        identity === null ? { path: { startsWith: 'public/' } } : { path: { ne: 'private/hidden.txt' } },
    },
  },
  plugins: [serveUploads({ secret: SECRET, inline: ['application/pdf'] })],
})

const TEXT = '0123456789'
const LARGE = randomBytes(200_000).toString('hex')

let service: StoredService
let connection: Connection

const session = (): Readonly<Record<string, string>> => ({ Authorization: `Bearer ${service.token}` })
const get = (path: string, headers: Readonly<Record<string, string>> = {}, method = 'GET') =>
  connection.send({ method, path, headers })
const store = (path: string, content: string | Uint8Array<ArrayBuffer> = TEXT): Promise<Asset> => {
  const [directory = '', filename = ''] = path.split('/')
  return upload(service, { content, name: filename, texts: { directory, filename } })
}

describe.each(
  POLICY_STORES.flatMap((kind) =>
    TRANSPORTS.map((transport) => ({ kind, transport, name: `${kind.name} by ${transport.name}` })),
  ),
)('uploads on $name', ({ kind, transport }) => {
  beforeAll(async () => {
    service = await kind.open(config)
    connection = await transport.connect(service)
    await store('public/ten.txt')
    await store('public/large.txt', LARGE)
    await store('public/none.txt', '')
    await store('private/ten.txt')
    await store('private/hidden.txt')
  })
  afterAll(() => connection.close())

  test('a file is sent with its type, name, length and tag', async () => {
    const { status, headers, text } = await get('/uploads/public/ten.txt')
    expect([status, text]).toEqual([200, TEXT])
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'text/plain; charset=utf-8',
      'content-length': '10',
      'content-disposition': `inline; filename="ten.txt"; filename*=UTF-8''ten.txt`,
      'cache-control': 'public, max-age=0, must-revalidate',
      etag: `"${createHash('sha256').update(TEXT).digest('hex')}"`,
      'accept-ranges': 'bytes',
      'x-content-type-options': 'nosniff',
    })
    expect(headers.get('content-security-policy')).toBeNull()
  })

  test('a large file is complete', async () => {
    expect((await get('/uploads/public/large.txt')).text === LARGE).toBe(true)
  })

  test('HEAD has the headers of GET without the file', async () => {
    for (const path of ['public/ten.txt', 'public/none.txt', 'private/ten.txt', 'absent.txt']) {
      const [whole, head] = [await get(`/uploads/${path}`), await get(`/uploads/${path}`, {}, 'HEAD')]
      const stable = ({ headers }: typeof head) =>
        Object.fromEntries([...headers].filter(([name]) => !['x-request-id', 'date'].includes(name)))
      expect([head.status, head.text]).toEqual([whole.status, ''])
      expect(stable(head)).toEqual(stable(whole))
    }
  })

  test.each([
    ['bytes=0-3', '0123', 'bytes 0-3/10'],
    ['bytes=4-', '456789', 'bytes 4-9/10'],
    ['bytes=-2', '89', 'bytes 8-9/10'],
    ['bytes=-99', TEXT, 'bytes 0-9/10'],
    ['bytes=8-99', '89', 'bytes 8-9/10'],
    ['Bytes=9-9', '9', 'bytes 9-9/10'],
  ])('the range %s is served with 206', async (range, text, part) => {
    const response = await get('/uploads/public/ten.txt', { Range: range })
    expect([response.status, response.text, response.headers.get('content-range')]).toEqual([206, text, part])
    expect(response.headers.get('content-length')).toBe(String(text.length))
  })

  test.each([
    'bytes=0-1,4-5',
    'bytes=5-2',
    'bytes=a-b',
    'bytes=',
    'bytes=-',
    'lines=0-3',
    'bytes=0-99999999999999999999',
    '0-3',
  ])('the range %s is ignored', async (range) => {
    const { status, text, headers } = await get('/uploads/public/ten.txt', { Range: range })
    expect([status, text, headers.get('content-range')]).toEqual([200, TEXT, null])
  })

  test.each(['bytes=10-', 'bytes=99-100', 'bytes=-0'])('the range %s cannot be satisfied: 416', async (range) => {
    const { status, text, headers } = await get('/uploads/public/ten.txt', { Range: range })
    expect([status, headers.get('content-range')]).toEqual([416, 'bytes */10'])
    expect(JSON.parse(text)).toMatchObject({ code: 'RANGE_NOT_SATISFIABLE', details: { size: 10 } })
  })

  test('an empty file has no ranges', async () => {
    expect((await get('/uploads/public/none.txt', { Range: 'bytes=-5' })).status).toBe(200)
    expect((await get('/uploads/public/none.txt', { Range: 'bytes=0-' })).status).toBe(416)
  })

  test('a thousand ranges are served with the whole file once', async () => {
    const ranges = Array.from({ length: 1000 }, (_, index) => `${index}-${index}`).join(',')
    const { status, text } = await get('/uploads/public/ten.txt', { Range: `bytes=${ranges}` })
    expect([status, text]).toEqual([200, TEXT])
  })

  test('HEAD has no ranges (RFC 9110, section 14.2)', async () => {
    expect((await get('/uploads/public/ten.txt', { Range: 'bytes=0-3' }, 'HEAD')).status).toBe(200)
  })

  test('If-Range serves a range only of the file that the client has a part of', async () => {
    const tag = (await get('/uploads/public/ten.txt')).headers.get('etag') ?? ''
    const getStatus = async (ifRange: string) =>
      (await get('/uploads/public/ten.txt', { Range: 'bytes=0-3', 'If-Range': ifRange })).status
    expect(await getStatus(tag)).toBe(206)
    expect(await getStatus(`W/${tag}`)).toBe(200)
    expect(await getStatus('"other"')).toBe(200)
    expect(await getStatus('Mon, 23 Nov 2026 00:00:00 GMT')).toBe(200)
  })

  test('a client that has the file gets 304 for any range', async () => {
    const tag = (await get('/uploads/public/ten.txt')).headers.get('etag') ?? ''
    for (const headers of [
      { 'If-None-Match': tag },
      { 'If-None-Match': `"x", W/${tag}`, Range: 'bytes=0-1' },
      { 'If-None-Match': '*' },
    ]) {
      const response = await get('/uploads/public/ten.txt', headers)
      expect([response.status, response.text, response.headers.get('etag')]).toEqual([304, '', tag])
      expect(response.headers.get('cache-control')).toBe('public, max-age=0, must-revalidate')
    }
    expect((await get('/uploads/public/ten.txt', { 'If-Match': '"other"' })).status).toBe(412)
    expect((await get('/uploads/public/ten.txt', { 'If-Match': tag })).status).toBe(200)
  })

  test('a URL with the digest is cached for a year, and a URL with another one is not', async () => {
    const digest = createHash('sha256').update(TEXT).digest('hex').slice(0, 16)
    const caching = async (query: string) => (await get(`/uploads/public/ten.txt${query}`)).headers.get('cache-control')
    expect(await caching(`?v=${digest}`)).toBe('public, max-age=31536000, immutable')
    expect(await caching(`?v=${digest.slice(1)}`)).toBe('public, max-age=0, must-revalidate')
    expect(await caching('?v=0000000000000000')).toBe('public, max-age=0, must-revalidate')
  })

  test('an unreadable file has the response of a missing one', async () => {
    const [hidden, absent] = [await get('/uploads/private/ten.txt'), await get('/uploads/private/absent.txt')]
    const summarize = ({ status, text }: typeof hidden) => [status, { ...JSON.parse(text), requestId: null }]
    expect(summarize(hidden)).toEqual(summarize(absent))
    expect(hidden.status).toBe(404)
    expect((await get('/uploads/private/hidden.txt', session())).status).toBe(404)
  })

  test('a file that needs a session may not be cached', async () => {
    const privateFile = await get('/uploads/private/ten.txt', session())
    expect([privateFile.status, privateFile.text, privateFile.headers.get('cache-control')]).toEqual([
      200,
      TEXT,
      'private, no-store',
    ])
    const open = await get('/uploads/public/ten.txt', session())
    expect(open.headers.get('cache-control')).toBe('public, max-age=0, must-revalidate')
  })

  test.each([
    '/uploads',
    '/uploads/',
    '/uploads/public',
    '/uploads/public/',
    '/uploads//public/ten.txt',
    '/uploads/public//ten.txt',

    '/uploads/%2e%2e/daybook.db',
    '/uploads/..%2fdaybook.db',
    '/uploads/..%5cdaybook.db',
    '/uploads/../daybook.db',
    '/uploads/daybook.db-wal',
    '/uploads/.incoming/x',
    '/uploads/.env',
    '/uploads/PUBLIC/ten.txt',
    '/UPLOADS/public/ten.txt',
    '/uploads%2fpublic/ten.txt',
    `/uploads/${'a/'.repeat(300)}b`,
  ])('%s is 404', async (path) => {
    expect((await get(path, session())).status).toBe(404)
  })

  test('another method is 405', async () => {
    const { status, headers } = await get('/uploads/public/ten.txt', session(), 'DELETE')
    expect([status, headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS'])
  })

  describe('files that may contain scripts are downloaded and sandboxed', () => {
    const octets = 'application/octet-stream'
    const files: readonly (readonly [name: string, content: string, type: string])[] = [
      ['page.html', '<!doctype html><script>alert(1)</script>', octets],
      ['cat.svg', '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>', 'image/svg+xml'],
      ['feed.xml', '<?xml version="1.0"?><a/>', octets],
      ['cat.png', '<html><script>alert(1)</script>', octets],
      ['app.js', 'alert(1)', octets],
      ['app.mjs', 'alert(1)', octets],
      ['app.ecma', 'alert(1)', octets],
      ['site.css', 'body { color: red }', octets],
      ['data.json', '{}', octets],
      ['page.xhtml', '<html/>', octets],
    ]
    test.each(files)('%s', async (name, content, type) => {
      await store(`public/${name}`, content)
      const { headers } = await get(`/uploads/public/${name}`)
      expect(headers.get('content-type')).toBe(type)
      expect(headers.get('content-disposition')).toMatch(/^attachment; /)
      expect(headers.get('content-security-policy')).toBe("default-src 'none'; sandbox")
      expect(headers.get('x-content-type-options')).toBe('nosniff')
    })

    test('unless the inline option allows their type', async () => {
      await store('public/paper.pdf', '%PDF-1.7\n')
      const { headers } = await get('/uploads/public/paper.pdf')
      expect(headers.get('content-type')).toBe('application/pdf')
      expect(headers.get('content-disposition')).toMatch(/^inline; /)
      expect(headers.get('content-security-policy')).toBeNull()
    })
  })

  describe('signed addresses', () => {
    test('serve a private file without a session, and may not be cached', async () => {
      const { url, expiresAt } = signUpload(SECRET, 'private/ten.txt', { expiresIn: 60 })
      expect(Date.parse(expiresAt)).toBeGreaterThan(Date.now())
      const { status, text, headers } = await get(url)
      expect([status, text, headers.get('cache-control')]).toEqual([200, TEXT, 'private, no-store'])
      expect((await get(url, { Range: 'bytes=0-1' })).text).toBe('01')
    })

    test('are 403 if they were changed, or belong to another file or secret', async () => {
      const { url } = signUpload(SECRET, 'private/ten.txt')
      const last = url.at(-1) === 'A' ? 'B' : 'A'
      const other = signUpload(SECRET.toUpperCase(), 'private/ten.txt').url
      const changed = [
        `${url.slice(0, -1)}${last}`,
        url.replace('ten.txt', 'hidden.txt'),
        url.replace(/expires=(\d+)/, (_, at) => `expires=${Number(at) + 1}`),
        url.replace(/expires=\d+&/, ''),
        url.replace(/&signature=.*/, ''),
        url.replace(/signature=.*/, 'signature='),
        url.replace('private/ten.txt', 'public/ten.txt'),
        other,
      ]
      for (const address of changed) {
        const { status, text } = await get(address)
        expect([address, status, JSON.parse(text).code]).toEqual([address, 403, 'FORBIDDEN'])
      }
    })

    test('are 403 after they have expired', async () => {
      const { url } = signUpload(SECRET, 'private/ten.txt', { expiresIn: 1 })
      await expect.poll(async () => (await get(url)).status, { timeout: 10_000 }).toBe(403)
    })

    test('are 404 for a deleted file', async () => {
      expect((await get(signUpload(SECRET, 'private/absent.txt').url)).status).toBe(404)
    })

    test('are issued to callers who may read the asset', async () => {
      const asset = await store('private/signed.txt')
      const sign = (headers: Readonly<Record<string, string>>, body = '{}', id = asset.id) => {
        const json = { 'Content-Type': 'application/json', ...headers }
        return connection.send({ method: 'POST', path: `/api/assets/${id}/url`, headers: json, body })
      }
      const { status, text, headers } = await sign(session(), '{"expiresIn":60}')
      expect([status, headers.get('cache-control')]).toEqual([200, 'private, no-store'])
      expect((await get(JSON.parse(text).url)).text).toBe(TEXT)
      expect((await sign({})).status).toBe(401)
      expect((await sign(session(), '{}', '01900000-0000-7000-8000-000000000000')).status).toBe(404)
      expect((await sign(session(), '{"expiresIn":0}')).status).toBe(400)
      expect((await sign(session(), '{"expiresIn":604801}')).status).toBe(400)
    })
  })
})

test('a file missing from the store is 404, and the log names it', async () => {
  const lines: unknown[][] = []
  const log: Log = {
    requests: false,
    info: () => {},
    warn: () => {},
    error: (...line: unknown[]) => void lines.push(line),
  }
  await using testService = await SQLITE.open(config, { log })
  const asset = await upload(testService, { texts: { directory: 'public', filename: 'lost.txt' } })
  await rm(join(testService.data, 'uploads', asset.path))
  for (const method of ['GET', 'HEAD'])
    expect((await testService.request('/uploads/public/lost.txt', { method })).status).toBe(404)
  expect(lines).toHaveLength(2)
  expect(JSON.stringify(lines)).toContain('public/lost.txt')
})

test('uploads are not served without the plugin', async () => {
  await using testService = await SQLITE.open({ ...config, plugins: [] })
  const { url } = await upload(testService)
  expect((await testService.request(String(url))).status).toBe(404)
})

/** The number of files that this process has open. */
const openFiles = async (): Promise<number> => (await readdir('/proc/self/fd')).length

// Only Linux lists the open files of a process (/proc).
test.runIf(process.platform === 'linux')('200 aborted downloads leave no file open', async () => {
  const testService = await SQLITE.open({ ...config, assets: {} })
  const { port, stop } = await serve(testService, { port: 0 })
  try {
    const { url } = await upload(testService, { content: new Uint8Array(8_000_000), name: 'large.bin' })
    const breakOff = () =>
      new Promise<void>((resolve, reject) => {
        const socket = connect(port, '127.0.0.1', () => void socket.write(`GET ${url} HTTP/1.1\r\nHost: a\r\n\r\n`))
        socket.once('data', () => socket.resetAndDestroy())
        socket.once('close', () => resolve())
        socket.once('error', reject)
      })
    await breakOff()
    const before = await openFiles()
    for (let round = 0; round < 20; round++) await Promise.all(Array.from({ length: 10 }, breakOff))
    await expect.poll(openFiles, { timeout: 20_000 }).toBeLessThanOrEqual(before)
    const { status, body } = await fetch(`http://127.0.0.1:${port}${url}`)
    expect(status).toBe(200)
    await body?.cancel()
  } finally {
    await stop(1000)
  }
})

describe('options', () => {
  const faulty: readonly (readonly [what: string, options: object, path: string])[] = [
    ['a path that is none', { path: 'uploads' }, 'path'],
    ['a path with a slash at the end', { path: '/uploads/' }, 'path'],
    ['pages that would be shown', { inline: ['text/html'] }, 'inline'],
    ['pictures that hold scripts', { inline: ['image/svg+xml'] }, 'inline'],
    ['programs', { inline: ['application/ecmascript'] }, 'inline'],
    ['archives of pages', { inline: ['application/pdf', 'multipart/related'] }, 'inline'],
    ['the type of unrecognized bytes', { inline: ['application/octet-stream'] }, 'inline'],
    ['a type that is a pattern', { inline: ['text/*'] }, 'inline'],
    ['a type in capitals, which no asset has', { inline: ['application/PDF'] }, 'inline'],
    ['a type with a parameter', { inline: ['text/csv; charset=utf-8'] }, 'inline'],
    ['a type that is shown anyway', { inline: ['image/png'] }, 'inline'],
    ['types that are a text', { inline: 'application/pdf' }, 'inline'],
    ['scripts that would run', { inline: ['text/ecmascript'] }, 'inline'],
    ['style sheets that pages could use', { inline: ['text/css'] }, 'inline'],
    ['a short secret', { secret: 'short' }, 'secret'],
    ['an option that there is not', { folder: 'a' }, 'folder'],
  ]
  test.each(faulty)('%s is rejected', (_case, options, path) => {
    expect(() => serveUploads(options)).toThrow(`plugins.serve-uploads.options.${path}`)
  })

  test('the secret is hidden from other plugins', () => {
    expect(JSON.stringify(serveUploads({ secret: SECRET }))).not.toContain(SECRET)
  })

  test('a signature needs a secret, a path and a valid expiry', () => {
    expect(() => signUpload('short', 'a.txt')).toThrow(TypeError)
    expect(() => signUpload(undefined, 'a.txt')).toThrow(TypeError)
    expect(() => signUpload(SECRET, '../a.txt?')).toThrow(TypeError)
    for (const expiresIn of [0, -1, 1.5, 604_801]) {
      expect(() => signUpload(SECRET, 'a.txt', { expiresIn })).toThrow('expiresIn')
    }
  })

  test('files can be served at another path', async () => {
    await using testService = await SQLITE.open({
      ...config,
      assets: {},
      plugins: [serveUploads({ path: '/files', secret: SECRET })],
    })
    const { path } = await upload(testService)
    for (const url of [`/files/${path}`, signUpload(SECRET, path, { base: '/files' }).url]) {
      const response = await testService.request(url)
      expect([response.status, await response.text()]).toEqual([200, 'some text'])
    }
    expect((await testService.request(`/uploads/${path}`)).status).toBe(404)
  })
})
