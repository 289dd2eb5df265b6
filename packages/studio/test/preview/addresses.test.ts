import { ConfigError, defineCollection, defineConfig, f } from 'daybook'
import { createTestService } from 'daybook/testing'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fillAddress, PreviewLink } from '../../src/app/preview/preview-link.ts'
import { studio } from '../../src/index.ts'
import { getPreviewOrigin, getPreviewOrigins } from '../../src/server/options.ts'
import { buildPagePolicy } from '../../src/server/page.ts'

const SITE = 'https://www.example.org'

test('the origin of a preview address does not depend on values', () => {
  expect(getPreviewOrigin(`${SITE}/posts/{slug}?preview={token}`)).toBe(SITE)
  expect(getPreviewOrigin('http://localhost:3001/{slug}')).toBe('http://localhost:3001')
  const wrong = [
    '',
    '/posts/{slug}',
    'https://{slug}/',
    'https://{slug}.example.org/',
    'https://www.example.org{slug}',
    'javascript:alert(1)//{slug}',
    'https://user@www.example.org/',
    `${SITE}/{slug`,
    'https://WWW.example.org/{slug}',
    5,
    null,
  ]
  expect(wrong.map(getPreviewOrigin)).toEqual(wrong.map(() => undefined))
  expect(getPreviewOrigins({ a: `${SITE}/a/{id}`, b: `${SITE}/b/{id}` })).toEqual([SITE])
})

test('invalid addresses are rejected at start-up, and valid ones may be framed', () => {
  expect(() => studio({ preview: { posts: '/posts/{slug}' } })).toThrow(ConfigError)
  expect(() => studio({ preview: { posts: `${SITE}/{slug}` } })).not.toThrow()
  expect(buildPagePolicy('x', [], [], [SITE])).toContain(`; frame-src ${SITE};`)
  expect(buildPagePolicy('x', [], [])).not.toContain('frame-src')
})

test('an address for an unknown collection, or with an unknown placeholder, is rejected at start-up', async () => {
  const serviceWith = (preview: Readonly<Record<string, string>>) =>
    createTestService(
      defineConfig({
        collections: { posts: defineCollection({ fields: { title: f.text(), slug: f.slug({ from: 'title' }) } }) },
        plugins: [studio({ preview })],
      }),
    )
  await expect(serviceWith({ pots: `${SITE}/{slug}` })).rejects.toThrow(/preview\.pots is not a collection.*posts/s)
  await expect(serviceWith({ posts: `${SITE}/{slg}` })).rejects.toThrow(/preview\.posts.*no field "slg".*slug/s)
  const service = await serviceWith({ posts: `${SITE}/{locale}/{id}/{slug}/{title}?preview={token}` })
  await service.close()
})

test('no value changes the origin of a filled address', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.string(), (slug, token) => {
      const filled = new URL(fillAddress(`${SITE}/posts/{slug}?preview={token}`, { slug, token }))
      expect(filled.origin).toBe(SITE)
      expect(filled.searchParams.get('preview')).toBe(token)
    }),
  )
  expect(fillAddress('{a}/{b}/{c}', { a: null, b: ['x'], c: 7 })).toBe('//7')
})

test('only the previewed page receives saves, once it is ready, and only its messages count', () => {
  const messages: (readonly [unknown, string])[] = []
  const page = { postMessage: (message: unknown, origin: string) => void messages.push([message, origin]) }
  let target: typeof page | null = page
  const link = new PreviewLink(SITE, () => target, { id: 'a', revision: '1', token: 't' })
  const ready = { type: 'daybook:preview-ready', version: 1 }
  link.update({ id: 'a', revision: '2', token: 't' })
  link.handleMessage({ source: {}, origin: SITE, data: ready })
  link.handleMessage({ source: page, origin: 'https://evil.example', data: ready })
  link.handleMessage({ source: page, origin: SITE, data: { ...ready, version: 2 } })
  link.handleMessage({ source: page, origin: SITE, data: 'ready' })
  expect(messages).toEqual([])
  link.handleMessage({ source: page, origin: SITE, data: ready })
  const change = { type: 'daybook:preview-change', version: 1, id: 'a', revision: '2', token: 't' }
  expect(messages.splice(0)).toEqual([[change, SITE]])
  link.update({ id: 'a', revision: '2', token: 't' })
  expect(messages).toEqual([])
  link.update({ id: 'a', revision: '2', token: 'new' })
  link.update({ id: 'a', revision: '3', token: 'new' })
  expect(messages.splice(0)).toEqual([
    [{ ...change, token: 'new' }, SITE],
    [{ ...change, revision: '3', token: 'new' }, SITE],
  ])
  target = null
  link.handleMessage({ source: null, origin: SITE, data: ready })
  link.update({ id: 'a', revision: '4', token: 'new' })
  expect(messages).toEqual([])
})
