import { Ajv2020 } from 'ajv/dist/2020.js'
import { ConfigError, type DaybookConfig, f } from 'daybook'
import { createTestService } from 'daybook/testing'
import fc from 'fast-check'
import { expect, test } from 'vitest'

async function isRefused(schema: Record<string, unknown>): Promise<boolean> {
  const config: DaybookConfig = { collections: { posts: { fields: { extra: f.json({ schema }) } } } }
  try {
    const service = await createTestService(config)
    await service.close()
    return false
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    expect(error.faults.map(({ path }) => path)).toEqual(['collections.posts.fields.extra.schema'])
    return true
  }
}

/** Returns true for an invalid JSON Schema (draft 2020-12), by the meta-schema and by compiling it. */
function isBroken(schema: Record<string, unknown>): boolean {
  try {
    new Ajv2020({ strict: false }).compile(schema)
    return false
  } catch {
    return true
  }
}

const TYPES = ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string']
const count = fc.oneof(fc.nat(9), fc.constantFrom(-1, 0.5, '1', null))
const names = fc.oneof(fc.uniqueArray(fc.constantFrom('a', 'b')), fc.constantFrom(['a', 'a'], [1], 'a'))

/** Schemas of one or two common keywords, some with invalid values. */
const { schema: schemas } = fc.letrec<{ schema: Record<string, unknown> }>((tie) => {
  const keywords: Record<string, fc.Arbitrary<unknown>> = {
    type: fc.constantFrom(...TYPES, 'text', null, ['string', 'null'], []),
    description: fc.oneof(fc.string(), fc.constantFrom(1, null)),
    enum: fc.oneof(names, fc.constantFrom([], [null, 1])),
    minimum: fc.oneof(fc.integer(), fc.constantFrom('1', null)),
    minLength: count,
    maxLength: count,
    required: names,
    items: fc.oneof({ depthSize: 'small' }, tie('schema'), fc.constantFrom(true, [], 'string')),
    properties: fc.oneof(
      { depthSize: 'small' },
      fc.dictionary(fc.constantFrom('a', 'b', 'constructor'), tie('schema'), { maxKeys: 2 }),
      fc.constantFrom([], { a: 1 }),
    ),
    additionalProperties: fc.oneof({ depthSize: 'small' }, tie('schema'), fc.constantFrom(true, 'no', null)),
    pattern: fc.constantFrom('^a', '('),
    hasOwnProperty: fc.constant('of no keyword'),
  }
  const schema = fc
    .subarray(Object.entries(keywords), { maxLength: 2 })
    .chain((some) => fc.record(Object.fromEntries<fc.Arbitrary<unknown>>(some)))
  return { schema }
})

test('a JSON Schema is rejected if and only if it is invalid', async () => {
  const check = async (schema: Record<string, unknown>): Promise<void> => {
    expect(await isRefused(schema)).toBe(isBroken(schema))
  }
  await fc.assert(fc.asyncProperty(schemas, check), { numRuns: 200 })
})
