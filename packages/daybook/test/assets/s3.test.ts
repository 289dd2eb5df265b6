import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { type BlobStore, DaybookError, type StagedBlob, StartupError } from 'daybook'
import { type S3Options, s3 } from 'daybook/s3'
import { createTestService } from 'daybook/testing'
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { S3_KEY, S3Server } from '../support/assets/s3-server.ts'
import { FaultyProxy } from '../support/network/faulty-proxy.ts'
import { expectQuietProcess } from '../support/scenarios/sane.ts'
import { WAIT_TIMEOUT_MS } from '../support/timeouts.ts'

const MIB = 1024 * 1024
const HEADERS = { type: 'image/png', disposition: 'inline; filename="cat.png"' }

afterEach(expectQuietProcess)

/** A store in a bucket, behind a network that can fail. */
class S3Place implements AsyncDisposable {
  readonly server: S3Server
  readonly network: FaultyProxy
  readonly store: BlobStore

  private constructor(server: S3Server, network: FaultyProxy, store: BlobStore) {
    this.server = server
    this.network = network
    this.store = store
  }

  static async make(options: Partial<S3Options> = {}): Promise<S3Place> {
    const server = await S3Server.make()
    const network = await FaultyProxy.to(server.port)
    const endpoint = `http://127.0.0.1:${network.port}`
    const defaults = { bucket: 'files', endpoint, credentials: S3_KEY, timeoutMs: WAIT_TIMEOUT_MS }
    return new S3Place(server, network, await s3({ ...defaults, ...options }).open({ data: '' }))
  }

  stage(name: string, length: number): Promise<void> {
    const chunks = Array.from({ length: Math.ceil(length / MIB) }, () => Buffer.alloc(Math.min(MIB, length), 7))
    return this.store.stage(name, Readable.from(chunks), new AbortController().signal)
  }

  async staged(): Promise<readonly string[]> {
    const names: string[] = []
    for await (const { name } of this.store.staged()) names.push(name)
    return names
  }

  count(kind: RegExp): number {
    return this.server.calls.filter((call) => kind.test(call)).length
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.store.close()
    await this.network[Symbol.asyncDispose]()
    await this.server[Symbol.asyncDispose]()
  }
}

async function refusalOf(call: Promise<unknown>): Promise<DaybookError> {
  const refusal = await call.then(
    () => undefined,
    (error) => error,
  )
  expect(refusal).toBeInstanceOf(DaybookError)
  return refusal
}

const callsOf = (store: BlobStore): readonly (() => Promise<unknown>)[] => [
  () => store.stage('one', Readable.from([Buffer.alloc(10)]), new AbortController().signal),
  () => store.publish('one', 'a', HEADERS),
  () => store.discard('one'),
  () => store.staged()[Symbol.asyncIterator]().next(),
  () => store.read('a'),
  () => store.size('a'),
  () => store.write('a', Buffer.alloc(1), HEADERS),
  () => store.delete('a'),
  () => store.list('')[Symbol.asyncIterator]().next(),
  () => store.check(),
]

