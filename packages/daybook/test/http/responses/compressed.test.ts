import { promisify } from 'node:util'
import { brotliDecompress, gunzip, zstdDecompress } from 'node:zlib'
import { defineCollection, defineConfig, f } from 'daybook'
import { createTestService, type TestService } from 'daybook/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { create, type Document } from '../../support/stores/place.ts'

const config = defineConfig({
  collections: {
    posts: defineCollection({
      fields: {
        title: f.text({ required: true }),
        slug: f.slug({ from: 'title' }),
        text: f.text({ maxLength: 5000, index: false }),
      },
    }),
  },
})

const DECODERS: Readonly<Record<string, (bytes: Buffer) => Promise<Buffer>>> = {
  br: promisify(brotliDecompress),
  zstd: promisify(zstdDecompress),
  gzip: promisify(gunzip),
}
const ENDINGS: Readonly<Record<string, string>> = { br: '-br', zstd: '-zst', gzip: '-gz' }

let service: TestService & AsyncDisposable
let large: Document
beforeAll(async () => {
  service = await createTestService(config)
  large = await create(service, 'posts', { title: 'large', text: 'Ein Käfer läuft über die Brücke. '.repeat(100) })
  await create(service, 'posts', { title: 'small', text: 'short' })
})
afterAll(() => service[Symbol.asyncDispose]())

const sendRequest = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
  service.request(path, { headers })
const tagOf = ({ headers }: Response): string => headers.get('etag') ?? ''

describe('Accept-Encoding', () => {
  test.each<[accepted: string, coding: string | null]>([
    ['gzip', 'gzip'],
    ['zstd', 'zstd'],
    ['br', 'br'],
    ['x-gzip', 'gzip'],
    ['GZIP', 'gzip'],
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip, zstd', 'zstd'],
    ['gzip;q=1.0, br;q=0.5', 'gzip'],
    ['br;q=0, gzip', 'gzip'],
    ['br;q=0.001', 'br'],
    ['*', 'br'],
    ['*;q=0.5, gzip', 'gzip'],
    ['br;q=0, *', 'zstd'],
    ['', null],
    ['identity', null],
    ['deflate', null],
    ['gzip;q=0', null],
    ['*;q=0', null],
    ['gzip;q=0.5, identity', null],
    ['gzip;q=2', null],
    ['gzip;q=x', null],
    ['identity;q=0, gzip', 'gzip'],
    ['gzip ; q=0.7 ,br ; q=0.8', 'br'],
  ])('%j gets the coding %j', async (accepted, coding) => {
    const plain = await (await sendRequest('/api/posts/large')).text()
    // The third response comes from the cache.
    for (const _time of [1, 2, 3]) {
      const response = await sendRequest('/api/posts/large', { 'accept-encoding': accepted })
      expect([response.status, response.headers.get('content-encoding')]).toEqual([200, coding])
      expect(response.headers.get('vary')).toContain('Accept-Encoding')
      const bytes = Buffer.from(await response.arrayBuffer())
      const decoded = coding === null ? bytes : await (DECODERS[coding] as (typeof DECODERS)[string])(bytes)
      expect(decoded.toString()).toBe(plain)
      expect(tagOf(response).endsWith(coding === null ? '"' : `${ENDINGS[coding]}"`)).toBe(true)
    }
  })

  test('is ignored for responses of less than 1 KiB', async () => {
    for (const _time of [1, 2, 3]) {
      const response = await sendRequest('/api/posts/small', { 'accept-encoding': 'br' })
      expect([response.headers.get('content-encoding'), tagOf(response)]).toEqual([
        null,
        tagOf(await sendRequest('/api/posts/small')),
      ])
    }
  })

  test('applies to every JSON response, including errors', async () => {
    const unknown = Array.from({ length: 60 }, (_, index) => `unknown${index}=1`).join('&')
    const responses = [
      await sendRequest('/openapi.json', { 'accept-encoding': 'gzip' }),
      await sendRequest(`/api/posts?${unknown}`, { 'accept-encoding': 'gzip' }),
    ]
    expect(responses.map(({ status, headers }) => [status, headers.get('content-encoding')])).toEqual([
      [200, 'gzip'],
      [400, 'gzip'],
    ])
  })
})

describe('the tag of a compressed response', () => {
  const path = '/api/posts/large'
  const codings = Object.keys(ENDINGS)

  test.each(codings)('matches the same response in any coding (%s)', async (coding) => {
    const plain = tagOf(await sendRequest(path))
    const coded = tagOf(await sendRequest(path, { 'accept-encoding': coding }))
    expect(coded).not.toBe(plain)
    for (const accepted of ['identity', ...codings]) {
      for (const tag of [plain, coded, `W/${coded}`, `"other", ${coded}`]) {
        const response = await sendRequest(path, { 'accept-encoding': accepted, 'if-none-match': tag })
        expect([response.status, tagOf(response)]).toEqual([304, tag === plain ? plain : coded])
      }
      for (const tag of [plain, coded])
        expect((await sendRequest(path, { 'accept-encoding': accepted, 'if-match': tag })).status).toBe(200)
      expect((await sendRequest(path, { 'accept-encoding': accepted, 'if-match': `W/${coded}` })).status).toBe(412)
    }
  })

  test.each(codings)('works as If-Match of a write, while it is current (%s)', async (coding) => {
    const coded = tagOf(await sendRequest(path, { 'accept-encoding': coding }))
    const change = (ifMatch: string): Promise<Response> =>
      service.request(`/api/posts/${large.id}`, {
        method: 'PATCH',
        body: JSON.stringify({ title: `large for ${coding}` }),
        headers: { 'content-type': 'application/json', 'if-match': ifMatch, authorization: `Bearer ${service.token}` },
      })
    expect((await change(coded)).status).toBe(200)
    expect((await change(coded)).status).toBe(412)
    expect((await sendRequest(path, { 'accept-encoding': coding, 'if-none-match': coded })).status).toBe(200)
  })

  test('names the same bytes whenever they are compressed', async () => {
    for (const coding of codings) {
      const bodies = new Set<string>()
      for (const _time of [1, 2, 3, 4])
        bodies.add(
          Buffer.from(await (await sendRequest(path, { 'accept-encoding': coding })).arrayBuffer()).toString('hex'),
        )
      expect(bodies.size).toBe(1)
    }
  })
})
