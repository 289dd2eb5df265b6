import { defineCollection, defineConfig, f, hasRole } from 'daybook'
import { sitemap } from 'daybook/plugins'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { People } from '../../support/auth/people.ts'
import { POLICY_STORES, type StoredService } from '../../support/stores/stores.ts'
import { Editor } from './editor.ts'

/** A word of each locale. Callers without drafts may not see the word of a locale in which the entry is not published. */
const ENGLISH = 'englishword'
const GERMAN = 'deutscheswort'

const isEditor = hasRole('editor')
const people = new People({ ann: ['editor'], cora: ['contributor'], rita: ['reader'] })
const config = defineConfig({
  auth: people.adapter,
  locales: { available: ['en', 'de', 'fr'], default: 'en', fallback: { de: ['en'], fr: ['de', 'en'] } },
  collections: {
    posts: defineCollection({
      fields: {
        title: f.text({ required: true, localized: true }),
        slug: f.slug({ from: 'title', localized: true }),
        note: f.text({ localized: true }),
        code: f.text(),
        kind: f.select({ options: ['a', 'b'] }),
        parts: f.list(f.group({ name: f.text(), text: f.text({ localized: true }) })),
        author: f.relation('authors'),
        status: f.status({ default: 'draft' }),
      },
      // Contributors change their own drafts.
      access: {
        create: ({ identity }) => identity !== null,
        update: (request) =>
          isEditor(request) ||
          (request.identity?.roles.includes('contributor') === true && isOwnDraft(request.identity.subject)),
        delete: (request) =>
          isEditor(request) ||
          (request.identity?.roles.includes('contributor') === true && isOwnDraft(request.identity.subject)),
      },
    }),
    authors: defineCollection({
      fields: { name: f.text(), posts: f.reverse('posts.author') },
      access: { create: isEditor },
    }),
    links: defineCollection({ fields: { post: f.relation('posts') }, access: { create: isEditor } }),
  },
  plugins: [
    sitemap({
      baseUrl: 'https://www.example.org',
      collections: {
        posts: { path: { en: '/:slug', de: '/de/:slug', fr: '/fr/:slug' }, feed: { title: 'Posts' } },
      },
    }),
  ],
})

function isOwnDraft(subject: string) {
  return { createdBy: { eq: subject }, status: { eq: 'draft' } } as const
}

