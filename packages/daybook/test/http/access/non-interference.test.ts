import fc from 'fast-check'
import { describe, test, vi } from 'vitest'
import { sealed } from '../../support/configs/sealed.ts'
import { Pair, type PairRequest } from '../../support/stores/pair.ts'
import { POLICY_STORES, type StoreKind } from '../../support/stores/stores.ts'
import { body, label, record, secrets } from './support/sealed-values.ts'

vi.mock('uuid', async () => ({ v7: (await import('../../support/stores/fixed-ids.ts')).fixedId }))

const NOTES = 3
const MARKS = ['target0', 'target1', 'shut', 'gone'] as const

const vault = record({ name: fc.constantFrom('a', 'zebra'), ref: fc.constantFrom('{target0}', '{target1}', null) })
const world = record({
  notes: fc.array(secrets, { minLength: NOTES, maxLength: NOTES }),
  translations: fc.array(record({ sealedLabel: label, blindLabel: label, blindMust: fc.constantFrom('b', 'c') }), {
    minLength: NOTES,
    maxLength: NOTES,
  }),
  site: secrets,
  vault,
})
type World = typeof world extends fc.Arbitrary<infer T> ? T : never

const note = fc.nat({ max: NOTES - 1 })
const locale = fc.constantFrom('', '', '?locale=de', '?locale=fr')
/** A tag of an earlier response, or an unknown one. */
const tag = fc.constantFrom(undefined, undefined, 'kept', '"0.stale"', '*')

const operation = fc.oneof(
  record({ op: fc.constant('update' as const), note, data: body, tag }),
  record({ op: fc.constant('create' as const), data: body }),
  record({ op: fc.constant('delete' as const), mark: fc.constantFrom(...MARKS) }),
)
type Operation = typeof operation extends fc.Arbitrary<infer T> ? T : never

const READS = [
  '/api/notes?q=zebra',
  '/api/notes?q=zeb&limit=1',
  '/api/notes?sort=title,-updatedAt&limit=2',
  '/api/notes?where[title][contains]=a&depth=2',
  '/api/notes?where[link.name][exists]=true',
  '/api/notes?sort=blindText',
  '/api/notes?locale=de&fallbackLocale=none',
  '/api/notes?locale=all',
  '/api/targets/{target0}/references',
  '/api/globals/site',
] as const

const step = fc.oneof(
  { weight: 4, arbitrary: record({ kind: fc.constant('change' as const), note, data: body, locale, tag }) },
  { weight: 3, arbitrary: record({ kind: fc.constant('merge' as const), note, data: body, locale, tag }) },
  {
    weight: 2,
    arbitrary: record({ kind: fc.constant('make' as const), data: body, locale, key: fc.nat({ max: 2 }) }),
  },
  { weight: 2, arbitrary: record({ kind: fc.constant('site' as const), data: body, locale, tag }) },
  {
    weight: 4,
    arbitrary: record({
      kind: fc.constant('batch' as const),
      operations: fc.array(operation, { minLength: 1, maxLength: 4 }),
    }),
  },
  { weight: 2, arbitrary: record({ kind: fc.constant('read' as const), path: fc.constantFrom(...READS) }) },
  { weight: 1, arbitrary: record({ kind: fc.constant('look' as const), note }) },
)
/** A deletion comes last, because later responses may differ. */
type Step = (typeof step extends fc.Arbitrary<infer T> ? T : never) | { kind: 'end'; operations: readonly Operation[] }

const ANN = { Authorization: 'Bearer ann' } as const
const ADA = { Authorization: 'Bearer ada' } as const

/** `{tag0}` of a note, or `{tagSite}`, if the condition names a tag of an earlier response. */
const onCondition = (tag: string | undefined, of: string | number): Readonly<Record<string, string>> =>
  tag === undefined ? {} : { 'If-Match': tag === 'kept' ? `{tag${of}}` : tag }

function toOperation(operation: Operation): object {
  if (operation.op === 'create') return { op: 'create', collection: 'notes', data: operation.data }
  if (operation.op === 'delete') return { op: 'delete', collection: 'targets', id: `{${operation.mark}}` }
  const { note, data, tag } = operation
  const ifMatch = onCondition(tag, note)['If-Match']
  return { op: 'update', collection: 'notes', id: `{note${note}}`, data, ...(ifMatch === undefined ? {} : { ifMatch }) }
}

/** Fails the batch at its end. */
const FAILING = { op: 'delete', collection: 'targets', id: '{gone}' } as const

/**
 * Rolls back every batch with a deletion, because its effects on documents show in their tags.
 */
const toBatch = (operations: readonly Operation[]): object => {
  const isRolledBack = operations.some(({ op }) => op === 'delete')
  return { operations: [...operations.map(toOperation), ...(isRolledBack ? [FAILING] : [])] }
}

