import { setImmediate as turn } from 'node:timers/promises'
import { defineCollection, defineConfig, defineGlobal, f, isAuthenticated } from 'daybook'
import { createTestService } from 'daybook/testing'
import { describe, expect, test } from 'vitest'
import { kitchen } from '../../support/configs/configs.ts'
import { type Document, readDocument } from './openapi-document.ts'

describe('the document for a caller', () => {
  const secretive = defineConfig({
    collections: {
      posts: defineCollection({
        fields: {
          title: f.text({ required: true }),
          hush: f.text({ access: { read: isAuthenticated }, description: 'zqsecret' }),
          source: f.relation('informants'),
        },
      }),
      informants: defineCollection({ access: { read: isAuthenticated }, fields: { name: f.text() } }),
      ruins: defineCollection({
        access: {
          read: () => {
            throw new Error('broken')
          },
        },
        fields: { name: f.text() },
      }),
    },
    globals: { plans: defineGlobal({ access: { read: isAuthenticated }, fields: { text: f.text() } }) },
  })

  test('omits private collections and globals, and hidden fields, without a session', async () => {
    const text = JSON.stringify(await readDocument(secretive)).toLowerCase()
    for (const name of ['informants', 'hush', 'zqsecret', 'plans', 'ruins']) expect(text).not.toContain(name)
  })

  test('contains everything that a session may read', async () => {
    const { paths, components } = await readDocument(secretive, true)
    expect(Object.keys(paths)).toEqual(expect.arrayContaining(['/api/informants', '/api/globals/plans']))
    expect(Object.keys(components.schemas.PostsEntryUpdate?.properties ?? {})).toContain('hush')
  })
})

test('the document has a tag, which returns 304; a session has another one', async () => {
  await using service = await createTestService(kitchen)
  const first = await service.request('/openapi.json')
  const tag = first.headers.get('etag') ?? ''
  expect(first.headers.get('cache-control')).toBe('public, max-age=0, must-revalidate')
  const again = await service.request('/openapi.json', { headers: { 'If-None-Match': tag } })
  expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([304, '', tag])
  const headers = { Authorization: `Bearer ${service.token}`, 'If-None-Match': tag }
  const signedIn = await service.request('/openapi.json', { headers })
  expect([signedIn.status, signedIn.headers.get('cache-control')]).toEqual([200, 'private, no-store'])
  const other = await service.request('/openapi.json', { headers: { 'If-Match': '"other"' } })
  expect(other.status).toBe(412)
})

describe('a document that takes long to build', () => {
  const fields = Object.fromEntries(Array.from({ length: 10 }, (_, n) => [`text${n}`, f.text({ required: true })]))
  const keys = Array.from({ length: 100 }, (_, n) => `kind${n}`)
  const large = defineConfig({
    collections: Object.fromEntries(
      keys.map((key, n) => [key, defineCollection({ fields: { ...fields, next: f.relation(keys[n + 1] ?? key) } })]),
    ),
  })

  test('lets other requests run, and is built once for concurrent requests', async () => {
    await using service = await createTestService(large)
    const answered: string[] = []
    const sendRequest = async (path: string): Promise<Response> => {
      const response = await service.request(path)
      answered.push(path)
      return response
    }
    const documents = Promise.all([sendRequest('/openapi.json'), sendRequest('/openapi.json')])
    await turn()
    await sendRequest('/api/health')
    const [first, second] = await documents
    expect(answered).toEqual(['/api/health', '/openapi.json', '/openapi.json'])
    expect(first.headers.get('etag')).toBe(second.headers.get('etag'))
    expect(Object.keys(((await first.json()) as Document).components.schemas)).toContain('Kind99EntrySelection')
  })

  test('is available at once after prepare()', async () => {
    await using service = await createTestService(large)
    await service.routes.find(({ operationId }) => operationId === 'getOpenApi')?.prepare?.()
    let isAnswered = false
    const pending = service.request('/openapi.json').then(() => {
      isAnswered = true
    })
    await turn()
    expect(isAnswered).toBe(true)
    await pending
  })
})
