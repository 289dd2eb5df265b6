import { type DaybookConfig, defineCollection, defineConfig, f } from 'daybook'
import type { TestService } from 'daybook/testing'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { POLICY_STORES } from '../support/stores/stores.ts'

type Locale = 'en' | 'de'
type Item = Readonly<Record<string, unknown>>

const config: DaybookConfig = defineConfig({
  collections: {
    pages: defineCollection({
      fields: {
        title: f.text(),
        status: f.status(),
        parts: f.blocks({
          prose: { name: f.text(), text: f.markdown({ localized: true }) },
          quote: { name: f.text(), text: f.text({ localized: true }) },
        }),
        links: f.list(f.group({ name: f.text(), text: f.text({ localized: true }) })),
        menu: f.group({
          entries: f.list(f.group({ name: f.text(), rows: f.list(f.group({ text: f.text({ localized: true }) })) })),
        }),
        notes: f.list(f.group({ text: f.text() }), { localized: true }),
        words: f.list(f.text({ localized: true })),
      },
    }),
  },
  locales: { default: 'en', available: ['en', 'de'] },
})

describe.each(POLICY_STORES)('item keys on $name', (store) => {
  let service: TestService
  beforeAll(async () => {
    service = await store.open(config)
  })
  afterAll(() => service.close())

  const create = async (data: Item): Promise<Item> => service.content.create('pages', data) as Promise<Item>
  const save = async (id: unknown, data: Item, options: object = {}): Promise<Item> =>
    service.content.update('pages', String(id), data, options) as Promise<Item>
  const read = async (id: unknown, query: object = {}): Promise<Item> =>
    (await service.content.get('pages', String(id), query)) as unknown as Item
  const itemsOf = (document: Item, field = 'parts'): readonly Item[] => document[field] as readonly Item[]
  const keysOf = (document: Item, field = 'parts'): readonly unknown[] =>
    itemsOf(document, field).map(({ _key }) => _key)

  test('keep the German text of an edited block when another block is inserted before it', async () => {
    const { id } = await create({ parts: [{ _type: 'prose', name: 'first', text: 'We write every day.' }] })
    await save(id, { parts: [{ _type: 'prose', name: 'first', text: 'Wir schreiben täglich.' }] }, { locale: 'de' })
    await save(id, {
      parts: [
        { _type: 'prose', name: 'new', text: 'Nothing like it.' },
        { _type: 'prose', name: 'first', text: 'We write every single day.' },
      ],
    })
    const texts = itemsOf(await read(id, { locale: 'de' })).map(({ text }) => text)
    expect(texts).toEqual([null, 'Wir schreiben täglich.'])
  })

  test('are generated for items at any depth, and kept if they are sent', async () => {
    const created = await create({
      parts: [
        { _type: 'quote', text: 'a' },
        { _key: 'mine', _type: 'quote', text: 'b' },
      ],
      links: [{ name: 'one' }],
      menu: { entries: [{ name: 'top', rows: [{ text: 'row' }, { text: 'row' }] }] },
      notes: [{ text: 'note' }],
    })
    const [generatedKey, sentKey] = keysOf(created)
    expect([generatedKey, sentKey]).toEqual([expect.stringMatching(/^[A-Za-z0-9_-]{1,64}$/), 'mine'])
    const [entry] = (created.menu as { entries: Item[] }).entries
    const keys = [
      ...keysOf(created, 'links'),
      entry?._key,
      ...keysOf(entry as Item, 'rows'),
      ...keysOf(created, 'notes'),
    ]
    expect(new Set(keys).size).toBe(5)
    expect(keys.every((key) => typeof key === 'string')).toBe(true)
    // A list of equal items without keys is unchanged.
    await save(created.id, {
      links: [{ name: 'one' }],
      menu: { entries: [{ name: 'top', rows: [{ text: 'row' }, { text: 'row' }] }] },
    })
    const { menu, links, notes } = await read(created.id)
    expect({ menu, links, notes }).toEqual({ menu: created.menu, links: created.links, notes: created.notes })
  })

  test('are rejected if two items of one list share them, or if they are invalid', async () => {
    const issues = (links: readonly object[]) =>
      create({ links }).catch(({ details }: { details: { issues: unknown } }) => details.issues)
    expect(await issues([{ _key: 'a' }, { _key: 'b' }, { _key: 'a' }])).toMatchObject([
      { path: '/links/2/_key', code: 'repeated_key' },
    ])
    expect(await issues([{ _key: 'a b' }])).toMatchObject([{ path: '/links/0/_key', code: 'pattern' }])
  })

  test('do not identify a block of another type', async () => {
    const { id, parts } = await create({ parts: [{ _key: 'k', _type: 'prose', text: 'words' }] })
    await save(id, { parts: [{ ...(parts as Item[])[0], text: 'Wörter' }] }, { locale: 'de' })
    const saved = await save(id, { parts: [{ _key: 'k', _type: 'quote', text: 'words' }] })
    expect(keysOf(saved)).not.toEqual(['k'])
    expect(await read(id, { locale: 'de' })).toMatchObject({ parts: [{ _type: 'quote', text: null }] })
  })

  test('are the same in the entry, its draft, each locale and each revision', async () => {
    const { id, parts } = await create({ status: 'draft', parts: [{ _type: 'prose', name: 'a', text: 'one' }] })
    const [first] = parts as Item[]
    const draft = await save(id, { parts: [{ _type: 'quote', text: 'new' }, first] }, { draft: true })
    const keys = keysOf(draft)
    await save(
      id,
      {
        parts: [
          { ...itemsOf(draft)[0], text: 'neu' },
          { ...first, text: 'eins' },
        ],
      },
      { draft: true, locale: 'de' },
    )
    await service.content.publish('pages', String(id))
    const published = await read(id, { locale: 'de' })
    expect([keysOf(published), itemsOf(published).map(({ text }) => text)]).toEqual([keys, ['neu', 'eins']])
    // A change of the entry is applied to its draft under the same keys.
    await save(id, { title: 'drafted' }, { draft: true })
    const changed = await save(id, { parts: [...itemsOf(await read(id)), { _type: 'quote', text: 'last' }] })
    expect(keysOf(await read(id, { draft: true }))).toEqual(keysOf(changed))
    expect(keysOf(await read(id, { locale: 'all' }))).toEqual(keysOf(changed))
  })

  /** Reads a list in a locale, edits it and saves it, and checks that each text still belongs to its item. */
  const applySaving = async (id: string, saving: Saving, names: { count: number }): Promise<void> => {
    const { field, locale, hasKeys, isDraft, edits } = saving
    const at = { locale, ...(isDraft ? { draft: true } : {}) }
    const currentItems = itemsOf(await read(id, at), field)
    const items = edits.reduce((list, edit) => applyEdit(list, edit, saving, names), currentItems)
    await save(id, { [field]: hasKeys ? items : items.map(({ _key, ...item }) => item) }, at)
    if (!isDraft) await service.content.publish('pages', id)
    const shown = itemsOf(await read(id, { locale: 'all', draft: true }), field)
    expect(shown.map(({ name }) => name)).toEqual(items.map(({ name }) => name))
    for (const item of shown) expectOwnTexts(item)
    const keys = new Set(shown.map(({ _key }) => _key))
    expect(keys.size).toBe(items.length)
    if (hasKeys) expect(items.filter(({ _key }) => _key !== undefined && !keys.has(_key))).toEqual([])
  }

  test('never attach a translation to another item', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(saving, { minLength: 1, maxLength: 5 }), async (savings) => {
        const { id } = await create({ status: 'draft' })
        const names = { count: 0 }
        for (const step of savings) await applySaving(String(id), step, names)
      }),
      { numRuns: 60, endOnFailure: true },
    )
  })
})

