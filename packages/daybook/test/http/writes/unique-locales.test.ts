import { defineCollection, defineConfig, f } from 'daybook'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { People } from '../../support/auth/people.ts'
import { STORES, type StoredService } from '../../support/stores/stores.ts'
import { Editor } from '../drafts/editor.ts'

const config = defineConfig({
  auth: new People({ ann: [] }).adapter,
  locales: { available: ['en', 'de', 'pt-br'], default: 'en', fallback: { de: ['en'] } },
  collections: {
    things: defineCollection({
      fields: {
        code: f.text({ localized: true, unique: true }),
        mail: f.email({ localized: true, unique: true }),
        rank: f.integer({ localized: true, unique: true }),
        token: f.text({ unique: true, index: false, maxLength: 20 }),
        status: f.status(),
      },
    }),
  },
})

describe.each(STORES)('a localized unique field on $name', (store) => {
  let service: StoredService
  let editor: Editor
  beforeAll(async () => {
    service = await store.open(config)
    editor = new Editor(service)
  })
  afterAll(() => service.close())

  const create = async (fields: object, locale = 'en'): Promise<string> => {
    const { status, body } = await editor.post(`/api/things?locale=${locale}`, fields)
    expect([status, body.details]).toEqual([201, undefined])
    return String(body.id)
  }
  const uniqueConflict = (field: string, locale: string): object => ({
    status: 409,
    body: {
      code: 'CONFLICT',
      message: expect.stringContaining(`This ${field} is already used by another entry in the locale "${locale}".`),
      details: { field, locale },
    },
  })

  test.each([
    ['code', 'A1', 'A1'],
    ['mail', 'ann@example.org', 'Ann@example.org'],
    ['rank', 1, 1],
  ])('allows a value of %s for one entry in each locale', async (field, value, same) => {
    const first = await create({ [field]: value })
    const second = await create({ [field]: value }, 'pt-br')
    // In German, the first entry falls back to the English value, which does not count as German.
    const third = await create({ [field]: value }, 'de')
    for (const [locale, owner] of [
      ['en', first],
      ['pt-br', second],
      ['de', third],
    ] as const) {
      const address = `/api/things/${owner}?locale=${locale}`
      expect(await editor.post(`/api/things?locale=${locale}`, { [field]: same })).toMatchObject(
        uniqueConflict(field, locale),
      )
      expect((await editor.put(address, { [field]: same })).status).toBe(200)
      expect((await editor.put(address, { [field]: null })).status).toBe(200)
      await create({ [field]: same }, locale)
    }
  })

  test('is also enforced for a field without an index', async () => {
    await create({ token: 'T1' })
    const { status, body } = await editor.post('/api/things', { token: 'T1' })
    expect([status, body.details]).toEqual([409, { field: 'token' }])
  })

  test('has one winner of concurrent updates', async () => {
    const ids = await Promise.all(Array.from({ length: 20 }, (_, index) => create({ code: `many ${index}` })))
    const changes = await Promise.all(ids.map((id) => editor.put(`/api/things/${id}?locale=de`, { code: 'viele' })))
    expect(changes.map(({ status }) => status).sort()).toEqual([200, ...Array(19).fill(409)])
  })

  test('is enforced for published drafts, batches, bulk writes and restored entries', async () => {
    const first = await create({ code: 'B1' }, 'de')
    const second = await create({ code: 'B2' }, 'de')
    expect(await editor.post('/api/things?locale=de', { code: 'B1', status: 'draft' })).toMatchObject(
      uniqueConflict('code', 'de'),
    )

    expect((await editor.put(`/api/things/${second}?locale=de&draft=true`, { code: 'B1' })).status).toBe(200)
    expect(await editor.post(`/api/things/${second}/publish`, {})).toMatchObject(uniqueConflict('code', 'de'))

    const operations = ['B3', 'B3'].map((code) => ({ op: 'create', collection: 'things', data: { code } }))
    expect(await editor.post('/api/cms/batch?locale=de', { operations })).toMatchObject(uniqueConflict('code', 'de'))

    const where = `where[id][in]=${first},${second}`
    expect(await editor.send('PATCH', `/api/things?locale=de&${where}`, { code: 'B4' })).toMatchObject(
      uniqueConflict('code', 'de'),
    )

    expect((await editor.delete(`/api/things/${first}`)).status).toBe(204)
    await create({ code: 'B1' }, 'de')
    expect(await editor.post(`/api/things/${first}/restore`, {})).toMatchObject(uniqueConflict('code', 'de'))
  })
})
