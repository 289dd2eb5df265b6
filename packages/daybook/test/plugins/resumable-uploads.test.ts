import { createHash, randomBytes, randomInt } from 'node:crypto'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type BlobStoreOption, createService, type DaybookConfig, defineCollection, disk, f } from 'daybook'
import { serve } from 'daybook/node'
import { s3 } from 'daybook/s3'
import { createTestService, pluginConformance, type TestService } from 'daybook/testing'
import { resumableUploads } from 'daybook/tus'
import { Upload } from 'tus-js-client'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { S3_KEY, S3Server } from '../support/assets/s3-server.ts'
import { People } from '../support/auth/people.ts'
import { CuttingProxy } from '../support/network/cutting-proxy.ts'
import { WAIT_TIMEOUT_MS } from '../support/timeouts.ts'

const MAX_BYTES = 5_000_000
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

const people = new People({ ann: [], bob: [], guest: ['guest'] })
const collections = { posts: defineCollection({ fields: { title: f.text() } }) }

const configWith = (store: BlobStoreOption): DaybookConfig => ({
  collections,
  auth: people.adapter,
  assets: {
    store,
    maxBytes: MAX_BYTES,
    accept: ['image/png', 'text/plain', 'application/octet-stream'],
    access: { create: ({ identity }) => identity !== null && !identity.roles.includes('guest') },
  },
  plugins: [resumableUploads()],
})

interface Place {
  readonly store: BlobStoreOption
  readonly server?: S3Server
  end(): Promise<void>
}

const STORES: readonly { readonly name: string; make(): Promise<Place> }[] = [
  { name: 'disk', make: async () => ({ store: disk(), end: async () => {} }) },
  {
    name: 's3',
    make: async () => {
      const server = await S3Server.make()
      const endpoint = `http://127.0.0.1:${server.port}`
      const store = s3({ bucket: 'files', endpoint, credentials: S3_KEY, timeoutMs: WAIT_TIMEOUT_MS })
      return { store, server, end: async () => server[Symbol.asyncDispose]() }
    },
  },
]

let place: Place
let service: TestService
let port: number
let stop: (ms?: number) => Promise<void>

const digest = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')
const encode = (metadata: Readonly<Record<string, string>>): string =>
  Object.entries(metadata)
    .map(([key, value]) => `${key} ${Buffer.from(value).toString('base64')}`)
    .join(',')

type Headers = Readonly<Record<string, string>>

const sendRequest = (
  method: string,
  path: string,
  headers: Headers = {},
  body?: Uint8Array<ArrayBuffer>,
  name = 'ann',
) =>
  fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: { 'Tus-Resumable': '1.0.0', Authorization: `Bearer ${name}`, ...headers },
    ...(body ? { body } : {}),
  })
const begin = (length: number, metadata: Readonly<Record<string, string>> = { filename: 'a.txt' }, name = 'ann') =>
  sendRequest(
    'POST',
    '/api/uploads',
    { 'Upload-Length': String(length), 'Upload-Metadata': encode(metadata) },
    undefined,
    name,
  )
const started = async (length: number, metadata?: Readonly<Record<string, string>>): Promise<string> =>
  (await begin(length, metadata)).headers.get('location') ?? 'none'
const send = (path: string, offset: number, bytes: Uint8Array<ArrayBuffer>, name = 'ann') =>
  sendRequest(
    'PATCH',
    path,
    { 'Upload-Offset': String(offset), 'Content-Type': 'application/offset+octet-stream' },
    bytes,
    name,
  )
const getOffset = async (path: string): Promise<number> =>
  Number((await sendRequest('HEAD', path)).headers.get('upload-offset') ?? Number.NaN)
const getCode = async (response: Response): Promise<readonly unknown[]> => {
  const { code } = (await response.json()) as { readonly code: unknown }
  return [response.status, code]
}