describe.each(POLICY_STORES)('an entry that is published only in German, on $name', (store) => {
  let service: StoredService
  let editor: Editor
  let id: string
  beforeEach(async () => {
    service = await store.open(config)
    editor = new Editor(service)
    const author = (await editor.post('/api/authors', { name: 'Ann' })).body.id
    const english = {
      title: `Winter ${ENGLISH}`,
      note: ENGLISH,
      code: 'x',
      kind: 'a',
      author,
      parts: [{ name: 'n', text: ENGLISH }],
    }
    id = (await editor.post('/api/posts', english)).body.id
    await editor.put(`/api/posts/${id}?locale=de`, { title: `Winter ${GERMAN}`, parts: [{ name: 'n', text: GERMAN }] })
    await editor.post('/api/links', { post: id })
    await editor.post(`/api/posts/${id}/publish`, { locales: ['de'] })
  })
  afterEach(() => service.close())

  /** All paths at which the entry can be read in a locale. */
  const readPaths = (locale: string): readonly string[] => [
    `/api/posts/${id}?locale=${locale}`,
    `/api/posts/${id}?locale=${locale}&fallbackLocale=en`,
    `/api/posts/winter-${ENGLISH}?locale=${locale}`,
    `/api/posts/winter-${GERMAN}?locale=${locale}`,
    `/api/posts?locale=${locale}&aggregate=count:status,count:kind`,
    `/api/posts?locale=${locale}&fallbackLocale=en`,
    `/api/posts?locale=${locale}&fallbackLocale=none`,
    `/api/posts?locale=${locale}&q=${ENGLISH}`,
    `/api/posts?locale=${locale}&q=${GERMAN}`,
    `/api/posts?locale=${locale}&where[code][eq]=x&sort=title`,
    `/api/authors?locale=${locale}&include=posts`,
    `/api/links?locale=${locale}&include=post`,
    `/feeds/posts.json?locale=${locale}`,
  ]
  const ALWAYS = ['/api/cms/changes', '/sitemap.xml']

  async function textAt(path: string, as: string | null = null): Promise<string> {
    const headers = as === null ? {} : { Authorization: `Bearer ${as}` }
    return (await service.request(path, { headers })).text()
  }

  test.each([null, 'rita'])('exists only in German for %s', async (as) => {
    for (const path of [...readPaths('en'), ...readPaths('fr'), ...ALWAYS]) {
      const text = await textAt(path, as)
      expect(text, path).not.toContain(ENGLISH)
      if (path !== '/sitemap.xml') expect(text, path).not.toContain(GERMAN)
    }
    expect(await textAt('/sitemap.xml')).toContain(`/de/winter-${GERMAN}`)
    const german = await Promise.all(readPaths('de').map(async (path) => [path, await textAt(path, as)] as const))
    for (const [path, text] of german) expect(text, path).not.toContain(ENGLISH)
    const pathsWithGerman = german.filter(([, text]) => text.includes(GERMAN)).map(([path]) => path)
    // All except the English slug and the search for the English word.
    expect(readPaths('de').filter((path) => !pathsWithGerman.includes(path))).toEqual([
      readPaths('de')[2],
      readPaths('de')[7],
    ])
    const list = (await editor.get('/api/posts?locale=de&aggregate=count:status,count:kind', as)).body
    expect(list).toMatchObject({
      total: 1,
      items: [{ note: null, code: 'x', status: 'published', parts: [{ name: 'n', text: GERMAN }] }],
      aggregates: { 'count:status': [{ value: 'published', count: 1 }], 'count:kind': [{ value: 'a', count: 1 }] },
    })
    expect((await editor.get('/api/posts?limit=0&aggregate=count:kind', as)).body).toMatchObject({
      total: 0,
      aggregates: { 'count:kind': [] },
    })
  })

  test('has an alternate in each locale in which the caller may see it and it has a slug', async () => {
    const alternates = async (path: string, as: string | null = null) => (await editor.get(path, as)).body.alternates
    const german = { locale: 'de', slug: `winter-${GERMAN}` }
    const english = { locale: 'en', slug: `winter-${ENGLISH}` }
    expect(await alternates(`/api/posts/${id}?locale=de&include=alternates`)).toEqual([german])
    expect(await alternates(`/api/posts/${id}?locale=de&include=alternates&select=code`, 'rita')).toEqual([german])
    expect(await alternates(`/api/posts/${id}?include=alternates,author`, 'ann')).toEqual([english, german])
    const { tag } = await editor.get(`/api/posts/${id}?locale=de&include=alternates`, null)
    await editor.post(`/api/posts/${id}/publish`, { locales: ['en'] })
    const list = await editor.get('/api/posts?locale=de&include=alternates,author', null)
    expect(list.body.items).toMatchObject([{ author: { name: 'Ann' }, alternates: [english, german] }])
    const entry = await editor.get(`/api/posts/${id}?locale=de&include=alternates`, null)
    expect(entry.body.alternates).toEqual([english, german])
    expect(entry.tag).not.toBe(tag)
    expect((await editor.put(`/api/posts/${id}?locale=de`, entry.body)).status).toBe(200)
    expect((await editor.get('/api/authors?include=alternates', null)).status).toBe(400)
  })

  test('is complete for callers who may update it', async () => {
    expect((await editor.get(`/api/posts/${id}`)).body).toMatchObject({ note: ENGLISH, status: 'draft' })
    expect((await editor.get(`/api/posts/${id}?locale=all`)).body.title).toEqual({
      en: `Winter ${ENGLISH}`,
      de: `Winter ${GERMAN}`,
    })
    expect((await editor.get(`/api/posts/${id}?draft=true`)).body).toMatchObject({
      hasDraft: false,
      publishedLocales: ['de'],
    })
  })

  test('does not change when it is written back as it was read, in any locale', async () => {
    for (const locale of ['en', 'de', 'fr']) {
      const { body } = await editor.get(`/api/posts/${id}?locale=${locale}&select=status,code`)
      await editor.put(`/api/posts/${id}?locale=${locale}`, { ...body, code: locale })
    }
    expect((await editor.get(`/api/posts/${id}?draft=true`)).body.publishedLocales).toEqual(['de'])
    expect((await editor.get(`/api/posts/${id}?locale=de`, null)).body.code).toBe('fr')
  })

  test('is not a draft for rules about drafts', async () => {
    const ownEntry = (await editor.post('/api/posts', { title: 'Own' }, { as: 'cora' })).body.id
    await editor.put(`/api/posts/${ownEntry}?locale=de`, { title: 'Eigen' }, { as: 'cora' })
    await editor.post(`/api/posts/${ownEntry}/publish`, { locales: ['de'] })
    expect((await editor.put(`/api/posts/${ownEntry}`, { note: 'x' }, { as: 'cora' })).status).toBe(403)
    expect((await editor.put(`/api/posts/${ownEntry}?locale=de`, { note: 'x' }, { as: 'cora' })).status).toBe(403)
    expect((await editor.delete(`/api/posts/${ownEntry}`, { as: 'cora' })).status).toBe(403)
  })

  test('needs required fields only in German until it is published in another locale', async () => {
    const germanOnly = (await editor.post('/api/posts?locale=de', { title: 'Nur deutsch' })).body.id
    expect((await editor.post(`/api/posts/${germanOnly}/publish`, { locales: ['de'] })).status).toBe(200)
    const refused = await editor.post(`/api/posts/${germanOnly}/publish`, { locales: ['en'] })
    expect(refused).toMatchObject({
      status: 400,
      body: { details: { issues: [{ path: '/title', code: 'required' }] } },
    })
    expect((await editor.put(`/api/posts/${germanOnly}?locale=de`, { title: null })).status).toBe(400)
  })

  test('becomes public in English when that is published, and disappears in German when that is unpublished', async () => {
    await editor.put(`/api/posts/${id}?draft=true`, { note: 'newer', code: 'y' })
    await editor.post(`/api/posts/${id}/publish`, { locales: ['en'] })
    expect((await editor.get(`/api/posts/${id}`, null)).body).toMatchObject({ note: 'newer', code: 'y' })
    expect((await editor.get(`/api/posts/${id}?locale=de`, null)).body).toMatchObject({ note: 'newer', code: 'y' })
    expect((await editor.get(`/api/posts/${id}?locale=fr`, null)).status).toBe(404)
    const before = (await editor.get('/api/posts?locale=de', null)).tag
    await editor.post(`/api/posts/${id}/unpublish`, { locales: ['de'] })
    expect((await editor.get('/api/posts?locale=de', null)).tag).not.toBe(before)
    expect((await editor.get('/api/posts?locale=de', null)).body.total).toBe(0)
    expect((await editor.get(`/api/posts/${id}?locale=de`, null)).status).toBe(404)
    // A session without drafts sees only English, also with locale=all and in history.
    expect((await editor.get(`/api/posts/${id}?locale=all`, 'rita')).body.title).toEqual({ en: `Winter ${ENGLISH}` })
    const [{ revision }] = (await editor.get(`/api/posts/${id}/versions`, 'rita')).body.items as [{ revision: number }]
    const version = (locale: string) => editor.get(`/api/posts/${id}/versions/${revision}?locale=${locale}`, 'rita')
    expect((await version('en')).body.data).toMatchObject({ title: `Winter ${ENGLISH}` })
    expect((await version('all')).body.data).toMatchObject({ title: { en: `Winter ${ENGLISH}` } })
    expect((await version('de')).status).toBe(404)
    await editor.post(`/api/posts/${id}/unpublish`, { locales: ['en'] })
    expect((await editor.get(`/api/posts/${id}?draft=true`)).body).toMatchObject({
      publishedLocales: [],
      status: 'draft',
    })
  })

  test('is published only in German again when the later changes are undone', async () => {
    const { headers } = await editor.post(`/api/posts/${id}/publish`, {})
    expect((await editor.get(`/api/posts/${id}`, null)).status).toBe(200)
    const seq = Number(headers.get('Daybook-Seq'))
    expect((await editor.post('/api/cms/undo', { from: seq, to: seq })).status).toBe(200)
    expect((await editor.get(`/api/posts/${id}`, null)).status).toBe(404)
    expect((await editor.get(`/api/posts/${id}?locale=de`, null)).status).toBe(200)
  })

  test('rejects locales in a collection without localized fields', async () => {
    for (const op of ['publish', 'unpublish'])
      expect((await editor.post(`/api/posts/${id}/${op}`, { locales: ['xx'] })).status).toBe(400)
  })
})