/** A batch that first deletes a target of hidden references. */
const toLastBatch = (operations: readonly Operation[]): object => {
  const writes = operations.filter(({ op }) => op !== 'delete').map(toOperation)
  return { operations: [{ op: 'delete', collection: 'targets', id: '{target1}' }, ...writes] }
}

/** Two services that differ only in hidden values. Ann's responses must be equal. */
class Worlds implements AsyncDisposable {
  readonly #pair: Pair
  #round = 0

  constructor(pair: Pair) {
    this.#pair = pair
  }

  static async open(store: StoreKind): Promise<Worlds> {
    return new Worlds(await Pair.open(sealed, [store, store]))
  }

  /** Creates documents in both, equal in all that Ann may see. */
  async fill(...worlds: readonly World[]): Promise<void> {
    this.#round += 1
    for (const name of MARKS) await this.#post('targets', () => ({ name, open: name !== 'shut' }), { [name]: '/id' })
    await this.#pair.each(() => ['/api/targets/{gone}', { method: 'DELETE', headers: ADA }])
    await this.#post('vaults', (side) => worlds[side]?.vault)
    for (let index = 0; index < NOTES; index++) {
      const title = `Round ${this.#round}`
      const keep = { [`note${index}`]: '/id', [`tag${index}`]: 'ETag' }
      await this.#post('notes', (side) => ({ title, link: '{target0}', ...worlds[side]?.notes[index] }), keep)
      const path = `/api/notes/{note${index}}?locale=de`
      await this.#put(path, (side) => worlds[side]?.translations[index] as object, { [`tag${index}`]: 'ETag' })
    }
    const title = `Site ${this.#round}`
    await this.#put('/api/globals/site', (side) => ({ title, ...worlds[side]?.site }), { tagSite: 'ETag' })
  }

  #post(collection: string, json: (side: number) => unknown, keep: KeptValues = {}): Promise<void> {
    return this.#pair.each((side) => [`/api/${collection}`, { method: 'POST', headers: ADA, json: json(side), keep }])
  }

  #put(path: string, json: (side: number) => object, keep: KeptValues): Promise<void> {
    return this.#pair.each((side) => [path, { method: 'PUT', headers: ADA, json: json(side), keep }])
  }

  async take(step: Step): Promise<void> {
    const [path, { headers, ...request }] = this.#toRequest(step)
    await this.#pair.same(path, { ...request, headers: { ...ANN, ...headers } })
  }

  #toRequest(step: Step): readonly [string, PairRequest] {
    if (step.kind === 'read') return [step.path, {}]
    if (step.kind === 'look') return [`/api/notes/{note${step.note}}`, { keep: { [`tag${step.note}`]: 'ETag' } }]
    if (step.kind === 'end') return ['/api/cms/batch', { method: 'POST', json: toLastBatch(step.operations) }]
    if (step.kind === 'batch') return ['/api/cms/batch', { method: 'POST', json: toBatch(step.operations) }]
    if (step.kind === 'make')
      return [`/api/notes${step.locale}`, { method: 'POST', json: step.data, headers: this.#once(step.key) }]
    const { kind, data: json, locale, tag } = step
    if (kind === 'site') {
      const headers = onCondition(tag, 'Site')
      return [`/api/globals/site${locale}`, { method: 'PUT', json, headers, keep: { tagSite: 'ETag' } }]
    }
    const headers = onCondition(tag, step.note)
    const common = { json, keep: { [`tag${step.note}`]: 'ETag' } }
    const path = `/api/notes/{note${step.note}}${locale}`
    if (kind === 'change') return [path, { ...common, method: 'PUT', headers }]
    return [
      path,
      { ...common, method: 'PATCH', headers: { 'Content-Type': 'application/merge-patch+json', ...headers } },
    ]
  }

  /** The idempotency keys of a few requests, which may be repeated. */
  #once(key: number): Readonly<Record<string, string>> {
    return key === 0 ? {} : { 'Idempotency-Key': `${this.#round}-${key}` }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pair[Symbol.asyncDispose]()
  }
}

type KeptValues = Readonly<Record<string, string>>

describe.each(POLICY_STORES)('two services that differ only in hidden values, on $name,', (store) => {
  test('return equal responses, byte for byte, to every write, batch, precondition and retry', {
    timeout: 300_000,
  }, async () => {
    await using worlds = await Worlds.open(store)
    await fc.assert(
      fc.asyncProperty(world, world, fc.array(step, { minLength: 10, maxLength: 25 }), async (left, right, steps) => {
        await worlds.fill(left, right)
        for (const each of steps) await worlds.take(each)
      }),
      { numRuns: 40, endOnFailure: true },
    )
  })

  test('return equal responses to deletions of targets of hidden references', { timeout: 300_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(world, world, fc.array(operation, { maxLength: 4 }), async (left, right, operations) => {
        await using worlds = await Worlds.open(store)
        await worlds.fill(left, right)
        await worlds.take({ kind: 'end', operations })
      }),
      { numRuns: 6, endOnFailure: true },
    )
  })
})
