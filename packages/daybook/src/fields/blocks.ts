import {
  type CommonOptions,
  type Exactly,
  type Field,
  type Fields,
  type FieldType,
  isRecord,
  type JsonSchema,
  makeField,
  walkFields,
} from './field.ts'
import type { FieldValues, WriteValues } from './infer.ts'
import { COMMON_RULES, countRule, isKey, objectRule } from './option-rules.ts'

export interface BlocksOptions<Block = unknown> extends CommonOptions<readonly Block[]> {
  /** The minimum number of blocks. @default 0 */
  readonly min?: number
  /** The maximum number of blocks. @default 1,000 */
  readonly max?: number
}

/** The fields of each kind of block, by its `_type`. */
export type BlockTypes = Readonly<Record<string, Fields>>

const DEFAULT_MAX_BLOCKS = 1000

const blocks: FieldType<BlocksOptions & { readonly types: BlockTypes }> = {
  name: 'blocks',
  rules: { ...COMMON_RULES, types: objectRule, min: countRule, max: countRule },
  check(options, place, report) {
    const types = Object.entries(options.types ?? {})
    if (options.types === undefined) report.add(`${place.path}.types`, 'must be an object of blocks')
    else if (types.length === 0) report.add(place.path, 'must have at least one kind of block')
    for (const [key, fields] of types) {
      if (!isKey(key)) report.add(`${place.path}.types.${key}`, 'is not a valid key. Use one such as pullQuote')
      place.checkNested(fields, `${place.path}.types.${key}`)
    }
  },
  schema: (options, nest) => ({
    type: 'array',
    items: {
      type: 'object',
      required: ['_type'],
      // With a discriminator, an invalid block gets the issues of its own kind, not those of every kind.
      discriminator: { propertyName: '_type' },
      oneOf: Object.entries(options.types).map(([key, fields]) => createBlockSchema(key, nest(fields, true))),
    },
    ...(options.min === undefined ? {} : { minItems: options.min }),
    maxItems: options.max ?? DEFAULT_MAX_BLOCKS,
  }),
  accepts: (value, options) =>
    Array.isArray(value) && value.every((item) => isRecord(item) && Object.hasOwn(options.types, String(item._type))),
  empty: () => [],
  inner: (options) =>
    Object.entries(options.types ?? {}).map(([block, fields]) => ({ fields, path: `types.${block}`, block })),
  walk: (value, options, visitor) =>
    (Array.isArray(value) ? value : []).filter(isRecord).map((item, index) => {
      const fields = options.types[String(item._type)]
      return fields ? walkFields(fields, item, visitor, { _type: item._type }, index) : item
    }),
  hasItemKeys: () => true,
}

function createBlockSchema(key: string, schema: JsonSchema): JsonSchema {
  const { properties, required = [] } = schema as { properties: object; required?: readonly string[] }
  return { ...schema, properties: { _type: { const: key }, ...properties }, required: ['_type', ...required] }
}

type Tagged<T extends BlockTypes> = {
  [K in keyof T]: { readonly _key: string; readonly _type: K } & FieldValues<T[K]>
}[keyof T]
type TaggedWrite<T extends BlockTypes> = {
  [K in keyof T]: { readonly _key?: string; readonly _type: K } & WriteValues<T[K]>
}[keyof T]

type Typed<T> = {
  readonly types: T
  readonly '~filled'?: true
}

/**
 * A list of objects of different kinds, identified by `_type`; `[]` if empty. Each has a `_key`, which the service makes and writes keep.
 *
 * @param types the fields of each kind, by its `_type`
 */
export function blocksField<const T extends BlockTypes, const O extends BlocksOptions = Record<never, never>>(
  types: T,
  options?: Exactly<O, BlocksOptions<Tagged<T>>>,
): Field<readonly Tagged<T>[], NoInfer<O> & Typed<T>, readonly TaggedWrite<T>[]> {
  return makeField(blocks, { ...options, types } as unknown as O & Typed<T>)
}