async function getAsset(response: Response): Promise<Readonly<Record<string, unknown>>> {
  const id = response.headers.get('daybook-asset')
  const asset = await service.request(`/api/assets/${id}`, { headers: { Authorization: 'Bearer ann' } })
  return (await asset.json()) as Readonly<Record<string, unknown>>
}

async function readFileBytes(path: unknown): Promise<Buffer> {
  const file = await service.content.as(people.caller('ann')).files.find(String(path))
  const stream = await file?.open()
  return Buffer.from(await new Response(stream ?? null).arrayBuffer())
}

describe.each(STORES)('resumable uploads to $name', ({ make }) => {
  beforeAll(async () => {
    place = await make()
    service = await createTestService(configWith(place.store))
    const listening = await serve(service, { port: 0 })
    port = listening.port
    stop = listening.stop
  })
  afterAll(async () => {
    await stop(1000)
    await place.end()
  })

  /** Uploads with a client library over connections that break. Returns the asset of the last response. */
  const uploadOver = (via: number, bytes: Buffer, chunkSize: number): Promise<string> =>
    new Promise((resolve, reject) => {
      new Upload(bytes, {
        endpoint: `http://127.0.0.1:${via}/api/uploads`,
        headers: { Authorization: 'Bearer ann' },
        metadata: {
          filename: 'Large file.bin',
          directory: 'large',
          alt: 'Large',
          filetype: 'text/html',
          relativePath: 'null',
        },
        retryDelays: Array.from({ length: 20 }, () => 20),
        chunkSize,
        onError: reject,
        onSuccess: ({ lastResponse }) => resolve(lastResponse.getHeader('Daybook-Asset') ?? ''),
      }).start()
    })

  test.each([
    ['in one piece', Number.POSITIVE_INFINITY],
    ['in chunks', 700_000],
  ])('an upload %s over breaking connections is complete', async (_case, chunkSize) => {
    for (let round = 0; round < 3; round++) {
      const bytes = randomBytes(3_000_000)
      const after = Array.from({ length: 5 }, () => randomInt(1, 1_500_000))
      await using proxy = await CuttingProxy.to(port, after)
      const id = await uploadOver(proxy.port, bytes, chunkSize)
      const asset = await service.content.as(people.caller('ann')).get('assets', id)
      expect({ ...asset, after }).toMatchObject({
        after,
        sha256: digest(bytes),
        size: bytes.length,
        originalName: 'Large file.bin',
        mimeType: 'application/octet-stream',
        alt: 'Large',
        path: expect.stringMatching(/^large\/Large-file-[\w-]{22}\.bin$/),
      })
      expect(digest(await readFileBytes(asset?.path))).toBe(digest(bytes))
      expect(proxy.cuts).toBeGreaterThan(0)
    }
  })

  test('the steps of the protocol', async () => {
    const created = await begin(10, { filename: 'Note.txt', storeAs: 'note.txt', directory: 'steps' })
    expect(created.status).toBe(201)
    expect(created.headers.get('tus-resumable')).toBe('1.0.0')
    expect(Date.parse(created.headers.get('upload-expires') ?? '')).toBeGreaterThan(Date.now())
    const path = created.headers.get('location') ?? ''
    expect(path).toMatch(/^\/api\/uploads\/[0-9a-f]{16}-\d{13}-[0-9a-f]{32}$/)
    const first = await send(path, 0, Buffer.from('0123'))
    expect([first.status, first.headers.get('upload-offset')]).toEqual([204, '4'])
    const head = await sendRequest('HEAD', path)
    expect([head.status, head.headers.get('upload-offset'), head.headers.get('upload-length')]).toEqual([
      200,
      '4',
      '10',
    ])
    expect(head.headers.get('cache-control')).toBe('no-store')
    const last = await send(path, 4, Buffer.from('456789'))
    expect([last.status, last.headers.get('upload-offset')]).toEqual([204, '10'])
    expect(await getAsset(last)).toMatchObject({
      path: 'steps/note.txt',
      originalName: 'Note.txt',
      mimeType: 'text/plain',
    })
    expect(String(await readFileBytes('steps/note.txt'))).toBe('0123456789')
    const again = await sendRequest('HEAD', path)
    expect([again.headers.get('upload-offset'), again.headers.get('daybook-asset')]).toEqual([
      '10',
      last.headers.get('daybook-asset'),
    ])
  })

  test('an empty file, and one that is sent byte by byte', async () => {
    const empty = await begin(0, { filename: 'empty.txt' })
    expect(await getAsset(empty)).toMatchObject({ size: 0, mimeType: 'text/plain' })
    const path = await started(PNG.length, { filename: 'dot.png' })
    for (let at = 0; at < PNG.length - 1; at++) await send(path, at, PNG.subarray(at, at + 1))
    const last = await send(path, PNG.length - 1, PNG.subarray(-1))
    expect(await getAsset(last)).toMatchObject({ mimeType: 'image/png', sha256: digest(PNG), width: 1 })
  })

  test('an upload that was ended is 404', async () => {
    const path = await started(10)
    await send(path, 0, Buffer.from('01234'))
    expect((await sendRequest('DELETE', path)).status).toBe(204)
    for (const method of ['HEAD', 'DELETE']) expect((await sendRequest(method, path)).status).toBe(404)
    expect(await getCode(await send(path, 5, Buffer.from('56789')))).toEqual([404, 'NOT_FOUND'])
  })

  test("another caller's upload cannot be inspected, continued or ended", async () => {
    const path = await started(10)
    await send(path, 0, Buffer.from('01234'))
    for (const name of ['bob', 'guest']) {
      expect((await sendRequest('HEAD', path, {}, undefined, name)).status).toBe(404)
      expect(await getCode(await send(path, 5, Buffer.from('xxxxx'), name))).toEqual([404, 'NOT_FOUND'])
      expect((await sendRequest('DELETE', path, {}, undefined, name)).status).toBe(404)
    }
    for (const method of ['HEAD', 'PATCH', 'DELETE']) {
      expect((await sendRequest(method, path, {}, undefined, 'nobody')).status).toBe(401)
    }
    expect((await begin(10, {}, 'nobody')).status).toBe(401)
    expect(await getOffset(path)).toBe(5)
    const last = await send(path, 5, Buffer.from('56789'))
    expect(await getAsset(last)).toMatchObject({ sha256: digest(Buffer.from('0123456789')) })
  })

  test('an upload that could not be stored is rejected at its beginning', async () => {
    const path = await started(1, { filename: 'a', storeAs: 'taken.txt' })
    await send(path, 0, Buffer.from('x'))
    expect(await getCode(await begin(1, { filename: 'b', storeAs: 'taken.txt' }))).toEqual([409, 'CONFLICT'])
    expect(await getCode(await begin(MAX_BYTES + 1))).toEqual([413, 'PAYLOAD_TOO_LARGE'])
    expect(await getCode(await begin(1, { filename: 'a' }, 'guest'))).toEqual([403, 'FORBIDDEN'])
    for (const storeAs of ['../x', '.env', 'a/b', 'a\u0000b']) {
      expect(await getCode(await begin(1, { filename: 'a', storeAs }))).toEqual([400, 'VALIDATION_ERROR'])
    }
    for (const directory of ['../x', '/etc', 'a//b', '.git']) {
      expect(await getCode(await begin(1, { filename: 'a', directory }))).toEqual([400, 'VALIDATION_ERROR'])
    }
  })

  test('the type of the bytes decides, and a rejected file leaves nothing', async () => {
    const page = Buffer.from('<!doctype html><script>alert(1)</script>')
    const path = await started(page.length, { filename: 'page.html', filetype: 'image/png' })
    const refused = await send(path, 0, page)
    expect([refused.status, await refused.json()]).toMatchObject([
      400,
      { details: { issues: [{ path: '/file', code: 'accept' }] } },
    ])
    expect((await sendRequest('HEAD', path)).status).toBe(404)
  })

  test('requests that violate the protocol', async () => {
    const path = await started(10)
    const body = Buffer.from('x')
    const part = { 'Upload-Offset': '0', 'Content-Type': 'application/offset+octet-stream' }
    expect(await getCode(await send(path, 3, body))).toEqual([409, 'CONFLICT'])
    expect(await getCode(await send(path, 0, Buffer.alloc(11)))).toEqual([413, 'PAYLOAD_TOO_LARGE'])
    expect(await getCode(await sendRequest('PATCH', path, { ...part, 'Upload-Offset': 'a' }, body))).toEqual([
      400,
      'VALIDATION_ERROR',
    ])
    expect(await getCode(await sendRequest('PATCH', path, { 'Content-Type': part['Content-Type'] }, body))).toEqual([
      400,
      'VALIDATION_ERROR',
    ])
    expect(await getCode(await sendRequest('PATCH', path, { ...part, 'Content-Type': 'text/plain' }, body))).toEqual([
      415,
      'UNSUPPORTED_MEDIA_TYPE',
    ])
    expect(await getCode(await sendRequest('PATCH', path, { ...part, 'Tus-Resumable': '' }, body))).toEqual([
      412,
      'PRECONDITION_FAILED',
    ])
    expect(await getCode(await sendRequest('POST', '/api/uploads'))).toEqual([400, 'VALIDATION_ERROR'])
    expect(await getCode(await sendRequest('POST', '/api/uploads', { 'Upload-Length': '-1' }))).toEqual([
      400,
      'VALIDATION_ERROR',
    ])
    expect(
      await getCode(await sendRequest('POST', '/api/uploads', { 'Upload-Length': '1', 'Upload-Metadata': 'a b c' })),
    ).toEqual([400, 'VALIDATION_ERROR'])
    expect(await getCode(await sendRequest('POST', '/api/uploads', { 'Upload-Defer-Length': '1' }))).toEqual([
      501,
      'NOT_IMPLEMENTED',
    ])
    for (const id of [
      'x',
      '0000000000000000-0000000000000-00000000000000000000000000000000',
      '..%2f..',
      `${path.split('/').at(-1)}x`,
    ]) {
      expect((await sendRequest('HEAD', `/api/uploads/${id}`)).status).toBe(404)
    }
    expect(await getOffset(path)).toBe(0)
  })

  test('a part that several requests send at once is stored once', async () => {
    const bytes = randomBytes(400_000)
    const path = await started(bytes.length, { filename: 'race.bin' })
    const responses = await Promise.all(Array.from({ length: 5 }, () => send(path, 0, bytes)))
    expect(responses.some(({ status }) => status === 204)).toBe(true)
    // A request that yields to another one stores its received bytes, and the client continues from there.
    const offset = await getOffset(path)
    if (offset < bytes.length) expect((await send(path, offset, bytes.subarray(offset))).status).toBe(204)
    const head = await sendRequest('HEAD', path)
    expect(head.headers.get('upload-offset')).toBe(String(bytes.length))
    expect(await getAsset(head)).toMatchObject({ sha256: digest(bytes) })
  })
})

