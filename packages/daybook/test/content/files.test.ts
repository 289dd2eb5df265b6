import { createHash } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { ANONYMOUS, type DaybookConfig, defineCollection, defineConfig, definePlugin, etagOf, f } from 'daybook'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { POLICY_STORES, type StoredService } from '../support/stores/stores.ts'

const seen: unknown[] = []

/** A plugin whose hook tries to store a file inside the transaction of another write. */
const greedy = definePlugin({
  name: 'greedy',
  version: '1.0.0',
  hooks: {
    collections: {
      posts: {
        beforeChange: async ({ content }) => {
          await content.files.store(Readable.from(['x']), { originalName: 'x.txt' }).catch((error) => seen.push(error))
        },
      },
    },
  },
})

const config: DaybookConfig = defineConfig({
  collections: { posts: defineCollection({ fields: { title: f.text() } }) },
  assets: {
    maxBytes: 1000,
    access: { read: ({ identity }) => identity !== null || { path: { startsWith: 'public/' } } },
  },
  plugins: [greedy],
})

let service: StoredService
const everything = (stream: ReadableStream<Uint8Array> | null | undefined): Promise<string> =>
  stream ? text(stream) : Promise.resolve('nothing')
const filesOn = (): Promise<readonly string[]> => readdir(join(service.data, 'uploads'), { recursive: true })

describe.each(POLICY_STORES)('files in the in-process API on $name', (store) => {
  beforeAll(async () => {
    service = await store.open(config)
  })
  afterAll(() => service.close())

  test('a file is stored like an upload and found by callers who may read it', async () => {
    const files = service.content.files
    const asset = await files.store(Readable.from([Buffer.from('01234'), Buffer.from('56789')]), {
      originalName: 'Mine.txt',
      directory: 'private',
      filename: 'mine.txt',
      alt: 'Mine',
    })
    const sha256 = createHash('sha256').update('0123456789').digest('hex')
    const facts = { path: 'private/mine.txt', originalName: 'Mine.txt', mimeType: 'text/plain', size: 10, sha256 }
    expect(asset).toMatchObject({ ...facts, alt: 'Mine', url: '/uploads/private/mine.txt' })
    expect(etagOf(asset)).toMatch(/^".+"$/)
    const file = await files.find('private/mine.txt')
    expect(file).toMatchObject({ ...facts, id: asset.id })
    expect(await everything(await file?.open())).toBe('0123456789')
    expect(await everything(await file?.open({ start: 2, end: 4 }))).toBe('234')
    expect(await everything(await file?.open({ start: 8, end: 99 }))).toBe('89')
    expect(await service.content.as(ANONYMOUS).files.find('private/mine.txt')).toBeNull()
    expect(await files.find('private/absent.txt')).toBeNull()
  })

  test('any stream of bytes is accepted, and a cancelled stream releases its file', async () => {
    const files = service.content.files
    const body = new Response('from the web').body as ReadableStream<Uint8Array>
    const asset = await files.store(body, { originalName: 'web.txt', directory: 'public' })
    const file = await service.content.as(ANONYMOUS).files.find(String(asset.path))
    await (await file?.open())?.cancel()
    expect(await everything(await file?.open())).toBe('from the web')
  })

  test('a rejected file leaves nothing behind', async () => {
    const before = await filesOn()
    const files = service.content.files
    const bytes = (length: number): Readable => Readable.from([Buffer.alloc(length)])
    const refused = async (work: Promise<unknown>): Promise<unknown> =>
      work.then(
        () => 'stored',
        ({ code, name }) => code ?? name,
      )
    expect(await refused(files.store(bytes(1001), { originalName: 'a.txt' }))).toBe('PAYLOAD_TOO_LARGE')
    expect(await refused(files.store(bytes(1), { originalName: 'a.txt', directory: '../a' }))).toBe('VALIDATION_ERROR')
    expect(await refused(files.store(bytes(1), { originalName: 'a.txt', filename: '.env' }))).toBe('VALIDATION_ERROR')
    expect(await refused(service.content.as(ANONYMOUS).files.store(bytes(1), { originalName: 'a.txt' }))).toBe(
      'UNAUTHORIZED',
    )
    const broken = Readable.from(
      (async function* () {
        yield Buffer.from('part')
        throw new Error('the sender has gone')
      })(),
      { objectMode: false },
    )
    expect(await refused(files.store(broken, { originalName: 'a.txt' }))).toBe('Error')
    expect(await filesOn()).toEqual(before)
  })

  test('a hook inside a transaction cannot store files', async () => {
    seen.length = 0
    await service.content.create('posts', { title: 'One' })
    expect(seen.map(String)).toEqual([expect.stringContaining('afterCommit')])
  })
})
