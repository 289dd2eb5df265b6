import { f } from 'daybook'
import { beforeEach, describe, expect, test } from 'vitest'
import { fillStoredDocuments, findUnfilledFields } from '../../src/content/transfer/fill.ts'
import { findInvalidValues } from '../../src/content/transfer/invalid-values.ts'
import { dropOrphaned, migrateStoredDocuments } from '../../src/content/transfer/schema-migration.ts'
import { createContentAlignment } from '../../src/content/transfer/stored-content.ts'
import { compileModel } from '../../src/model/compile.ts'
import { withContentContext } from '../support/stores/migrating.ts'
import { create, type Place, update } from '../support/stores/place.ts'
import { STORES } from '../support/stores/stores.ts'

const people = (fields: object): object => ({ collections: { people: { fields } } })
const BEFORE = people({ name: f.text(), note: f.text({ maxLength: 300 }) })

let place: Place

/** Runs the fills of a config, and returns the numbers of filled values, such as `people.first 2`. */
async function fill(config: object, { signal } = new AbortController()): Promise<readonly string[]> {
  return withContentContext(place, config, async (context) => {
    const transact = context.store.transaction.bind(context.store)
    const { store, model } = context
    await store.prepare(model, createContentAlignment(model))
    const filled = await fillStoredDocuments(context, { transact: (work) => transact(work), signal })
    await migrateStoredDocuments(store, model)
    return filled.map(({ path, count }) => `${path} ${count}`)
  })
}

async function readInvalidValues(config: object): Promise<readonly string[]> {
  return withContentContext(place, config, async ({ store, model }) => {
    const lines: string[] = []
    for await (const { path, kind, id } of findInvalidValues(store.read, model)) lines.push(`${path} ${kind} ${id}`)
    return lines.toSorted()
  })
}

async function stored(config: object): Promise<readonly unknown[]> {
  const { items } = await place.serve(config, ({ content }) => content.list('people' as never, { sort: 'createdAt' }))
  return items
}