describe('files on S3', () => {
  test('are below the prefix, with the headers for downloads', async () => {
    await using place = await S3Place.make({ prefix: 'site/uploads/' })
    await place.stage('one', 10)
    expect([...place.server.stored.objects.keys()]).toEqual(['site/uploads/.incoming/one'])
    await place.store.publish('one', 'images/cat.png', HEADERS)
    expect([...place.server.stored.objects.keys()]).toEqual(['site/uploads/images/cat.png'])
    const response = await fetch(`http://127.0.0.1:${place.server.port}/files/site/uploads/images/cat.png`)
    expect(await response.arrayBuffer()).toHaveProperty('byteLength', 10)
    expect(response.headers.get('content-type')).toBe('image/png')
    expect(response.headers.get('content-disposition')).toBe('inline; filename="cat.png"')
    expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
  })

  test('of uploads have a media type that pages cannot run as a script or use as a style sheet', async () => {
    await using server = await S3Server.make()
    const store = s3({ bucket: 'files', endpoint: `http://127.0.0.1:${server.port}`, credentials: S3_KEY })
    await using service = await createTestService({ collections: {}, assets: { store } })
    const files: Readonly<Record<string, string>> = {
      'app.js': 'application/octet-stream',
      'site.css': 'application/octet-stream',
      'page.html': 'application/octet-stream',
      'cat.svg': 'image/svg+xml',
      'notes.txt': 'text/plain',
    }
    for (const [filename, type] of Object.entries(files)) {
      const body = new FormData()
      body.set('file', new Blob(['some text']), filename)
      body.set('filename', filename)
      const headers = { Authorization: `Bearer ${service.token}` }
      expect((await service.request('/api/assets', { method: 'POST', headers, body })).status).toBe(201)
      expect(server.stored.objects.get(filename)?.metadata['content-type'], filename).toBe(type)
    }
  })

  test('that may be replaced are revalidated by caches', async () => {
    await using place = await S3Place.make()
    await place.store.write('.sizes/cat', Buffer.from('{}'), HEADERS)
    expect(place.server.stored.objects.get('.sizes/cat')?.metadata).toMatchObject({
      'content-type': 'image/png',
      'cache-control': 'public, max-age=0, must-revalidate',
    })
  })

  test.each([
    { length: MIB, parts: 0 },
    { length: 5 * MIB, parts: 1 },
    { length: 6 * MIB, parts: 2 },
    { length: 10 * MIB, parts: 2 },
    { length: 11 * MIB, parts: 3 },
  ])('of $length bytes are sent in $parts parts', async ({ length, parts }) => {
    await using place = await S3Place.make()
    await place.stage('one', length)
    expect(place.count(/^PUT .*partNumber/)).toBe(parts)
    await place.store.publish('one', 'a', HEADERS)
    const blob = await place.store.read('a')
    expect(blob && Buffer.compare(await buffer(blob.content), Buffer.alloc(length, 7))).toBe(0)
  })

  test('interrupted uploads are found and aborted, also beyond one page of the list', async () => {
    await using place = await S3Place.make()
    const { uploads } = place.server.stored
    for (let number = 0; number < 1100; number += 1) {
      const key = `.incoming/left-${number % 3}`
      uploads.set(`id-${number}`, { key, metadata: {}, at: new Date(number), parts: new Map() })
    }
    const staged: StagedBlob[] = []
    for await (const blob of place.store.staged()) staged.push(blob)
    expect(staged.map(({ name }) => name).sort()).toEqual(['left-0', 'left-1', 'left-2'])
    // Uploads with the same name have the latest time, so that a new one is not removed with an old one.
    expect(Math.max(...staged.map(({ at }) => at.getTime()))).toBe(1099)
    for (const { name } of staged) await place.store.discard(name)
    expect(uploads.size).toBe(0)
  })
})

describe('S3 that fails', () => {
  test('refuses connections: each call is 503, without bucket or endpoint in the message', async () => {
    await using place = await S3Place.make()
    place.network.refuse()
    for (const call of callsOf(place.store)) {
      const refusal = await refusalOf(call())
      expect(refusal.code).toBe('SERVICE_UNAVAILABLE')
      expect(refusal.message).not.toMatch(/127\.0\.0\.1|files\b.*bucket|ECONN/)
      expect(refusal.cause).toBeInstanceOf(Error)
    }
  })

  test('does not respond: each call is 503 after the timeout, and works once the server responds', async () => {
    await using place = await S3Place.make({ timeoutMs: 300 })
    place.network.blackHole()
    for (const call of callsOf(place.store)) expect((await refusalOf(call())).code).toBe('SERVICE_UNAVAILABLE')
    expect((await refusalOf(place.stage('large', 12 * MIB))).code).toBe('SERVICE_UNAVAILABLE')
    await place.network.heal()
    place.network.cut()
    await expect.poll(() => place.store.check().then(() => 'well', String)).toBe('well')
  })

  test('closes the connection within a part: the part is sent again', async () => {
    await using place = await S3Place.make()
    const cut = place.network.cutAt(/PUT [^ ]*partNumber=2/, 'lost')
    await place.stage('one', 12 * MIB)
    await cut
    expect(place.count(/^PUT .*partNumber=2/)).toBeGreaterThan(0)
    expect(place.server.stored.objects.get('.incoming/one')?.bytes).toHaveLength(12 * MIB)
  })

  test('goes away within a part: 503, and the rest can be found and discarded', async () => {
    await using place = await S3Place.make()
    const cut = place.network.cutAt(/PUT [^ ]*partNumber=2/, 'lost').then(() => {
      place.network.refuse()
      place.network.cut()
    })
    expect((await refusalOf(place.stage('one', 12 * MIB))).code).toBe('SERVICE_UNAVAILABLE')
    await cut
    await place.network.heal()
    expect(place.server.stored.uploads.size).toBe(1)
    expect(await place.staged()).toEqual(['one'])
    await place.store.discard('one')
    expect([place.server.stored.uploads.size, place.server.stored.objects.size]).toEqual([0, 0])
  })

  test('returns 500 for the third part: 503, and the upload is aborted', async () => {
    await using place = await S3Place.make()
    place.server.failing = /^PUT .*partNumber=3/
    const refusal = await refusalOf(place.stage('one', 12 * MIB))
    expect(refusal.code).toBe('SERVICE_UNAVAILABLE')
    expect(place.count(/^PUT .*partNumber=[12]/)).toBe(2)
    expect([place.server.stored.uploads.size, place.server.stored.objects.size]).toEqual([0, 0])
    expect(await place.staged()).toEqual([])
  })

  test('loses the response after storing a small file, and fails the retry: nothing is left', async () => {
    await using place = await S3Place.make()
    const lost = place.network.cutAt(/PUT \/files\/\.incoming\/one/, 'delivered').then(() => {
      expect(place.server.stored.objects.size).toBe(1)
      place.server.failing = /^PUT/
    })
    expect((await refusalOf(place.stage('one', 10))).code).toBe('SERVICE_UNAVAILABLE')
    await lost
    expect(await place.staged()).toEqual([])
  })

  test('loses the response after a copy: the blob is published', async () => {
    await using place = await S3Place.make()
    await place.stage('one', 10)
    const lost = place.network.cutAt(/PUT \/files\/a/, 'delivered')
    expect(await place.store.publish('one', 'a', HEADERS)).toBe(true)
    await lost
    expect([...place.server.stored.objects.keys()]).toEqual(['a'])
  })

  test('is full: 507', async () => {
    await using place = await S3Place.make()
    place.server.failing = /^PUT/
    place.server.failure = [507, 'XMinioStorageFull']
    expect((await refusalOf(place.stage('one', 10))).code).toBe('INSUFFICIENT_STORAGE')
    expect((await refusalOf(place.store.write('a', Buffer.alloc(1), HEADERS))).code).toBe('INSUFFICIENT_STORAGE')
  })
})

