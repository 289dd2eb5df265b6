import { defineCollection, defineConfig, f, hasRole } from 'daybook'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ApiTokens } from '../../../src/auth/api-tokens.ts'
import { People } from '../../support/auth/people.ts'
import { STORES, type StoredService } from '../../support/stores/stores.ts'
import { Editor, type EditorRequest } from './editor.ts'

const people = new People({ ann: ['editor'], ben: [] })

const fields = { title: f.text({ required: true, localized: true }), status: f.status() }

/** Collections with drafts, one for each kind of access rule. */
const config = defineConfig({
  auth: people.adapter,
  locales: { available: ['en', 'de'], default: 'en' },
  collections: {
    posts: defineCollection({ fields: { ...fields, slug: f.slug({ from: 'title' }) } }),
    pages: defineCollection({ fields }),
    memos: defineCollection({ fields, access: { read: hasRole('editor', 'service') } }),
    diaries: defineCollection({
      fields: { ...fields, owner: f.text() },
      access: { read: ({ identity }) => ({ owner: { eq: identity?.subject ?? 'nobody' } }) },
    }),
    /** Authors are hidden. */
    letters: defineCollection({ fields, people: { read: hasRole('service') } }),
    /** Has no drafts. */
    notes: defineCollection({ fields: { title: f.text() } }),
  },
})

interface Listed {
  readonly collection: string
  readonly title: string
  readonly [key: string]: unknown
}

