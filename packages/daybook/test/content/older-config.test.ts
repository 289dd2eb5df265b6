import { ANONYMOUS, f, type Service } from 'daybook'
import { beforeEach, describe, expect, test } from 'vitest'
import { SILENT } from '../../src/log.ts'
import { create, type Document, type Place, read, update } from '../support/stores/place.ts'
import { STORES } from '../support/stores/stores.ts'

const title = f.text({ required: true })
const posts = (fields: object): object => ({ collections: { posts: { fields } } })

let place: Place

/** Writes an entry with one config, and reads it with the next. */
async function readLater(before: object, data: object, after: object): Promise<Document> {
  const { id } = await place.serve(posts(before), (service) => create(service, 'posts', data))
  return place.serve(posts(after), async (service) => {
    const entry = await read(service, 'posts', id)
    const { items } = await service.content.list('posts')
    expect(items, 'the list says what the entry says').toEqual([entry])
    if (!entry) throw new Error('It is gone.')
    const again = await update(service, 'posts', id, { ...entry, title: 'rewritten' })
    expect({ ...again, title: entry.title, updatedAt: entry.updatedAt }, 'what was read can be written back').toEqual(
      entry,
    )
    return entry
  })
}

describe.each(STORES)('on $name', (store) => {
  beforeEach(async () => {
    place = await store.at()
    return () => place[Symbol.asyncDispose]()
  })

  describe('a document of an older config', () => {
    test('is served with the keys of the current config, in its order', async () => {
      const entry = await readLater(
        { title, b: f.text(), a: f.text(), old: f.text() },
        { title: 'T', a: 'A', b: 'B', old: 'O' },
        { a: f.text(), body: f.markdown(), title, b: f.text() },
      )
      expect(Object.keys(entry)).toEqual([
        'id',
        'a',
        'body',
        'bodyHtml',
        'title',
        'b',
        'createdAt',
        'updatedAt',
        'createdBy',
        'updatedBy',
      ])
      expect(entry).toMatchObject({ title: 'T', a: 'A', b: 'B', body: null, bodyHtml: null })
    })

    test('has the positions of items without keys as their keys, which its next write stores', async () => {
      const parts = f.blocks({ quote: { words: f.text({ localized: true }) } })
      const config = { ...posts({ title, parts }), locales: { default: 'en', available: ['en', 'de'] } }
      const quote = (_key: string, words: string): object => ({ _key, _type: 'quote', words })
      const { id } = await place.serve(config, async (service) => {
        const post = await create(service, 'posts', { title: 'T', parts: [quote('a', 'one'), quote('b', 'two')] })
        const german = { parts: [quote('a', 'eins'), quote('b', 'zwei')] }
        await service.content.update('posts', post.id, german, { locale: 'de' })
        return post
      })
      for (const table of ['posts', 'posts$de'])
        await place.exec(
          `UPDATE "${table}" SET schema_hash = 'older', doc = replace(replace(doc, '"_key":"a",', ''), '"_key":"b",', '')`,
        )
      await place.exec(`UPDATE "posts" SET locales = replace(replace(locales, '/a/', '/0/'), '/b/', '/1/')`)
      await place.serve(config, async (service) => {
        const inGerman = (): Promise<unknown> => service.content.get('posts', id, { locale: 'de' })
        expect(await inGerman()).toMatchObject({ parts: [quote('0', 'eins'), quote('1', 'zwei')] })
        const moved = [quote('1', 'two'), { _type: 'quote', words: 'new' }, quote('0', 'first')]
        expect(await update(service, 'posts', id, { parts: moved })).toMatchObject({ parts: moved })
        expect(await inGerman()).toMatchObject({ parts: [quote('1', 'zwei'), { words: null }, quote('0', 'eins')] })
      })
    })

    test('is served with the empty value of each new field', async () => {
      const entry = await readLater(
        { title },
        { title: 'T' },
        {
          title,
          text: f.text({ default: 'for new ones' }),
          list: f.list(f.text()),
          blocks: f.blocks({ a: { b: f.text() } }),
          many: f.select({ options: ['a'], many: true }),
          friends: f.relation('posts', { many: true }),
          group: f.group({ a: f.text() }),
          state: f.status(),
        },
      )
      expect(entry).toMatchObject({
        text: null,
        list: [],
        blocks: [],
        many: [],
        friends: [],
        group: null,
        state: 'published',
      })
    })

    test('is served with the empty values of new fields inside a group', async () => {
      const entry = await readLater(
        { title, seo: f.group({ a: f.text(), old: f.text() }) },
        { title: 'T', seo: { a: 'A', old: 'O' } },
        { title, seo: f.group({ tags: f.list(f.text()), a: f.text() }) },
      )
      expect(entry.seo).toEqual({ tags: [], a: 'A' })
    })

    test('keeps the value of a removed field inside a group over later writes', async () => {
      const whole = posts({
        title,
        seo: f.group({ a: f.text(), old: f.text(), in: f.group({ b: f.text(), old: f.text() }) }),
      })
      const part = posts({ title, seo: f.group({ a: f.text(), in: f.group({ b: f.text() }) }) })
      const seo = { a: 'A', old: 'O', in: { b: 'B', old: 'P' } }
      const { id } = await place.serve(whole, (service) => create(service, 'posts', { title: 'T', seo }))
      for (const a of ['second', 'third', null]) {
        await place.serve(part, (service) => update(service, 'posts', id, { seo: { a, in: { b: a } } }))
      }
      const back = await place.serve(whole, (service) => read(service, 'posts', id))
      expect(back?.seo).toEqual({ a: null, old: 'O', in: { b: null, old: 'P' } })
    })

    type Change = readonly [what: string, before: object, value: unknown, after: object, served: unknown]
    const CHANGES: readonly Change[] = [
      ['text to number', f.text(), '5', f.number(), null],
      ['number to text', f.number(), 5, f.text(), null],
      ['number to integer, half', f.number(), 0.5, f.integer(), null],
      ['number to integer, whole', f.number(), 5, f.integer(), 5],
      ['text to boolean', f.text(), 'true', f.boolean(), null],
      ['text to Markdown', f.text(), '*a*', f.markdown({ html: false }), '*a*'],
      ['Markdown to text', f.markdown(), '*a*', f.text(), '*a*'],
      ['text to date, a day', f.text(), '2026-11-20', f.date(), '2026-11-20'],
      ['text to date, no day', f.text(), 'soon', f.date(), null],
      ['text to datetime, no moment', f.text(), 'soon', f.datetime(), null],
      ['text to email, no address', f.text(), 'ines', f.email(), null],
      ['text to url, a script', f.text(), 'javascript:alert(1)', f.url(), null],
      ['text to relation, no id', f.text(), 'ines', f.relation('posts'), null],
      ['text to select, one of them', f.text(), 'a', f.select({ options: ['a'] }), 'a'],
      ['text to select, none of them', f.text(), 'b', f.select({ options: ['a'] }), null],
      ['one to many', f.select({ options: ['a'] }), 'a', f.select({ options: ['a'], many: true }), []],
      ['many to one', f.select({ options: ['a'], many: true }), ['a'], f.select({ options: ['a'] }), null],
      ['an option that went', f.select({ options: ['a', 'b'] }), 'b', f.select({ options: ['a'] }), null],
      ['text to list', f.text(), 'a', f.list(f.text()), []],
      ['list to text', f.list(f.text()), ['a'], f.text(), null],
      ['a list of numbers to one of texts', f.list(f.number()), [1, 2], f.list(f.text()), []],
      [
        'a list of choices, one of which went',
        f.list(f.select({ options: ['a', 'b'] })),
        ['b', 'a'],
        f.list(f.select({ options: ['a'] })),
        [],
      ],
      ['text to group', f.text(), 'a', f.group({ a: f.text() }), null],
      ['group to text', f.group({ a: f.text() }), { a: 'A' }, f.text(), null],
      ['JSON to group', f.json(), { a: 'A', b: 1 }, f.group({ a: f.text() }), { a: 'A' }],
      [
        'blocks of which one kind went',
        f.blocks({ a: { x: f.text() }, b: { x: f.text() } }),
        [{ _type: 'b', x: '1' }],
        f.blocks({ a: { x: f.text() } }),
        [],
      ],
    ]

    test.each(CHANGES)('whose field went from %s', async (_what, before, value, after, served) => {
      const entry = await readLater({ title, field: before }, { title: 'T', field: value }, { title, field: after })
      expect(entry.field).toEqual(served)
    })

    test('gets the HTML of a text that became Markdown when the text is next written', async () => {
      const { id } = await place.serve(posts({ title, body: f.markdown({ html: false }) }), (service) =>
        create(service, 'posts', { title: 'T', body: '*a*' }),
      )
      await place.serve(posts({ title, body: f.markdown() }), async (service) => {
        expect(await update(service, 'posts', id, { body: '*a*' })).toMatchObject({ bodyHtml: '<p><em>a</em></p>' })
      })
    })

    test('can be sorted by a new field', async () => {
      await place.serve(posts({ title }), (service) => create(service, 'posts', { title: 'old' }))
      await place.serve(posts({ title, rank: f.integer() }), async (service) => {
        await create(service, 'posts', { title: 'new', rank: 1 })
        const { items } = await service.content.as(ANONYMOUS).list('posts', { sort: 'rank' })
        expect(items.map((item) => (item as unknown as Document).title)).toEqual(['old', 'new'])
      })
    })
  })

  describe('a changed field', () => {
    const title = f.text({ required: true })
    const BEFORE = {
      title,
      color: f.select({ options: ['red', 'blue'], counted: true }),
      colors: f.select({ options: ['red', 'blue'], many: true }),
      size: f.integer(),
      code: f.text(),
      flag: f.text(),
      seo: f.group({ rank: f.text() }),
    }
    const AFTER = {
      title,
      color: f.select({ options: ['red'], counted: true }),
      colors: f.select({ options: ['red'], many: true }),
      size: f.text(),
      code: f.integer(),
      flag: f.boolean(),
      seo: f.group({ rank: f.integer() }),
    }
    const FIELDS = ['color', 'colors', 'size', 'code', 'flag', 'seo.rank']

    interface Listed {
      readonly items: readonly Document[]
      readonly total: number
      readonly aggregates?: Readonly<Record<string, readonly { value: unknown; count: number }[]>>
    }

    const shownAt = (item: Document, path: string): unknown =>
      path.split('.').reduce<unknown>((value, key) => (value as Document | null)?.[key], item) ?? null

    /** Compares the results of filters, aggregates, sorts and searches with the values that reads return. */
    async function expectAgreement(service: Service): Promise<readonly Document[]> {
      const list = async (query: string): Promise<Listed> => {
        const response = await service.fetch(new Request(`http://localhost/api/posts?${query}`))
        expect(response.status, query).toBe(200)
        return (await response.json()) as Listed
      }
      const { items } = await list('sort=title')
      for (const path of FIELDS) {
        const shown = items.map((item) => shownAt(item, path))
        const filled = shown.filter((value) => value !== null && !(Array.isArray(value) && value.length === 0))
        const matches = await list(`limit=0&where[${path}][exists]=true`)
        expect(matches.total, `${path} exists`).toBe(filled.length)
        const { aggregates } = await list(`limit=0&aggregate=count:${path}`)
        const counted = (aggregates?.[`count:${path}`] ?? []).filter(({ value }) => value !== null)
        expect(new Set(counted.map(({ value }) => value)), `${path} counted`).toEqual(new Set(filled.flat()))
        if (path === 'colors') continue
        const sorted = await list(`sort=${path},title`)
        const empty = items.filter((item) => shownAt(item, path) === null).map(({ id }) => id)
        expect(
          sorted.items.slice(0, empty.length).map(({ id }) => id),
          `${path} sorted`,
        ).toEqual(empty)
      }
      for (const word of ['findable', 'hiddenword']) {
        const words = items.filter((item) => JSON.stringify(item).includes(word)).map(({ id }) => id)
        expect(
          (await list(`q=${word}&sort=title`)).items.map(({ id }) => id),
          word,
        ).toEqual(words)
      }
      return items
    }

    test('is filtered and searched by the values that are read, at every start until it changes back', async () => {
      const first = {
        title: 'One findable',
        color: 'blue',
        colors: ['red', 'blue'],
        size: 5,
        code: 'hiddenword',
        flag: 'true',
        seo: { rank: 'top' },
      }
      await place.serve(posts(BEFORE), async (service) => {
        await create(service, 'posts', first)
        await create(service, 'posts', { title: 'Two findable', color: 'red', colors: ['red'] })
        expect((await expectAgreement(service))[0]).toMatchObject(first)
      })
      const state = (): Promise<readonly object[]> =>
        place.rows(
          'SELECT posts.seq, posts.updated_at, head.seq AS last FROM posts CROSS JOIN daybook$head AS head ORDER BY 1',
        )
      const before = await state()
      for (let start = 0; start < 2; start += 1)
        await place.serve(posts(AFTER), async (service) => {
          const [first, second] = await expectAgreement(service)
          expect(first).toMatchObject({
            color: null,
            colors: [],
            size: null,
            code: null,
            flag: null,
            seo: { rank: null },
          })
          expect(second).toMatchObject({ color: 'red', colors: ['red'] })
        })
      expect(await state(), 'that is no change of content').toEqual(before)
      await place.serve(posts(BEFORE), async (service) =>
        expect((await expectAgreement(service))[0]).toMatchObject(first),
      )
    })

    test('is logged at each start while it hides values, with the command that lists them', async () => {
      const warnings = async (fields: object): Promise<readonly unknown[]> => {
        const logged: unknown[] = []
        const log = { ...SILENT, warn: (details: object, message: string) => void logged.push({ ...details, message }) }
        const service = await place.open(posts(fields) as never, { log })
        await service.close()
        return logged.filter((line) => JSON.stringify(line).includes('are hidden'))
      }
      const { id } = await place.serve(posts(BEFORE), (service) =>
        create(service, 'posts', { title: 'T', color: 'blue' }),
      )
      const warning = { fields: ['posts.color'], message: expect.stringContaining('daybook migrate') }
      expect(await warnings(AFTER)).toEqual([warning])
      expect(await warnings(AFTER)).toEqual([warning])
      await place.serve(posts(AFTER), (service) => update(service, 'posts', id, { color: 'red' }))
      expect(await warnings(AFTER)).toEqual([])
    })

    test('keeps the hidden values in the versions of the entry', async () => {
      const { id } = await place.serve(posts(BEFORE), (service) =>
        create(service, 'posts', { title: 'T', color: 'blue' }),
      )
      await place.serve(posts(AFTER), (service) => update(service, 'posts', id, { color: 'red' }))
      const [version] = await place.rows<{ doc: string }>('SELECT doc FROM daybook$journal_payload')
      expect(String(version?.doc)).toContain('"blue"')
    })
  })

  describe('orphaned values', () => {
    const orphaned = async (): Promise<unknown> =>
      JSON.parse(String((await place.rows<{ orphaned: string }>('SELECT orphaned FROM posts'))[0]?.orphaned))

    /** Creates an entry with one config, and changes its title with the next. */
    async function writeLater(before: object, data: object, ...later: readonly object[]): Promise<void> {
      const { id } = await place.serve(posts(before), (service) => create(service, 'posts', data))
      for (const [index, after] of later.entries()) {
        await place.serve(posts(after), (service) => update(service, 'posts', id, { title: `changed ${index}` }))
      }
    }

    test('are served again if their field returns before a write', async () => {
      const { id } = await place.serve(posts({ title, old: f.text() }), (service) =>
        create(service, 'posts', { title: 'T', old: 'O' }),
      )
      await place.start(posts({ title }))
      await place.serve(posts({ title, old: f.text() }), async (service) => {
        expect(await read(service, 'posts', id)).toMatchObject({ old: 'O' })
      })
    })

    test('are kept by a write', async () => {
      await writeLater({ title, old: f.text(), body: f.markdown() }, { title: 'T', old: 'O', body: 'B' }, { title })
      expect(await orphaned()).toMatchObject({ old: 'O', body: 'B' })
      const [row] = await place.rows<{ doc: string }>('SELECT doc FROM posts')
      expect(JSON.parse(String(row?.doc))).not.toHaveProperty('old')
    })

    test('are kept by every later write', async () => {
      await writeLater(
        { title, a: f.text(), b: f.text() },
        { title: 'T', a: 'A', b: 'B' },
        { title, b: f.text() },
        { title },
        { title },
      )
      expect(await orphaned()).toEqual({ a: 'A', b: 'B' })
    })

    test('are kept if their field has another type', async () => {
      await writeLater({ title, old: f.number() }, { title: 'T', old: 5 }, { title, old: f.text() })
      expect(await orphaned()).toEqual({ old: 5 })
    })

    test('are kept inside a group', async () => {
      await writeLater(
        { title, seo: f.group({ a: f.text(), old: f.text() }) },
        { title: 'T', seo: { a: 'A', old: 'O' } },
        { title, seo: f.group({ a: f.text() }) },
      )
      expect(JSON.stringify(await orphaned())).toContain('"old":"O"')
    })

    test('are served again if their options, types or blocks return after other fields were written', async () => {
      const whole = {
        title,
        colors: f.select({ options: ['red', 'blue'], many: true }),
        size: f.integer(),
        parts: f.blocks({ a: { x: f.text() }, b: { x: f.text() } }),
        items: f.list(f.group({ a: f.text(), color: f.select({ options: ['red', 'blue'] }), gone: f.text() })),
        seo: f.group({ a: f.text(), color: f.select({ options: ['red', 'blue'] }) }),
      }
      const part = {
        title,
        colors: f.select({ options: ['red'], many: true }),
        size: f.text(),
        parts: f.blocks({ a: { x: f.text() } }),
        items: f.list(f.group({ a: f.text(), color: f.select({ options: ['red'] }) })),
        seo: f.group({ a: f.text(), color: f.select({ options: ['red'] }) }),
      }
      const data = {
        colors: ['red', 'blue'],
        size: 5,
        parts: [
          { _type: 'a', x: '1' },
          { _type: 'b', x: '2' },
        ],
        items: [
          { a: 'A', color: 'red', gone: 'G' },
          { a: 'B', color: 'blue', gone: null },
        ],
        seo: { a: 'A', color: 'blue' },
      }
      const { id } = await place.serve(posts(whole), (service) => create(service, 'posts', { title: 'T', ...data }))
      for (const text of ['first', 'second'])
        await place.serve(posts(part), async (service) => {
          expect(await update(service, 'posts', id, { title: text })).toMatchObject({
            colors: [],
            size: null,
            parts: [],
            items: [
              { a: 'A', color: 'red' },
              { a: 'B', color: null },
            ],
            seo: { a: 'A', color: null },
          })
        })
      await place.serve(posts(whole), async (service) =>
        expect(await read(service, 'posts', id)).toMatchObject({ title: 'second', ...data }),
      )
      await place.serve(posts(part), (service) => update(service, 'posts', id, { items: [], parts: [{ _type: 'a' }] }))
      await place.serve(posts(whole), async (service) =>
        expect(await read(service, 'posts', id), 'what was changed meanwhile stays changed').toMatchObject({
          ...data,
          items: [],
          parts: [{ _type: 'a', x: null }],
        }),
      )
    })

    test('are kept for a global, too', async () => {
      const site = (fields: object): object => ({ ...posts({ title }), globals: { site: { fields } } })
      await place.serve(site({ title, old: f.text() }), ({ content }) =>
        content.writeGlobal('site' as never, { title: 'T', old: 'O' } as never),
      )
      await place.serve(site({ title, news: f.list(f.text()) }), async ({ content }) => {
        expect(await content.as(ANONYMOUS).readGlobal('site' as never)).toEqual({ key: 'site', title: 'T', news: [] })
        await content.writeGlobal('site' as never, { title: 'U' } as never)
      })
      expect(await place.rows('SELECT orphaned FROM daybook$globals')).toEqual([{ orphaned: '{"old":"O"}' }])
    })
  })
})
