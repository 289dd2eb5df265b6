import { defineCollection, defineConfig, f } from 'daybook'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { People } from '../../support/auth/people.ts'
import { STORES, type StoredService } from '../../support/stores/stores.ts'
import { Editor } from '../drafts/editor.ts'

const config = defineConfig({
  auth: new People({ ann: [], ben: [] }).adapter,
  locales: { available: ['en', 'de'], default: 'en', fallback: { de: ['en'] } },
  collections: {
    authors: defineCollection({ fields: { name: f.text() } }),
    places: defineCollection({
      fields: {
        name: f.text({ localized: true }),
        seo: f.group({ line: f.text() }),
        author: f.relation('authors'),
      },
      // Anonymous callers see the names with this beginning in any case.
      access: { read: ({ identity }) => identity !== null || { name: { istartsWith: 'ØRE' } } },
    }),
  },
})

/** A text that exceeds the indexed length once it is folded, since each letter becomes two. */
const LONG = 'Æ'.repeat(510)
const NAMES = [
  'Crème brûlée',
  'CREME',
  'Iğdır',
  'Łódź',
  'Øresund',
  'ørestad',
  'Straße',
  'हिन्दी',
  'Σίσυφος',
  `${LONG}x`,
  `${LONG}y`,
]

describe.each(STORES)('filters that ignore case and accents, on $name', (store) => {
  let service: StoredService
  let editor: Editor
  beforeAll(async () => {
    service = await store.open(config)
    editor = new Editor(service)
    const author = (await editor.post('/api/authors', { name: 'Ångström' })).body.id
    for (const name of NAMES) await editor.post('/api/places', { name, seo: { line: `${name}!` }, author })
    const { items } = (await editor.get('/api/places?where[name][eq]=Straße')).body
    await editor.put(`/api/places/${items[0]?.id}?locale=de`, { name: 'Gasse' })
  })
  afterAll(() => service.close())

  const findNames = async (query: string, as: string | null = 'ann'): Promise<unknown> => {
    const path = `/api/places?limit=100&sort=createdAt&select=name&${query}`
    return (await editor.get(path, as)).body.items?.map(({ name }) => name)
  }
  const where = (field: string, operator: string, value: string): string =>
    `where[${field}][${operator}]=${encodeURIComponent(value)}`

  test.each([
    ['name', 'ieq', 'creme', ['CREME']],
    ['name', 'ieq', 'IGDIR', ['Iğdır']],
    ['name', 'ieq', 'lodz', ['Łódź']],
    ['name', 'ieq', 'strasse', ['Straße']],
    ['name', 'ieq', 'हिनदी', []],
    ['name', 'ieq', 'ΣΊΣΥΦΟΣ', ['Σίσυφος']],
    ['name', 'istartsWith', 'CRÈME', ['Crème brûlée', 'CREME']],
    ['name', 'istartsWith', 'ore', ['Øresund', 'ørestad']],
    ['name', 'icontains', 'BRULEE', ['Crème brûlée']],
    ['name', 'ieq', `${'ae'.repeat(510)}X`, [`${LONG}x`]],
    ['name', 'icontains', 'aey', [`${LONG}y`]],
    ['seo.line', 'ieq', 'creme!', ['CREME']],
    ['author.name', 'ieq', 'angstrom', NAMES],
    ['name', 'contains', 'creme', []],
  ] as const)('%s %s %j', async (field, operator, value, names) => {
    expect(await findNames(where(field, operator, value))).toEqual(names)
  })

  test('compare the values that a locale shows, and work in access rules', async () => {
    expect(await findNames(`locale=de&${where('name', 'ieq', 'GASSE')}`)).toEqual(['Gasse'])
    expect(await findNames(`locale=de&${where('name', 'ieq', 'strasse')}`)).toEqual([])
    expect(await findNames(`locale=de&${where('name', 'ieq', 'creme')}`)).toEqual(['CREME'])
    expect(await findNames('', null)).toEqual(['Øresund', 'ørestad'])
  })

  test('follow a change of the text', async () => {
    const { id } = (await editor.post('/api/places', { name: 'Ältere' })).body
    await editor.put(`/api/places/${id}`, { name: 'Jüngere' })
    expect(await findNames(where('name', 'ieq', 'altere'))).toEqual([])
    expect(await findNames(where('name', 'ieq', 'jungere'))).toEqual(['Jüngere'])
    await editor.delete(`/api/places/${id}`)
  })

  test('exist for texts only', async () => {
    const { status, body } = await editor.get(`/api/places?${where('createdAt', 'ieq', 'x')}`)
    expect([status, body.details?.issues?.[0]?.code]).toEqual([400, 'operator'])
  })
})