test('an upload that failed at its end is stored when its client asks again', async () => {
  const s3Place = await STORES[1]?.make()
  if (!s3Place?.server) throw new Error('There is no server.')
  place = s3Place
  service = await createTestService(configWith(s3Place.store))
  const listening = await serve(service, { port: 0 })
  port = listening.port
  onTestFinished(async () => {
    await listening.stop(1000)
    await s3Place.end()
  })
  const path = await started(5, { filename: 'a', storeAs: 'late.txt' })
  s3Place.server.failing = /late\.txt/
  expect((await send(path, 0, Buffer.from('01234'))).status).toBe(503)
  s3Place.server.failing = undefined
  const head = await sendRequest('HEAD', path)
  expect([head.status, head.headers.get('upload-offset')]).toEqual([200, '5'])
  expect(await getAsset(head)).toMatchObject({ path: 'late.txt', sha256: digest(Buffer.from('01234')) })
})

describe('a service that restarts', () => {
  let data: string
  beforeAll(async () => {
    data = await mkdtemp(join(tmpdir(), 'daybook-tus-'))
  })
  afterAll(() => rm(data, { recursive: true, force: true }))

  const during = async (config: DaybookConfig, work: () => Promise<void>): Promise<void> => {
    const created = await createService(config, { data, strict: true })
    const request: TestService['request'] = (path, init) => created.fetch(new Request(`http://a${path}`, init))
    service = { ...created, request } as TestService
    const listening = await serve(created, { port: 0 })
    port = listening.port
    try {
      await work()
    } finally {
      await listening.stop(1000)
    }
  }
  const listStored = async (): Promise<readonly string[]> => {
    const folder = join(data, 'uploads', '.plugins', 'resumable-uploads')
    const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
    return entries.filter((entry) => entry.isFile()).map(({ name }) => name)
  }

  test('continues uploads', async () => {
    const config = configWith(disk())
    let path = ''
    await during(config, async () => {
      path = await started(10)
      await send(path, 0, Buffer.from('012345'))
    })
    await during(config, async () => {
      expect(await getOffset(path)).toBe(6)
      expect(await getAsset(await send(path, 6, Buffer.from('6789')))).toMatchObject({ size: 10 })
      expect(await listStored()).toEqual(expect.not.arrayContaining([expect.stringMatching(/^part-/)]))
    })
  })

  test('limits the incomplete uploads of one caller', async () => {
    const config = { ...configWith(disk()), plugins: [resumableUploads({ maxUnfinished: 2 })] }
    await during(config, async () => {
      const paths = [await started(1), await started(1)]
      const rejected = await begin(1)
      expect([rejected.status, await rejected.json()]).toMatchObject([403, { details: { limit: 2 } }])
      expect((await begin(1, { filename: 'a.txt' }, 'bob')).status).toBe(201)
      expect((await send(paths[0] ?? '', 0, Buffer.from('x'))).status).toBe(204)
      expect((await begin(1)).status).toBe(201)
    })
  })

  test('removes expired uploads and their bytes', async () => {
    const config = { ...configWith(disk()), plugins: [resumableUploads({ expiresIn: 1 })] }
    await during(config, async () => {
      const path = await started(10)
      await send(path, 0, Buffer.from('012345'))
      await expect.poll(async () => (await sendRequest('HEAD', path)).status, { timeout: WAIT_TIMEOUT_MS }).toBe(404)
      expect(await getCode(await send(path, 6, Buffer.from('6789')))).toEqual([404, 'NOT_FOUND'])
    })
    expect(await listStored()).not.toEqual([])
    await during(config, async () => {
      await expect.poll(listStored, { timeout: WAIT_TIMEOUT_MS }).toEqual([])
    })
  })
})

describe('the plugin', () => {
  test.each(pluginConformance({ plugin: () => resumableUploads(), config: { collections } }))('$name', ({ run }) =>
    run(),
  )

  const faulty: readonly (readonly [what: string, options: object, path: string])[] = [
    ['an invalid path', { path: 'uploads' }, 'path'],
    ['an expiry of 0', { expiresIn: 0 }, 'expiresIn'],
    ['a limit of 0', { maxUnfinished: 0 }, 'maxUnfinished'],
    ['an unknown option', { folder: 'a' }, 'folder'],
  ]
  test.each(faulty)('rejects %s', (_case, options, path) => {
    expect(() => resumableUploads(options)).toThrow(`plugins.resumable-uploads.options.${path}`)
  })
})