describe.each(STORES)('on $name', (store) => {
  let ids: readonly string[]

  beforeEach(async () => {
    place = await store.at()
    ids = await place.serve(BEFORE, async (service) => {
      const ada = await create(service, 'people', { name: 'Ada Lovelace', note: 'x'.repeat(200) })
      const alan = await create(service, 'people', { name: 'Alan Turing' })
      return [ada.id, alan.id]
    })
    return () => place[Symbol.asyncDispose]()
  })

  test('a function fills a newly required field and sees fields that the config no longer has', async () => {
    const after = people({
      first: f.text({ required: true, fill: (person) => String(person.name).split(' ')[0] }),
      last: f.text({ required: true, fill: async ({ name }) => String(name).split(' ')[1] }),
      note: f.text({ maxLength: 300 }),
    })
    expect(await fill(after)).toEqual(['people.first 2', 'people.last 2'])
    expect(await stored(after)).toMatchObject([
      { first: 'Ada', last: 'Lovelace' },
      { first: 'Alan', last: 'Turing' },
    ])
    expect(await place.rows("SELECT actor, action FROM daybook$journal WHERE actor <> 'system'")).toEqual([
      { actor: 'migrate', action: 'update' },
      { actor: 'migrate', action: 'update' },
    ])
    expect(await stored(BEFORE), 'nothing is lost').toMatchObject([{ name: 'Ada Lovelace' }, { name: 'Alan Turing' }])
    expect(await fill(after), 'what is filled stays').toEqual([])
    await withContentContext(place, after, ({ store: openStore, model }) => dropOrphaned(openStore, model))
    expect(await stored(BEFORE), 'until it is dropped').toMatchObject([{ name: null }, { name: null }])
  })

  test('a function that returns nothing leaves its entry unchanged', async () => {
    for (const nothing of [null, undefined, '', []]) {
      const after = people({ name: f.text(), note: f.text({ required: true, fill: () => nothing }) })
      expect(await fill(after)).toEqual([])
      expect(await readInvalidValues(after)).toEqual([`people.note fill ${ids[1]}`])
    }
  })

  test('an optional field is filled in entries older than the field, but not if an editor emptied it', async () => {
    const after = people({ name: f.text(), note: f.text(), kind: f.text({ fill: 'person' }) })
    expect(await readInvalidValues(after)).toEqual(ids.map((id) => `people.kind fill ${id}`).toSorted())
    expect(await fill(after)).toEqual(['people.kind 2'])
    expect(await readInvalidValues(after)).toEqual([])
    await place.serve(after, ({ content }) => content.update('people' as never, ids[0] ?? '', { kind: null } as never))
    expect(await fill(after)).toEqual([])
    expect(await stored(after)).toMatchObject([{ kind: null }, { kind: 'person' }])
  })

  test('values generated from a filled value are generated along with it', async () => {
    const after = people({ name: f.text(), body: f.markdown({ required: true, fill: ({ name }) => `# ${name}` }) })
    expect(await fill(after)).toEqual(['people.body 2'])
    expect(await stored(after)).toMatchObject([{ body: '# Ada Lovelace', bodyHtml: '# Ada Lovelace' }, {}])
  })

  test('a renamed field moves and counts as filled', async () => {
    const after = people({ label: f.text({ required: true, renamedFrom: 'name', fill: 'none' }) })
    expect(await fill(after)).toEqual([])
    expect(await stored(after)).toMatchObject([{ label: 'Ada Lovelace' }, { label: 'Alan Turing' }])
  })

  test('globals are filled, too', async () => {
    const site = (fields: object): object => ({ ...BEFORE, globals: { site: { fields } } })
    const before = site({ name: f.text() })
    await place.serve(before, ({ content }) => content.writeGlobal('site' as never, { name: 'S' } as never))
    const after = site({ name: f.text(), url: f.text({ required: true, fill: '/' }) })
    expect(await readInvalidValues(after)).toEqual(['site.url fill site'])
    expect(await fill(after)).toEqual(['site.url 1'])
    expect(await readInvalidValues(after)).toEqual([])
  })

  test('invalid values are found, by field and kind', async () => {
    const after = people({
      name: f.text({ required: true, pattern: '^A' }),
      note: f.text({ required: true, maxLength: 100 }),
    })
    expect(await readInvalidValues(after)).toEqual(
      [`people.note maxLength ${ids[0]}`, `people.note required ${ids[1]}`].toSorted(),
    )
  })

  test('required fields without a value are found until they are filled', async () => {
    const after = people({ name: f.text(), note: f.text({ required: true, fill: 'none' }) })
    const lacking = (): Promise<readonly string[]> =>
      withContentContext(place, after, (context) => findUnfilledFields(context.store, context.model))
    expect(await lacking()).toEqual(['people.note'])
    expect(await fill(after)).toEqual(['people.note 1'])
    expect(await lacking()).toEqual([])
    expect(await lacking()).toEqual([])
  })

  test.each([
    [
      'throws',
      () => {
        throw new Error('no idea')
      },
      /^The fill of people\.kind failed for [0-9a-f-]{36}: no idea$/,
    ],
    ['returns another type', () => 7, /^A fill of people returned an invalid value for [0-9a-f-]{36}\. kind must be/],
    [
      'returns a value that cannot be stored',
      () => Symbol('x'),
      /^The fill of people\.kind failed for [0-9a-f-]{36}: The value is Symbol\(x\), which JSON cannot represent$/,
    ],
  ])('a fill that %s is named and stores nothing', async (_, broken, message) => {
    const after = people({ name: f.text(), note: f.text(), kind: f.text({ required: true, fill: broken }) })
    await expect(fill(after)).rejects.toThrow(message)
    expect(await place.rows("SELECT actor FROM daybook$journal WHERE actor = 'migrate'")).toEqual([])
  })

  test('a fill may not return the same unique value twice', async () => {
    const after = people({ name: f.text(), note: f.text(), kind: f.text({ unique: true, fill: () => 'same' }) })
    await place.serve(after, async () => {})
    await expect(fill(after)).rejects.toThrow(
      /an invalid value for .*The value of kind is already used by another entry/,
    )
  })

  test('a fill that never returns can be aborted', async () => {
    const controller = new AbortController()
    const endless = (): Promise<never> => {
      controller.abort()
      return new Promise(() => {})
    }
    const after = people({ name: f.text(), note: f.text({ required: true, fill: endless }) })
    await expect(fill(after, controller)).rejects.toThrow('aborted')
  })

  test('a fill may only refer to existing entries', async () => {
    const withBoss = (boss: unknown): object =>
      people({ name: f.text(), note: f.text(), boss: f.relation('people', { fill: boss as never }) })
    const nobody = '01a20593-14c9-70ae-9763-be46028ad4ea'
    await expect(fill(withBoss(nobody))).rejects.toThrow(
      `boss refers to the entry ${nobody} of people, which does not exist`,
    )
    expect(await fill(withBoss(ids[0]))).toEqual(['people.boss 2'])
    expect(await readInvalidValues(withBoss(ids[0]))).toEqual([])
  })

  test('references to a collection that a field no longer names are found and stay', async () => {
    const pets = (to: string, more: object = {}): object => ({
      collections: {
        ...more,
        people: { fields: { name: f.text() } },
        pets: { fields: { name: f.text(), of: f.relation(to) } },
      },
    })
    const before = pets('people')
    const pet = await place.serve(before, (service) => create(service, 'pets', { name: 'Rex', of: ids[0] }))
    expect(await readInvalidValues(before)).toEqual([])
    const after = pets('owners', { owners: { fields: { name: f.text() } } })
    expect(await readInvalidValues(after)).toEqual([`pets.of reference owners ${pet.id}`])
    await place.serve(after, async (service) => {
      const changed = await update(service, 'pets', pet.id, { name: 'Max' })
      expect(changed).toMatchObject({ name: 'Max', of: ids[0] })
    })
    expect(await readInvalidValues(before), 'nothing is lost').toEqual([])
  })
})

test('the config rejects fills that can never be valid', () => {
  const fields = {
    title: f.text({ maxLength: 3, fill: 'long' }),
    seo: f.group({ name: f.text({ fill: 'x' }) }),
    slug: f.slug({ fill: 'x' }),
    text: f.text({ fill: null as never }),
    code: f.text({ unique: true, fill: 'same' }),
  }
  expect(() => compileModel({ collections: { notes: { fields } } })).toThrow(
    expect.objectContaining({
      faults: expect.arrayContaining(
        ['title', 'seo.name', 'slug', 'text', 'code'].map((key) =>
          expect.objectContaining({ path: expect.stringMatching(new RegExp(`${key.replace('.', '\\..*')}\\.fill$`)) }),
        ),
      ),
    }),
  )
})
