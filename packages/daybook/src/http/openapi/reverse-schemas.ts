import type { JsonSchema } from '../../fields/field.ts'
import type { ReverseModel } from '../../model/model.ts'
import { PEOPLE_KEYS } from '../../model/people.ts'
import { MAX_SORT_KEYS, NULLS } from '../../query/listing.ts'
import type { ApiReader } from './api-reader.ts'
import { sortSchema } from './sort-schema.ts'

const COUNT: JsonSchema = { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER }
const NAMES: JsonSchema = { type: 'array', items: { type: 'string' }, minItems: 1 }
const NOTHING: ReadonlySet<string> = new Set()

const options = (sort: JsonSchema, status: JsonSchema | undefined): JsonSchema => ({
  type: 'object',
  properties: {
    limit: COUNT,
    offset: COUNT,
    sort,
    nulls: { type: 'string', enum: NULLS },
    ...(status ? { status } : {}),
  },
  minProperties: 1,
  additionalProperties: false,
})

/** The options of a reverse field further inside, whose collection the path tells. */
const ANY_OPTIONS: JsonSchema = options({ ...NAMES, maxItems: MAX_SORT_KEYS }, NAMES)

/**
 * The schema of `reverse`.
 *
 * @param reverses reverse fields of the document, as far as the reader may know them
 * @param open relations and reverse fields inside of which others can be named
 */
export function reversePagesSchema(
  reverses: readonly ReverseModel[],
  reader: ApiReader,
  open: readonly string[],
): JsonSchema | undefined {
  if (open.length === 0) return undefined
  const properties = reverses.map(({ key, to }): readonly [string, JsonSchema] => [key, optionsOf(to, reader)])
  const inner = `^(?:${open.map((name) => name.replaceAll('.', '\\.')).join('|')})\\.`
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    patternProperties: { [inner]: ANY_OPTIONS },
    minProperties: 1,
    additionalProperties: false,
  }
}

function optionsOf(key: string, { readable, documents }: ApiReader): JsonSchema {
  const collection = [...readable].find((one) => one.kind === 'collection' && one.key === key)
  if (collection?.kind !== 'collection') return ANY_OPTIONS
  const { status } = collection
  const statuses: JsonSchema | undefined = status && { type: 'array', items: { enum: status.values }, minItems: 1 }
  const rights = documents.get(collection)
  return options(sortSchema(collection, rights?.hidden ?? NOTHING, rights?.hasPeople ? PEOPLE_KEYS : []), statuses)
}
