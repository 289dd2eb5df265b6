import { mkdir, mkdtemp, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { defineCollection, definePlugin, f, staticFiles } from 'daybook'
import { createTestService, type TestService } from 'daybook/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Connection, IN_PROCESS, SOCKET } from '../support/scenarios/transports.ts'

const SCRIPT = 'export const answer = 42\n'
const LARGE = 'x'.repeat(200_000)

let root: string

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'daybook-static-'))
  const folder = join(root, 'site')
  await mkdir(join(folder, 'deep'), { recursive: true })
  await mkdir(join(folder, '.git'))
  const files: Readonly<Record<string, string | Buffer>> = {
    'index.html': '<p>Hello',
    'app.0a1b2c3d.js': SCRIPT,
    'app.0a1b2c3d.js.br': brotliCompressSync(SCRIPT),
    'app.0a1b2c3d.js.gz': gzipSync(SCRIPT),
    'deep/data.json': '{}',
    'large.txt': LARGE,
    'no-ending': 'bytes',
    'näher.txt': 'ü',
    '.env': 'SECRET=1',
    '.git/config': 'secret',
    '../secret.txt': 'secret',
  }
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
  await symlink(join(root, 'secret.txt'), join(folder, 'link.txt'))
  await symlink('deep', join(folder, 'short'))
})
afterAll(() => rm(root, { recursive: true, force: true }))

describe.each([IN_PROCESS, SOCKET])('static files by $name', (transport) => {
  let service: TestService
  let connection: Connection
  beforeAll(async () => {
    const files = staticFiles({ path: '/site', folder: join(root, 'site'), immutable: /\.[0-9a-f]{8}\./ })
    service = await createTestService({
      collections: { posts: defineCollection({ fields: { title: f.text() } }) },
      plugins: [definePlugin({ name: 'site', version: '1.0.0', routes: files })],
    })
    connection = await transport.connect(service)
  })
  afterAll(() => connection.close())

  const get = (path: string, headers: Readonly<Record<string, string>> = {}, method = 'GET') =>
    connection.send({ method, path, headers })

  test.each([
    ['/site', 'text/html; charset=utf-8', '<p>Hello'],
    ['/site/index.html', 'text/html; charset=utf-8', '<p>Hello'],
    ['/site/deep/data.json', 'application/json; charset=utf-8', '{}'],
    ['/site/short/data.json', 'application/json; charset=utf-8', '{}'],
    ['/site/no-ending', 'application/octet-stream', 'bytes'],
    ['/site/n%C3%A4her.txt', 'text/plain; charset=utf-8', 'ü'],
    ['/site/large.txt', 'text/plain; charset=utf-8', LARGE],
  ])('%s is sent as %s', async (path, type, text) => {
    const response = await get(path)
    expect([response.status, response.headers.get('content-type')]).toEqual([200, type])
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
    expect(response.text === text).toBe(true)
  })

  test.each([
    '/site/absent.txt',
    '/site/deep',
    '/site/.env',
    '/site/.git/config',
    '/site/../secret.txt',
    '/site/%2e%2e/secret.txt',
    '/site/..%2fsecret.txt',
    '/site/%2e%2e%2fsecret.txt',
    '/site/..%5csecret.txt',
    '/site/deep/..%2f..%2f..%2fsecret.txt',
    '/site/link.txt',
    '/site//secret.txt',
    '/site/C:%5csecret.txt',
    '/site/index.html/',
    `/site/${'a'.repeat(300)}`,
    '/site%2f..%2fsecret.txt',
  ])('%s is 404', async (path) => {
    const { status, text } = await get(path)
    expect(status).toBe(404)
    expect(text).not.toMatch(/secret|ENOENT|daybook-static/)
  })

  test('a name with a NUL is rejected', async () => {
    expect((await get('/site/a%00.txt')).status).toBe(400)
  })

  test('a client that has a file gets 304', async () => {
    const first = await get('/site/deep/data.json')
    const tag = first.headers.get('etag') ?? ''
    const again = await get('/site/deep/data.json', { 'If-None-Match': `"other", ${tag}` })
    expect([again.status, again.text, again.headers.get('etag')]).toEqual([304, '', tag])
    await utimes(join(root, 'site/deep/data.json'), new Date(), new Date(Date.now() + 5000 * Math.random()))
    expect((await get('/site/deep/data.json', { 'If-None-Match': tag })).status).toBe(200)
  })

  test('HEAD has no body', async () => {
    const { status, text, headers } = await get('/site/large.txt', {}, 'HEAD')
    expect([status, text, headers.get('content-type')]).toEqual([200, '', 'text/plain; charset=utf-8'])
  })

  test.each([
    ['/site/deep/data.json', 'bytes=1-', '}', 'bytes 1-1/2'],
    ['/site/large.txt', 'bytes=-3', 'xxx', 'bytes 199997-199999/200000'],
    ['/site/large.txt', 'bytes=1-100000', LARGE.slice(0, 100_000), 'bytes 1-100000/200000'],
  ])('a part of %s is sent for %s', async (path, range, text, part) => {
    const response = await get(path, { Range: range })
    expect([response.status, response.headers.get('content-range')]).toEqual([206, part])
    expect(response.text === text).toBe(true)
    expect(response.headers.get('content-length')).toBe(String(text.length))
  })

  test('a range of a compressed file counts compressed bytes', async () => {
    const { status, headers } = await get('/site/app.0a1b2c3d.js', { Range: 'bytes=0-3', 'Accept-Encoding': 'br' })
    const size = brotliCompressSync(SCRIPT).length
    expect([status, headers.get('content-encoding'), headers.get('content-range')]).toEqual([
      206,
      'br',
      `bytes 0-3/${size}`,
    ])
  })

  test('a range outside the file is 416', async () => {
    const { status, headers } = await get('/site/deep/data.json', { Range: 'bytes=2-' })
    expect([status, headers.get('content-range')]).toEqual([416, 'bytes */2'])
  })

  test('files with immutable names are cached for a year, and others are revalidated', async () => {
    expect((await get('/site/app.0a1b2c3d.js')).headers.get('cache-control')).toBe(
      'public, max-age=31536000, immutable',
    )
    expect((await get('/site/index.html')).headers.get('cache-control')).toBe('public, max-age=0, must-revalidate')
  })

  test.each([
    ['gzip, br', 'br'],
    ['gzip', 'gzip'],
    ['br;q=0, gzip;q=0.5', 'gzip'],
    ['br;q=0', null],
    ['zstd', null],
    ['', null],
  ])('a client that accepts "%s" gets %s', async (accepted, encoding) => {
    const { status, headers } = await get('/site/app.0a1b2c3d.js', { 'Accept-Encoding': accepted })
    expect([status, headers.get('content-encoding'), headers.get('vary')]).toEqual([200, encoding, 'Accept-Encoding'])
    expect(headers.get('content-type')).toBe('text/javascript; charset=utf-8')
  })

  test('each encoding of a file has a different tag', async () => {
    const tags = await Promise.all(
      ['br', 'gzip', ''].map(async (encoding) =>
        (await get('/site/app.0a1b2c3d.js', { 'Accept-Encoding': encoding })).headers.get('etag'),
      ),
    )
    expect(new Set(tags).size).toBe(3)
  })
})
