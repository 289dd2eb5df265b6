import { type AuthAdapter, type DaybookConfig, defineCollection, defineConfig, f } from 'daybook'
import { serve } from 'daybook/node'
import { createTestService } from 'daybook/testing'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { kitchen } from '../../support/configs/configs.ts'
import { multilingual } from '../../support/configs/locales.ts'
import { parseBody, sendRequest } from '../../support/scenarios/client.ts'
import { askExport, exportOf, type Line } from '../../support/stores/export.ts'
import { create, update } from '../../support/stores/place.ts'
import { STORES } from '../../support/stores/stores.ts'
import { eventually } from '../../support/timeouts.ts'

const notes: DaybookConfig = defineConfig({
  collections: { notes: defineCollection({ fields: { text: f.text({ index: false, maxLength: 2_000_000 }) } }) },
})
const EXPORTED = { export: true } as const

const MOMENT = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
const UUID = expect.stringMatching(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
const SCHEMA_HASH = expect.any(String)

/** Authenticates `Bearer person` as a person. */
const people: AuthAdapter = {
  getCapabilities: () => ({ provider: 'test', providerRoutes: { enabled: false } }),
  getPrincipal: async ({ headers }) => (headers.get('authorization') === 'Bearer person' ? { id: 'ann' } : null),
  getIdentity: async ({ headers }) =>
    headers.get('authorization') === 'Bearer person'
      ? {
          provider: 'test',
          subject: 'ann',
          sessionId: '1',
          actorType: 'human',
          expiresAt: null,
          claims: {},
          roles: ['admin'],
        }
      : null,
}

afterEach(() => vi.unstubAllEnvs())

describe('GET /api/export exists only if it is enabled', () => {
  test.each([undefined, '', 'false', '1', 'TRUE'])('with ENABLE_CMS_EXPORT=%s it is 404', async (value) => {
    vi.stubEnv('ENABLE_CMS_EXPORT', value)
    await using service = await createTestService(notes)
    for (const auth of [true, false]) {
      const response = await sendRequest(service, '/api/export', { auth })
      const unknown = await sendRequest(service, '/api/nothing', { auth })
      expect(response.status).toBe(404)
      expect({ ...parseBody(response), requestId: '' }).toEqual({ ...parseBody(unknown), requestId: '' })
    }
    expect((await sendRequest(service, '/api/export', { method: 'POST' })).status).toBe(404)
  })

  test('with ENABLE_CMS_EXPORT=true it is 200', async () => {
    vi.stubEnv('ENABLE_CMS_EXPORT', 'true')
    await using service = await createTestService(notes)
    expect((await askExport(service)).status).toBe(200)
    expect((await sendRequest(service, '/api/export', { method: 'POST' })).status).toBe(405)
  })
})

describe('GET /api/export is for service principals', () => {
  test('a caller without a session gets 401, a person 403 whatever the roles, and the service token 200', async () => {
    await using service = await createTestService<DaybookConfig>({ ...notes, auth: people }, EXPORTED)
    const as = (token: string) => sendRequest(service, '/api/export', { headers: { Authorization: `Bearer ${token}` } })
    expect((await sendRequest(service, '/api/export')).status).toBe(401)
    expect((await as('nobody')).status).toBe(401)
    expect(parseBody(await as('person'))).toMatchObject({ code: 'FORBIDDEN' })
    expect((await askExport(service)).status).toBe(200)
  })
})

describe.each(STORES)('an export on $name', (store) => {
  test('of an empty store has a header and counts', async () => {
    await using service = await store.open(notes, EXPORTED)
    const response = await askExport(service)
    expect(response.headers.get('content-type')).toBe('application/x-ndjson')
    expect(response.headers.get('cache-control')).toBe('private, no-store')
    const text = await response.text()
    expect(text.endsWith('\n')).toBe(true)
    expect(
      text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual([{ daybook: 1, at: MOMENT, seq: 0 }, { counts: { collections: { assets: 0, notes: 0 }, globals: 0 } }])
  })

  test('contains every entry and global, including unpublished entries and hidden fields', async () => {
    await using service = await store.open(kitchen, EXPORTED)
    const hidden = { title: 'Open', status: 'draft', secret: 'the secret', notes: '*hidden*', inner: { code: 'x' } }
    const dossier = await create(service, 'dossiers', hidden)
    const member = await create(service, 'members', { title: 'Only for members' })
    await service.content.writeGlobal('site', { siteName: 'Site', secret: 'of the site' } as never)
    const lines = await exportOf(service)
    const by = { createdBy: 'system', updatedBy: 'system' }
    expect(lines).toEqual([
      { daybook: 1, at: MOMENT, seq: 3 },
      {
        ...by,
        collection: 'dossiers',
        id: dossier.id,
        createdAt: dossier.createdAt,
        updatedAt: dossier.updatedAt,
        slug: 'open',
        status: 'draft',
        schemaHash: SCHEMA_HASH,
        document: withoutAuthors(dossier),
      },
      expect.objectContaining({
        collection: 'members',
        status: null,
        slug: 'only-for-members',
        document: withoutAuthors(member),
      }),
      {
        ...by,
        global: 'site',
        updatedAt: MOMENT,
        schemaHash: SCHEMA_HASH,
        document: { key: 'site', siteName: 'Site', about: null, aboutHtml: null, secret: 'of the site' },
      },
      { counts: { collections: expect.objectContaining({ dossiers: 1, members: 1, things: 0 }), globals: 1 } },
    ])
    expect(dossier.notesHtml).toBe('<p><em>hidden</em></p>')
  })

  describe('of drafts and schedules', () => {
    const later = '2999-12-31T23:00:00.000Z'
    const drafts: DaybookConfig = defineConfig({
      collections: { posts: defineCollection({ fields: { title: f.text({ required: true }), status: f.status() } }) },
    })

    test('contains both with their entries, and omits authors with people=false', async () => {
      await using service = await store.open(drafts, EXPORTED)
      const { id } = await create(service, 'posts', { title: 'Published' })
      await create(service, 'posts', { title: 'Plain' })
      await service.content.saveDraft('posts', id, { title: null } as never)
      await service.content.unpublish('posts', id, { at: later })
      const [, post, plain] = await exportOf(service)
      expect(post).toMatchObject({
        document: { title: 'Published', status: 'published' },
        draft: { updatedAt: MOMENT, updatedBy: 'system', schemaHash: SCHEMA_HASH, document: { id, title: null } },
        schedule: [{ action: 'unpublish', at: later, by: 'system' }],
      })
      expect(Object.keys(plain ?? {})).not.toContain('draft')
      expect(Object.keys(plain ?? {})).not.toContain('schedule')
      const [, without] = await exportOf(service, '?people=false')
      expect(without?.draft).not.toHaveProperty('updatedBy')
      expect(without?.schedule).toEqual([{ action: 'unpublish', at: later }])
    })

    test('since a sequence number contains an entry once, at its last change, even of a draft or schedule only', async () => {
      await using service = await store.open(drafts, EXPORTED)
      const { content } = service
      const ids: string[] = []
      for (const title of ['A', 'B', 'C', 'D', 'E']) ids.push((await create(service, 'posts', { title })).id)
      const [saved = '', scheduled = '', discarded = '', deleted = ''] = ids
      await content.saveDraft('posts', saved, { title: 'A2' } as never)
      await content.saveDraft('posts', discarded, { title: 'C2' } as never)
      const since = 7
      await content.publish('posts', scheduled, { at: later })
      await content.saveDraft('posts', deleted, { title: 'D2' } as never)
      await content.discardDraft('posts', discarded)
      // More records than fit into one page.
      for (let n = 0; n < 40; n += 1) await content.saveDraft('posts', scheduled, { title: `B${n}` } as never)
      await content.delete('posts', deleted)
      await content.update('posts', scheduled, { title: 'B3' } as never)
      const lines = await exportOf(service, `?since=${since}`)
      expect(lines.slice(1)).toEqual([
        expect.objectContaining({ id: discarded, document: expect.objectContaining({ title: 'C' }) }),
        { collection: 'posts', id: deleted, deletedAt: MOMENT },
        expect.objectContaining({
          id: scheduled,
          draft: expect.objectContaining({ document: expect.objectContaining({ title: 'B3' }) }),
          schedule: [{ action: 'publish', at: later, by: 'system' }],
        }),
        { counts: { collections: { assets: 0, posts: 2 }, globals: 0, deleted: 1 } },
      ])
      expect(lines[1]).not.toHaveProperty('draft')
    })
  })

  test('contains the values of every locale, and names the locale of the documents', async () => {
    await using service = await store.open(multilingual, EXPORTED)
    const { id } = await create(service, 'pages', { title: 'Hello', seo: { title: 'Seo' } })
    const german = { title: 'Hallo', body: '*Welt*', seo: { title: 'Titel' } }
    await service.content.update('pages', id, german as never, { locale: 'de' })
    const [header, page] = await exportOf(service)
    expect(header).toMatchObject({ locale: 'en' })
    expect(page).toMatchObject({
      slug: 'hello',
      document: { title: 'Hello' },
      locales: { de: { title: 'Hallo', body: '*Welt*', bodyHtml: '<p><em>Welt</em></p>', 'seo/title': 'Titel' } },
    })
  })

  test('contains each of a thousand entries once', async () => {
    await using service = await store.open(notes, EXPORTED)
    const texts = Array.from({ length: 1000 }, (_, index) =>
      index === 500 ? 'long '.repeat(200_000) : `note ${index}`,
    )
    await Promise.all(texts.map((text) => create(service, 'notes', { text })))
    const lines = (await exportOf(service)).slice(1, -1)
    expect(lines.length).toBe(1000)
    const documents = lines.map(({ document }) => document as { readonly id: string; readonly text: string })
    expect(new Set(documents.map(({ text }) => text))).toEqual(new Set(texts))
    expect(new Set(documents.map(({ id }) => id)).size).toBe(1000)
  })

  test('is a snapshot: later writes are not in it', async () => {
    await using service = await store.open(notes, EXPORTED)
    const created = await Promise.all(Array.from({ length: 300 }, (_, n) => create(service, 'notes', { text: `${n}` })))
    const response = await askExport(service)
    await update(service, 'notes', String(created.at(-1)?.id), { text: 'changed' })
    await service.content.delete('notes', String(created.at(-2)?.id))
    await create(service, 'notes', { text: 'new' })
    const lines = (await response.text()).trimEnd().split('\n')
    expect(lines.length).toBe(302)
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ seq: 300 })
    expect(lines.join()).not.toMatch(/changed|"new"/)
  })

  test('since a sequence number contains later changes and deletions, in order, and each document once', async () => {
    await using service = await store.open(kitchen, EXPORTED)
    const [first, second, third] = await Promise.all(
      ['one', 'two', 'three'].map((text) => create(service, 'notes', { text })),
    )
    const seq = Number((await exportOf(service))[0]?.seq)
    expect((await exportOf(service, `?since=${seq}`)).slice(1)).toEqual([
      { counts: { collections: expect.objectContaining({ notes: 0 }), globals: 0, deleted: 0 } },
    ])
    await service.content.delete('notes', String(second?.id))
    await update(service, 'notes', String(first?.id), { text: 'once' })
    const brief = await create(service, 'notes', { text: 'brief' })
    await service.content.writeGlobal('internal', { text: 'a' } as never)
    await service.content.delete('notes', brief.id)
    const last = await update(service, 'notes', String(first?.id), { text: 'twice' })
    await service.content.writeGlobal('wall', { text: 'w' } as never)
    const [header, ...lines] = await exportOf(service, `?since=${seq}`)
    expect(header).toEqual({ daybook: 1, at: MOMENT, seq: seq + 7, since: seq })
    const named = (line: Line): Line => ({ ...line, schemaHash: '', updatedAt: '' })
    expect(lines.map(named)).toEqual([
      named({ collection: 'notes', id: second?.id, deletedAt: MOMENT }),
      expect.objectContaining({ global: 'internal' }),
      named({ collection: 'notes', id: brief.id, deletedAt: MOMENT }),
      expect.objectContaining({ collection: 'notes', id: first?.id, document: withoutAuthors(last) }),
      expect.objectContaining({ global: 'wall' }),
      named({ counts: { collections: expect.objectContaining({ notes: 1 }), globals: 2, deleted: 2 } }),
    ])
    const all = await exportOf(service, '?since=0')
    expect(all.filter(({ id }) => id === third?.id).length).toBe(1)
  })

  test('rejects an invalid sequence number', async () => {
    await using service = await store.open(notes, EXPORTED)
    await create(service, 'notes', { text: 'one' })
    for (const since of ['', '-1', '1.5', 'x', '1e3', '0x1', '9007199254740993', '2', '1&since=1']) {
      const response = await sendRequest(service, `/api/export?since=${since}`, { auth: true })
      expect(response.status, since).toBe(400)
      expect(parseBody(response)).toMatchObject({ details: { issues: [{ path: 'since' }] } })
    }
    expect((await sendRequest(service, '/api/export?limit=1', { auth: true })).status).toBe(400)
  })

  test('keeps values of fields that the config no longer has, apart from the documents', async () => {
    const fields = { text: f.text(), gone: f.text(), seo: f.group({ a: f.text(), b: f.text() }) }
    await using place = await store.at()
    await place.serve({ collections: { notes: { fields } } }, async (service) => {
      await create(service, 'notes', { text: 'untouched', gone: 'value', seo: { a: '1', b: '2' } })
      await create(service, 'notes', { text: 'touched', gone: 'value' })
    })
    const later = { text: f.text(), seo: f.group({ a: f.text() }), fresh: f.text() }
    vi.stubEnv('ENABLE_CMS_EXPORT', 'true')
    vi.stubEnv('DAYBOOK_SERVICE_TOKEN', 'a-token-of-the-tests-of-the-export-0123456789')
    await place.serve({ collections: { notes: { fields: later } } }, async (service) => {
      const { items } = await service.content.list('notes', { where: { text: { eq: 'touched' } } } as never)
      await update(service, 'notes', String(items[0]?.id), { fresh: 'new' })
      const token = process.env.DAYBOOK_SERVICE_TOKEN ?? ''
      const request = (path: string, init?: RequestInit) =>
        service.fetch(new Request(`http://daybook.test${path}`, init))
      const lines = (await exportOf({ request, token })).slice(1, -1)
      expect(lines).toEqual([
        expect.objectContaining({
          document: { id: UUID, text: 'untouched', seo: { a: '1' }, fresh: null, createdAt: MOMENT, updatedAt: MOMENT },
          orphaned: { gone: 'value', seo: { b: '2' } },
        }),
        expect.objectContaining({ document: expect.objectContaining({ fresh: 'new' }), orphaned: { gone: 'value' } }),
      ])
    })
  })

  test('is sent to two clients at once; a third one gets 503 until one of them has ended', async () => {
    await using service = await store.open(notes, EXPORTED)
    const [first, second] = [await askExport(service), await askExport(service)]
    const third = await askExport(service)
    expect(third.status).toBe(503)
    expect(third.headers.get('retry-after')).toBe('1')
    await first.body?.cancel()
    expect((await askExport(service)).status).toBe(200)
    await second.text()
  })

  test('ends when its client disconnects, or reads nothing for half a minute', async () => {
    await using service = await store.open(notes, EXPORTED)
    await Promise.all(Array.from({ length: 200 }, () => create(service, 'notes', { text: 'long '.repeat(10_000) })))
    const { url, stop } = await serve({ ...service, close: async () => {} }, { port: 0 })
    const headers = { Authorization: `Bearer ${service.token}` }
    for (let count = 0; count < 4; count++) {
      const response = await fetch(`${url}/api/export`, { headers })
      await response.body?.cancel()
      await eventually(async () =>
        expect((await sendRequest(service, '/api/export', { method: 'HEAD', auth: true })).status).toBe(200),
      )
    }
    await stop()
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      const reader = (await askExport(service)).body?.getReader()
      await reader?.read()
      vi.advanceTimersByTime(30_000)
      await expect(reader?.read()).rejects.toThrow('The client did not read the export')
    } finally {
      vi.useRealTimers()
    }
  })

  test('answers any number of HEAD requests without reading content', async () => {
    await using service = await store.open(notes, EXPORTED)
    for (let count = 0; count < 5; count++) {
      const headers = { Authorization: `Bearer ${service.token}` }
      const response = await service.request('/api/export', { method: 'HEAD', headers })
      expect([response.status, await response.text()]).toEqual([200, ''])
    }
    expect((await exportOf(service)).length).toBe(2)
  })

  test('whose client disconnects makes room for the next one at once', async () => {
    await using service = await store.open(notes, EXPORTED)
    const headers = { Authorization: `Bearer ${service.token}` }
    const begin = (): Promise<Response> => service.request('/api/export', { headers })
    for (let round = 0; round < 5; round++) {
      const second = [await begin(), await begin()]
      const cancellations = second.map(({ body }) => body?.cancel())
      const next = await begin()
      expect(next.status).toBe(200)
      await Promise.all([...cancellations, next.body?.cancel()])
    }
  })

  test('that breaks off has no last line, and ends the connection', async () => {
    const errors: string[] = []
    const ignore = (): void => {}
    const log = { info: ignore, warn: ignore, requests: false, error: (_: object, text: string) => errors.push(text) }
    await using service = await store.open(notes, { ...EXPORTED, log })
    const text = 'long '.repeat(10_000)
    for (let count = 0; count < 400; count++) await create(service, 'notes', { text })
    const { url, stop } = await serve({ ...service, close: async () => {} }, { port: 0 })
    const response = await fetch(`${url}/api/export`, { headers: { Authorization: `Bearer ${service.token}` } })
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
    let read = (await reader?.read())?.value ?? ''
    await service.close()
    const rest = async (): Promise<void> => {
      for (let next = await reader?.read(); next && !next.done; next = await reader?.read()) read += next.value
    }
    await expect(rest()).rejects.toThrow()
    expect(read).toContain('"daybook":1')
    expect(read).not.toContain('"counts"')
    expect(errors).toEqual(['an export failed'])
    await stop()
  })
})

/** Returns a document without its authors, which the line contains separately. */
function withoutAuthors({ createdBy: _, updatedBy: __, ...document }: Line): Line {
  return document
}
