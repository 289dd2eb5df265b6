import { type AccessWhere, defineCollection, defineConfig, f } from 'daybook'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compileModel } from '../../src/model/compile.ts'
import type { CollectionModel } from '../../src/model/model.ts'
import { listOperatorsAt } from '../../src/query/where.ts'
import { parseBody, sendRequest } from '../support/scenarios/client.ts'
import { STORES } from '../support/stores/stores.ts'
import { LARGE_TEST_MS } from '../support/timeouts.ts'

/** The filter of the read rule, in addition to the one that hides entries with `gone`. */
const rule: { where: AccessWhere | true } = { where: true }
const SHOWN = { gone: { exists: false } }

const config = defineConfig({
  collections: {
    things: defineCollection({
      access: {
        read: ({ identity }) =>
          identity !== null || (rule.where === true ? SHOWN : ({ and: [SHOWN, rule.where] } as AccessWhere)),
      },
      fields: {
        text: f.text(),
        count: f.integer(),
        part: f.number(),
        flag: f.boolean(),
        day: f.date(),
        kind: f.select({ options: ['a', 'b'] }),
        kinds: f.select({ options: ['a', 'b', 'c'], many: true }),
        words: f.list(f.text()),
        group: f.group({ text: f.text() }),
        one: f.relation('targets'),
        many: f.relation('targets', { many: true }),
        gone: f.text(),
      },
    }),
    targets: defineCollection({ fields: { text: f.text(), kinds: f.select({ options: ['a', 'b'], many: true }) } }),
  },
})

const TEXTS = ['', 'a', 'B', 'äb', 'ab', 'ｚ', '😀', 'Ω', 'a\u0301b']
const text = fc.constantFrom(...TEXTS)
const orNull = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(value, { freq: 4 })
const number = fc.constantFrom(-1, 0, 0.5, 1, 2, 2 ** 53 - 1)
const day = fc.constantFrom('2026-01-01', '2026-01-02', '2027-01-01')
const at = fc.nat({ max: 3 })
const thing = fc.record({
  text: orNull(text),
  count: orNull(fc.constantFrom(-1, 0, 1, 2)),
  part: orNull(number),
  flag: orNull(fc.boolean()),
  day: orNull(day),
  kind: orNull(fc.constantFrom('a', 'b')),
  kinds: fc.subarray(['a', 'b', 'c']),
  words: fc.array(fc.constantFrom('a', 'b'), { maxLength: 3 }),
  group: orNull(fc.record({ text: orNull(text) })),
  one: orNull(at),
  many: fc.uniqueArray(at, { maxLength: 3 }),
})
type Thing = typeof thing extends fc.Arbitrary<infer T> ? T : never
const target = fc.record({ text: orNull(text), kinds: fc.subarray(['a', 'b']) })

const model = compileModel(config)

/** A filter on a field of a collection, with any operator of the field. */
function conditionOn(collection: CollectionModel, path: string, value: fc.Arbitrary<unknown>): fc.Arbitrary<object> {
  const conditions = listOperatorsAt(collection, path).map(({ name, operator }) => {
    const values = fc.array(value, { minLength: operator.requiresValues ? 1 : 0, maxLength: 3 })
    const operands = { value, text: value, values, presence: fc.boolean() }
    return fc.record({ [name]: operands[operator.operand] })
  })
  return fc.oneof(...conditions)
}

const nonEmpty = text.filter((value) => value !== '')
const kinds = fc.constantFrom('a', 'b')
const THING_VALUES = {
  text: nonEmpty,
  'group.text': nonEmpty,
  count: fc.constantFrom(-1, 0, 1, 2),
  part: number,
  flag: fc.boolean(),
  day,
  kind: kinds,
  kinds,
  words: kinds,
}
const TARGET_VALUES = { text: nonEmpty, kinds }
const { things, targets } = Object.fromEntries(model.collections) as Record<'things' | 'targets', CollectionModel>
const leaf = fc.oneof(
  ...Object.entries(THING_VALUES).map(([path, value]) =>
    conditionOn(things, path, value).map((condition) => ({ [path]: condition })),
  ),
  ...Object.entries(TARGET_VALUES).flatMap(([path, value]) =>
    ['one', 'many'].map((relation) =>
      conditionOn(targets, path, value).map((condition) => ({ [`${relation}.${path}`]: condition })),
    ),
  ),
  ...['one', 'many'].map((relation) => fc.boolean().map((exists) => ({ [relation]: { exists } }))),
)
const where: fc.Arbitrary<object> = fc.oneof(
  { weight: 4, arbitrary: leaf },
  { weight: 1, arbitrary: leaf.map((filter) => ({ not: filter })) },
  { weight: 1, arbitrary: fc.tuple(leaf, leaf).map((both) => ({ or: both })) },
  { weight: 1, arbitrary: fc.tuple(leaf, leaf).map((both) => ({ not: { and: both } })) },
)

describe.each(STORES)('a rule evaluated on former states on $name', (store) => {
  test('matches exactly the entries that the database matched, which are deleted from a copy', {
    timeout: LARGE_TEST_MS,
  }, async () => {
    await using service = await store.open(config)
    const create = async (collection: string, json: object): Promise<string> => {
      const response = await sendRequest(service, `/api/${collection}`, { method: 'POST', json })
      expect(response.status, response.text).toBe(201)
      return String(parseBody(response).id)
    }
    const readChanges = async (
      query: string,
    ): Promise<{
      readonly items: readonly { readonly action: string; readonly id: string }[]
      readonly next: string
    }> => parseBody(await sendRequest(service, `/api/cms/changes?collections=things&limit=1000${query}`)) as never
    const property = fc.asyncProperty(
      fc.array(target, { minLength: 4, maxLength: 4 }),
      fc.array(thing, { minLength: 3, maxLength: 8 }),
      where,
      async (targets, things, condition) => {
        rule.where = true
        const ids: string[] = []
        for (const target of targets) ids.push(await create('targets', target))
        const bodyOfThing = ({ one: target, many, ...rest }: Thing): object => ({
          ...rest,
          one: target === null ? null : ids[target],
          many: many.map((index) => ids[index]),
        })
        const thingIds: string[] = []
        for (const thing of things) thingIds.push(await create('things', bodyOfThing(thing)))
        rule.where = condition as AccessWhere
        const first = await readChanges('')
        const seen = first.items.map(({ id }) => id)
        // Hides every entry; the former states still refer to the targets.
        for (const id of thingIds)
          await sendRequest(service, `/api/things/${id}`, { method: 'PUT', json: { gone: 'x', one: null, many: [] } })
        const second = await readChanges(`&since=${first.next}`)
        expect(second.items.map(({ action }) => action)).toEqual(seen.map(() => 'delete'))
        expect(second.items.map(({ id }) => id).sort()).toEqual(seen.toSorted())
      },
    )
    await fc.assert(property, { numRuns: Number(process.env.DAYBOOK_FEED_RUNS ?? 60), endOnFailure: true })
  })
})
