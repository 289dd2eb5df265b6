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
import type { InnerValues, WriteValues } from './infer.ts'
import { COMMON_RULES, countRule, isKey, objectRule } from './option-rules.ts'

export interface BlocksOptions<Block = unknown> extends CommonOptions<readonly Block[]> {
  /** The minimum number of blocks. @default 0 */
  readonly min?: number
  /** The maximum number of blocks. @default 1,000 */
  readonly max?: number
}

/** A kind of block: its fields, or a group of them with a label. */
export type BlockType = Fields | Field

/** The kinds of blocks, by `_type`. */
export type BlockTypes = Readonly<Record<string, BlockType>>

/** The fields of a kind of block. */
type FieldsOfBlock<T> =
  T extends Field<unknown, infer O> ? (O extends { readonly fields: infer F extends Fields } ? F : never) : T

/** The options of a group that describe a kind of block. */
const BLOCK_OPTIONS: readonly string[] = ['fields', 'label', 'description', 'itemTitle']

/** Returns the group of a kind of block; `undefined` if it is only its fields, one of which may have the key `type`. */
function findGroup(block: unknown): Field | undefined {
  const { type, options } = (isRecord(block) ? block : {}) as Partial<Field>
  return isRecord(type) && typeof type.name === 'string' && isRecord(options) ? (block as Field) : undefined
}

const getFields = (block: BlockType): Fields => (findGroup(block)?.options.fields ?? block) as Fields

const DEFAULT_MAX_BLOCKS = 1000

const blocks: FieldType<BlocksOptions & { readonly types: BlockTypes }> = {
  name: 'blocks',
  rules: { ...COMMON_RULES, types: objectRule, min: countRule, max: countRule },
  check(options, place, report) {
    const types = Object.entries(options.types ?? {})
    if (options.types === undefined) report.add(`${place.path}.types`, 'must be an object of blocks')
    else if (types.length === 0) report.add(place.path, 'must have at least one kind of block')
    for (const [key, block] of types) {
      const path = `${place.path}.types.${key}`
      if (!isKey(key)) report.add(path, 'is not a valid key. Use one such as pullQuote')
      const group = findGroup(block)
      if (!group) place.checkNested(block, path)
      else if (group.type.isGroup) place.checkNested({ [key]: group }, `${place.path}.types`)
      else report.add(path, 'must be an object of fields, or a group of them, such as f.group({ text: f.text() })')
      for (const option of Object.keys(group?.options ?? {}).filter((name) => !BLOCK_OPTIONS.includes(name)))
        report.add(`${path}.${option}`, 'is not allowed on a block. Leave it out, or put it on the field of blocks')
    }
  },
  schema: (options, nest) => ({
    type: 'array',
    items: {
      type: 'object',
      required: ['_type'],
      // With a discriminator, an invalid block gets the issues of its own kind, not those of every kind.
      discriminator: { propertyName: '_type' },
      oneOf: Object.entries(options.types).map(([key, block]) => createBlockSchema(key, nest(getFields(block), true))),
    },
    ...(options.min === undefined ? {} : { minItems: options.min }),
    maxItems: options.max ?? DEFAULT_MAX_BLOCKS,
  }),
  accepts: (value, options) =>
    Array.isArray(value) && value.every((item) => isRecord(item) && Object.hasOwn(options.types, String(item._type))),
  empty: () => [],
  inner: (options) =>
    Object.entries(options.types ?? {}).map(([block, type]) => {
      const group = findGroup(type)
      const path = group ? `types.${block}.fields` : `types.${block}`
      return { fields: getFields(type), path, block, group }
    }),
  walk: (value, options, visitor) =>
    (Array.isArray(value) ? value : []).filter(isRecord).map((item, index) => {
      const type = options.types[String(item._type)]
      return type ? walkFields(getFields(type), item, visitor, { _type: item._type }, index) : item
    }),
  hasItemKeys: () => true,
}

function createBlockSchema(key: string, schema: JsonSchema): JsonSchema {
  const { properties, required = [] } = schema as { properties: object; required?: readonly string[] }
  return { ...schema, properties: { _type: { const: key }, ...properties }, required: ['_type', ...required] }
}

type Tagged<T extends BlockTypes, Options = unknown> = {
  [K in keyof T]: { readonly _key: string; readonly _type: K } & InnerValues<FieldsOfBlock<T[K]>, Options>
}[keyof T]
type TaggedWrite<T extends BlockTypes> = {
  [K in keyof T]: { readonly _key?: string; readonly _type: K } & WriteValues<FieldsOfBlock<T[K]>>
}[keyof T]

type Typed<T> = {
  readonly types: T
  readonly '~filled'?: true
}

/**
 * A list of objects of different kinds, identified by `_type`; `[]` if empty. Each has a `_key`, which the service makes and writes keep.
 *
 * @param types the fields of each kind, by its `_type`: an object of fields, or `f.group(fields, { label, description, itemTitle })`
 */
export function blocksField<const T extends BlockTypes, const O extends BlocksOptions = Record<never, never>>(
  types: T,
  options?: Exactly<O, BlocksOptions<Tagged<T>>>,
): Field<readonly Tagged<T, O>[], NoInfer<O> & Typed<T>, readonly TaggedWrite<T>[]> {
  return makeField(blocks, { ...options, types } as unknown as O & Typed<T>)
}