const WORDS = ['apple', 'fig', 'kiwi', 'pear', 'plum', 'lime'] as const
const edit = fc.record({
  op: fc.constantFrom('insert', 'insert', 'remove', 'move', 'edit', 'edit'),
  at: fc.nat({ max: 9 }),
  to: fc.nat({ max: 9 }),
  type: fc.constantFrom('prose', 'quote'),
  word: fc.nat({ max: WORDS.length - 1 }),
})
type Edit = typeof edit extends fc.Arbitrary<infer T> ? T : never
const saving = fc.record({
  field: fc.constantFrom('parts', 'links'),
  locale: fc.constantFrom<Locale>('en', 'de'),
  hasKeys: fc.boolean(),
  isDraft: fc.boolean(),
  edits: fc.array(edit, { maxLength: 4 }),
})

type Saving = typeof saving extends fc.Arbitrary<infer T> ? T : never

/** Returns a text that names its item and its locale. */
const textFor = ({ name, _type = 'link' }: Item, locale: Locale, word: number): string =>
  `${name} ${_type} ${locale} ${WORDS[word]}`

function applyEdit(
  items: readonly Item[],
  { op, at, to, type, word }: Edit,
  { field, locale }: Saving,
  names: { count: number },
): readonly Item[] {
  const index = at % Math.max(1, items.length)
  const place = to % Math.max(1, items.length)
  const item = items[index]
  if (op === 'insert') {
    names.count += 1
    const added = { ...(field === 'parts' ? { _type: type } : {}), name: `n${names.count}` }
    return items.toSpliced(index, 0, { ...added, text: textFor(added, locale, word) })
  }
  if (!item) return items
  if (op === 'remove') return items.toSpliced(index, 1)
  if (op === 'move') return items.toSpliced(index, 1).toSpliced(place, 0, item)
  return items.with(index, { ...item, text: textFor(item, locale, word) })
}

function expectOwnTexts({ _type, name, text }: Item): void {
  for (const [locale, value] of Object.entries(text as Record<Locale, string>)) {
    expect(value.split(' ').slice(0, 3)).toEqual([name, _type ?? 'link', locale])
  }
}