describe.each(STORES)('cross-collection lists on $name', (store) => {
  let service: StoredService
  let editor: Editor
  const ids = new Map<string, string>()

  beforeAll(async () => {
    service = await store.open(config)
    editor = new Editor(service)
    for (const [collection, title] of [
      ['posts', 'Ink'],
      ['posts', 'Paper'],
      ['posts', 'Never touched'],
      ['pages', 'About'],
      ['memos', 'Memo'],
      ['diaries', 'Monday'],
      ['letters', 'Letter'],
    ] as const) {
      const owner = collection === 'diaries' ? { owner: 'ann' } : {}
      const { body } = await editor.post(`/api/${collection}`, { title, ...owner })
      ids.set(title, body.id)
    }
    await editor.post('/api/notes', { title: 'Note' })
  })
  afterAll(() => service.close())

  const at = (collection: string, title: string): string => `/api/${collection}/${ids.get(title)}`
  const save = async (collection: string, title: string, data: object, said: EditorRequest = {}): Promise<void> => {
    const { status } = await editor.put(`${at(collection, title)}?draft=true`, data, said)
    expect(status).toBe(200)
  }
  const listed = async (path: string, said: EditorRequest = {}): Promise<readonly Listed[]> => {
    const { status, body } = await editor.get(path, said.as === undefined ? 'ann' : said.as)
    expect(status).toBe(200)
    return body.items as readonly Listed[]
  }
  const titles = async (path: string, said: EditorRequest = {}): Promise<readonly string[]> =>
    (await listed(path, said)).map(({ title }) => title)

  describe('drafts', () => {
    beforeAll(async () => {
      await save('posts', 'Ink', { title: 'Ink, better' })
      await save('pages', 'About', { title: 'About us' }, { as: 'ben' })
      await save('memos', 'Memo', { title: 'Memo 2' })
      await save('posts', 'Paper', { title: 'Paper, better' }, { as: 'ben' })
      await save('diaries', 'Monday', { title: 'Monday, late' })
      await save('letters', 'Letter', { title: 'Dear' })
    })

    test('are listed with their titles, the last saved first', async () => {
      const items = await listed('/api/cms/drafts')
      expect(items.map(({ title }) => title)).toEqual([
        'Dear',
        'Monday, late',
        'Paper, better',
        'Memo 2',
        'About us',
        'Ink, better',
      ])
      expect(items.at(-1)).toEqual({
        collection: 'posts',
        id: ids.get('Ink'),
        slug: 'ink',
        status: 'published',
        title: 'Ink, better',
        at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
        actor: 'ann',
      })
    })

    test('are limited to entries that the session may read', async () => {
      expect(await titles('/api/cms/drafts', { as: 'ben' })).toEqual([
        'Dear',
        'Paper, better',
        'About us',
        'Ink, better',
      ])
      expect((await editor.get('/api/cms/drafts', null)).status).toBe(401)
    })

    test('can be filtered by author, if the session may know the authors', async () => {
      expect(await titles('/api/cms/drafts?actor=ben')).toEqual(['Paper, better', 'About us'])
      // Only the service sees the authors of letters.
      expect(await titles('/api/cms/drafts?actor=ann')).toEqual(['Monday, late', 'Memo 2', 'Ink, better'])
      expect(await titles('/api/cms/drafts?actor=nobody')).toEqual([])
      const [letter] = await listed('/api/cms/drafts')
      expect(letter).not.toHaveProperty('actor')
    })

    test('come in pages that concurrent saves do not shift', async () => {
      const first = (await editor.get('/api/cms/drafts?limit=4')).body
      expect((first.items as readonly Listed[]).map(({ title }) => title)).toEqual([
        'Dear',
        'Monday, late',
        'Paper, better',
        'Memo 2',
      ])
      await save('posts', 'Never touched', { title: 'Touched' })
      const second = (await editor.get(`/api/cms/drafts?limit=4&cursor=${first.nextCursor}`)).body
      expect((second.items as readonly Listed[]).map(({ title }) => title)).toEqual(['About us', 'Ink, better'])
      expect(second.nextCursor).toBeNull()
      await editor.send('DELETE', `${at('posts', 'Never touched')}?draft=true`)
    })

    test('have titles in the requested locale', async () => {
      await editor.put(`${at('posts', 'Ink')}?draft=true&locale=de`, { title: 'Tinte' })
      expect(await titles('/api/cms/drafts?limit=1&locale=de')).toEqual(['Tinte'])
      expect(await titles('/api/cms/drafts?limit=1')).toEqual(['Ink, better'])
    })

    test('disappear when they are published or discarded, or their entry is deleted', async () => {
      await editor.post(`${at('pages', 'About')}/publish`, {})
      await editor.send('DELETE', `${at('memos', 'Memo')}?draft=true`)
      await editor.send('DELETE', at('diaries', 'Monday'))
      expect(await titles('/api/cms/drafts')).toEqual(['Ink, better', 'Dear', 'Paper, better'])
    })

    test.each(['limit=0', 'limit=101', 'cursor=x', 'locale=all', 'sort=at'])('reject %s', async (query) => {
      expect((await editor.get(`/api/cms/drafts?${query}`)).status).toBe(400)
    })
  })

  describe('schedules', () => {
    const plan = async (collection: string, title: string, year: number, more: object = {}): Promise<void> => {
      const publishAt = `${year}-01-01T00:00:00.000Z`
      expect((await editor.post(`${at(collection, title)}/publish`, { publishAt, ...more })).status).toBe(200)
    }

    beforeAll(async () => {
      await plan('posts', 'Ink', 2992, { locales: ['de'] })
      await plan('memos', 'Memo', 2990)
      await plan('letters', 'Letter', 2991)
      const unpublishAt = '2993-01-01T00:00:00.000Z'
      await editor.post(`${at('posts', 'Ink')}/unpublish`, { unpublishAt })
    })

    test('are listed by time, the soonest first', async () => {
      const items = await listed('/api/cms/schedules')
      expect(items.map(({ title, action, at }) => [title, action, String(at).slice(0, 4)])).toEqual([
        ['Memo', 'publish', '2990'],
        ['Dear', 'publish', '2991'],
        ['Ink, better', 'publish', '2992'],
        ['Ink, better', 'unpublish', '2993'],
      ])
      expect(items[2]).toEqual({
        collection: 'posts',
        id: ids.get('Ink'),
        slug: 'ink',
        status: 'published',
        title: 'Ink, better',
        action: 'publish',
        at: '2992-01-01T00:00:00.000Z',
        actor: 'ann',
        locales: ['de'],
      })
      expect(items[1]).not.toHaveProperty('actor')
    })

    test('are limited to entries that the session may read', async () => {
      expect(await titles('/api/cms/schedules', { as: 'ben' })).toEqual(['Dear', 'Ink, better', 'Ink, better'])
      expect((await editor.get('/api/cms/schedules', null)).status).toBe(401)
    })

    test('come in pages', async () => {
      const first = (await editor.get('/api/cms/schedules?limit=3')).body
      expect(first.items).toHaveLength(3)
      const second = (await editor.get(`/api/cms/schedules?limit=3&cursor=${first.nextCursor}`)).body
      expect([second.items.map(({ action }) => action), second.nextCursor]).toEqual([['unpublish'], null])
    })

    test('disappear when they are canceled', async () => {
      await editor.send('DELETE', `${at('posts', 'Ink')}/schedule`)
      expect(await titles('/api/cms/schedules')).toEqual(['Memo', 'Dear'])
    })
  })

  test('tokens see only collections that their scopes cover', async () => {
    await using place = await store.at()
    const scoped = await place.open(config)
    try {
      const send = async (method: string, path: string, token: string, json?: object) => {
        const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }
        const body = json === undefined ? {} : { body: JSON.stringify(json) }
        return (await scoped.fetch(new Request(`http://cms.example${path}`, { method, headers, ...body }))).json()
      }
      for (const collection of ['posts', 'pages']) {
        const { id } = (await send('POST', `/api/${collection}`, 'ann', { title: 'Ink' })) as { id: string }
        await send('PUT', `/api/${collection}/${id}?draft=true`, 'ann', { title: `Of ${collection}` })
        await send('POST', `/api/${collection}/${id}/publish`, 'ann', { publishAt: '2999-01-01T00:00:00Z' })
      }
      const records = await place.store()
      const rights = { scopes: ['pages:update'], roles: ['editor'], expiresAt: null } as const
      const { token } = await new ApiTokens(records.records).create({ name: 'reader', ...rights })
      await records.close()
      const of = { items: [{ title: 'Of pages' }] }
      expect(await send('GET', '/api/cms/drafts', token)).toMatchObject(of)
      expect(await send('GET', '/api/cms/schedules', token)).toMatchObject(of)
    } finally {
      await scoped.close()
    }
  })
})