describe('many uploads to S3', () => {
  /** Streams that stall after some bytes. */
  const stalled = Array.from({ length: 20 }, (_, number) => number * 10_000).map((length) => {
    const content = new Readable({ read() {} })
    content.push(Buffer.alloc(length + 1, 3))
    return content
  })

  test('from slow clients do not block others, and complete', async () => {
    await using place = await S3Place.make()
    const { signal } = new AbortController()
    const slow = stalled.map((content, number) => place.store.stage(`slow-${number}`, content, signal))
    await place.stage('next', 6 * MIB)
    expect(await place.staged()).toEqual(['next'])
    for (const content of stalled) {
      content.push(Buffer.alloc(10, 4))
      content.push(null)
    }
    await Promise.all(slow)
    for (const [number] of stalled.entries()) {
      const expected = Buffer.concat([Buffer.alloc(number * 10_000 + 1, 3), Buffer.alloc(10, 4)])
      const stored = place.server.stored.objects.get(`.incoming/slow-${number}`)?.bytes ?? Buffer.alloc(0)
      expect(Buffer.compare(stored, expected)).toBe(0)
    }
  })
})

describe('settings of S3', () => {
  test.each([
    ['a bucket that is not there', { bucket: 'nowhere' }, /^The bucket of files does not exist\. Create it/],
    [
      'an access key that is not known',
      { credentials: { accessKeyId: 'wrong', secretAccessKey: 'wrong' } },
      /^S3 does not accept the access key\. Check AWS_ACCESS_KEY_ID/,
    ],
  ])('%s: check() fails with advice', async (_name, options, message) => {
    await using place = await S3Place.make(options)
    const refusal = await refusalOf(place.store.check())
    expect(refusal.code).toBe('SERVICE_UNAVAILABLE')
    expect(refusal.message).toMatch(message)
  })

  test('the server and the access key can come from the environment', async () => {
    await using place = await S3Place.make()
    vi.stubEnv('AWS_ENDPOINT_URL_S3', `http://127.0.0.1:${place.server.port}`)
    vi.stubEnv('AWS_ACCESS_KEY_ID', S3_KEY.accessKeyId)
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', S3_KEY.secretAccessKey)
    onTestFinished(() => void vi.unstubAllEnvs())
    const store = await s3({ bucket: 'files' }).open({ data: '' })
    await store.write('a', Buffer.from('a'), HEADERS)
    await store.close()
    expect([...place.server.stored.objects.keys()]).toEqual(['a'])
  })

  test.each(['../up', 'a//b', '.incoming', 'ü', 'a'.repeat(101)])('the prefix %j is rejected', async (prefix) => {
    await expect(s3({ bucket: 'files', prefix }).open({ data: '' })).rejects.toThrow(StartupError)
  })

  test('an empty bucket is rejected', async () => {
    for (const bucket of ['', undefined])
      await expect(s3({ bucket }).open({ data: '' })).rejects.toThrow(/Set it to the bucket/)
  })

  test('without the SDK, opening fails with the package to install', async () => {
    const preload = join(import.meta.dirname, 'without-sdk.ts')
    const code = `const { s3 } = await import('daybook/s3')
      await s3({ bucket: 'files' }).open({ data: '' }).catch((error) => console.log(error.name, error.message))`
    const run = promisify(execFile)(process.execPath, ['--import', preload, '--input-type=module', '--eval', code], {
      cwd: import.meta.dirname,
    })
    expect((await run).stdout).toMatch(
      /^StartupError The client for S3 is required\. Run: npm install @aws-sdk\/client-s3/,
    )
  })
})
