import { type DaybookConfig, DaybookError, defineCollection, f, type Issue } from 'daybook'
import type { TestService } from 'daybook/testing'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { STORES } from '../support/stores/stores.ts'
import { upload } from '../support/uploads.ts'
import { FILE, type FieldCase, type FieldCases, ID, SHOUTED_ID } from './field-case.ts'
import { SCALAR_VALUES } from './scalar-values.ts'
import { STRUCTURE_VALUES } from './structure-values.ts'
import { TEXT_VALUES } from './text-values.ts'

/** Every builder with its valid and invalid values. A new type without cases does not compile. */
const FIELDS: FieldCases = { ...TEXT_VALUES, ...SCALAR_VALUES, ...STRUCTURE_VALUES }

/** Every case with the key of its collection. */
const CASES = Object.entries(FIELDS).flatMap(([type, cases]) =>
  cases.map((fieldCase, index) => ({ ...fieldCase, type, collection: `${type}${index}` })),
)

type Case = (typeof CASES)[number]

let service: TestService
let id: string
let file: string

function makeConfig(): DaybookConfig {
  const collections = CASES.map(({ collection, field }): [string, object] => [
    collection,
    defineCollection({ fields: { title: f.text(), field } }),
  ])
  const targets = defineCollection({ fields: { name: f.text() } })
  const namedEntries = defineCollection({ fields: { name: f.text() } })
  return { collections: { targets, others: namedEntries, ...Object.fromEntries(collections) } } as DaybookConfig
}

const created: (readonly [collection: string, id: string])[] = []

/** Replaces placeholders with the id of the target. */
function filled(value: unknown): unknown {
  if (value === ID) return id
  if (value === SHOUTED_ID) return id.toUpperCase()
  if (value === FILE) return file
  if (Array.isArray(value) && value.some((item) => filled(item) !== item)) return value.map(filled)
  const isReference = typeof value === 'object' && value !== null && 'collection' in value && 'id' in value
  return isReference ? { ...value, id: filled(value.id) } : value
}

async function create({ collection }: Case, data: object): Promise<Readonly<Record<string, unknown>>> {
  const entry = await service.content.create(collection, data as never)
  created.push([collection, String(entry.id)])
  return entry
}

async function read({ collection }: Case, entryId: unknown): Promise<Readonly<Record<string, unknown>> | null> {
  return service.content.get(collection, String(entryId))
}

async function issuesOf(write: Promise<unknown>): Promise<readonly Issue[]> {
  const error = await write.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (!(error instanceof DaybookError)) throw error ?? new Error('It was accepted.')
  expect(error.code).toBe('VALIDATION_ERROR')
  return error.details.issues ?? []
}

const total = async ({ collection }: Case): Promise<number> =>
  (await service.content.list(collection, { limit: 0 })).total

/** A copy without the random keys of items. */
function withoutKeys(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (name, member) => (name === '_key' ? undefined : member)))
}

function show(value: unknown): string {
  const text = JSON.stringify(value, (_, item) =>
    typeof item === 'number' && !Number.isFinite(item) ? String(item) : item,
  )
  return text.length > 60 ? `${text.slice(0, 50)}… (${text.length})` : text
}

test('every builder has cases', () => {
  expect(Object.keys(FIELDS).sort()).toEqual(Object.keys(f).sort())
})

describe.each(STORES)('on $name', (store) => {
  beforeAll(async () => {
    service = await store.open(makeConfig())
    id = String((await service.content.create('targets', {} as never)).id)
    file = (await upload(service)).id
  })
  afterAll(() => service.close())
  afterEach(async () => {
    for (const [collection, entry] of created.splice(0)) await service.content.delete(collection, entry)
  })

  describe.each(CASES)('$type: $name', (fieldCase) => {
    const accepts = fieldCase.accepts.map(([input, ...stored]) => ({
      input,
      stored: stored.length > 0 ? stored[0] : input,
    }))
    const refuses = fieldCase.refuses.map(([input, code, path = '']) => ({ input, code, path }))

    test.each(accepts.map((row) => [show(row.input), row] as const))('takes %s', async (_name, { input, stored }) => {
      const entry = await create(fieldCase, { field: filled(input) })
      expect(withoutKeys(entry.field)).toStrictEqual(filled(stored))
      expect(await read(fieldCase, entry.id)).toStrictEqual(entry)
    })

    test.each(accepts.map((row) => [show(row.input), row] as const))(
      'serves %s so that it can be written back',
      async (_name, { input }) => {
        const entry = await create(fieldCase, { field: filled(input), title: show(input).slice(0, 9) })
        const rewritten = await service.content.update(fieldCase.collection, String(entry.id), { ...entry } as never)
        expect(rewritten).toStrictEqual(entry)
      },
    )

    test.each(refuses.map((row) => [show(row.input), row] as const))(
      'refuses %s',
      async (_name, { input, code, path }) => {
        const before = await total(fieldCase)
        const issues = await issuesOf(create(fieldCase, { field: filled(input) }))
        const place = path === '*' ? expect.stringMatching(/^\/field\//) : `/field${path}`
        const rule = code === '*' ? expect.stringMatching(/\S/) : code
        const issue = { path: place, code: rule, message: expect.stringMatching(/\S/) }
        expect(issues).toContainEqual(expect.objectContaining(issue))
        expect(await total(fieldCase)).toBe(before)
      },
    )

    test('null empties it', () => expectEmpty(fieldCase, { field: null }, fieldCase.empty))

    test('is empty or has its default in a new entry without it', () =>
      expectEmpty(fieldCase, {}, 'unnamed' in fieldCase ? fieldCase.unnamed : fieldCase.empty))

    test('undefined counts as absent', async () => {
      const [first] = accepts
      if (!first) return
      const entry = await create(fieldCase, { field: filled(first.input) })
      const changed = await service.content.update(fieldCase.collection, String(entry.id), { title: 'B' } as never)
      expect({ ...changed, title: null, updatedAt: null }).toStrictEqual({ ...entry, title: null, updatedAt: null })
    })
  })
})

async function expectEmpty(fieldCase: Case, data: object, stored: FieldCase['empty']): Promise<void> {
  if (stored === 'refused') {
    const issues = await issuesOf(create(fieldCase, { title: 'The title', ...data }))
    expect(issues).toContainEqual(expect.objectContaining({ path: '/field' }))
    return
  }
  const entry = await create(fieldCase, { title: 'The title', ...data })
  expect(withoutKeys(entry.field)).toStrictEqual(stored ?? null)
  expect(await read(fieldCase, entry.id)).toStrictEqual(entry)
}
