import {
  type Field,
  type Fields,
  ITEM_KEY,
  isRecord,
  isRequired,
  isStored,
  type JsonSchema,
  servedKeys,
  VIOLATION,
} from '../../fields/field.ts'
import { REFERS_TO } from '../../fields/relation.ts'
import { LISTS_KEYWORD } from '../../fields/reverse.ts'
import { aggregatesAt } from '../../query/aggregates.ts'
import { listOperatorsAt } from '../../query/where.ts'
import type { CollectionOrGlobal } from '../access/rules.ts'

/** A value of the model, as one reader may know it. */
export interface ValueDescription {
  /** The name of its type, as in `f.text()`. */
  readonly type: string
  /** What the config says of it, for people. */
  readonly description?: string | undefined
  /** The JSON Schema (2020-12) of a value that is there, in one locale. Of a container, without what is inside. */
  readonly schema: JsonSchema
  /** Whether it must hold a value after every write. */
  readonly required: boolean
  /** Whether it is a list. */
  readonly many: boolean
  /** Whether each locale has its own value. */
  readonly localized: boolean
  /** Whether no two entries of the collection hold the same value. */
  readonly unique: boolean
  /** Whether the reader may write it, in a document that the reader may write. */
  readonly writable: boolean
  /** The operators that `where` of a list takes; none: it cannot be filtered. */
  readonly operators: readonly string[]
  readonly sortable: boolean
  /** What `aggregate` of a list works out of it: `count`, `count:month`, `sum` …; none: it cannot be counted. */
  readonly aggregates: readonly string[]
  /** Whether `q` finds its words. */
  readonly searchable: boolean
  /** What a new document gets that does not name it; absent: nothing, or what the service works out. */
  readonly default?: unknown
  /** Present where the service makes the default, for each document anew. */
  readonly defaultBy?: 'service' | undefined
  /** The values to choose from. */
  readonly options?: readonly string[] | undefined
  /** The key of the field beside it that a value is made from when a new document names none. */
  readonly from?: string | undefined
  readonly relation?: RelationDescription | undefined
  /** Of a reverse field: the relation that it shows from the other side. */
  readonly reverse?: ReverseDescription | undefined
  /** The fields of a group. */
  readonly fields?: readonly FieldDescription[] | undefined
  /** The kinds of blocks. */
  readonly blocks?: readonly BlockDescription[] | undefined
  /** The member that identifies an item of a list of objects or of blocks when it moves; the service sets it. */
  readonly itemKey?: string | undefined
  /** An item of a list. */
  readonly of?: ValueDescription | undefined
}

/** A field of the model, as one reader may know it. */
export interface FieldDescription extends ValueDescription {
  readonly key: string
  /** Keys of the read-only values that are made from it and served beside it, such as `bodyHtml`. */
  readonly generated: readonly string[]
}

/** The target of a relation. */
export interface RelationDescription {
  /**
   * The key of the collection that it leads to; `null`: one that the reader may not read. Of a relation to several collections, the
   * list of those that the reader may read.
   */
  readonly to: string | readonly string[] | null
  /** What happens to the reference when its target is deleted. */
  readonly onDelete: 'unset' | 'restrict'
  /** Of a field for files: the media types that it takes, such as `image/*`; absent: every type. */
  readonly accept?: readonly string[] | undefined
  /** Of a field for files: the largest file that it takes, in bytes; absent: every size. */
  readonly maxBytes?: number | undefined
}

/** A relation that leads to the documents of the model's collection. */
export interface ReverseDescription {
  /** The key of the collection that refers. */
  readonly collection: string
  /** The dotted path of the relation there. */
  readonly path: string
}

/** One kind of block. */
export interface BlockDescription {
  /** Its `_type`. */
  readonly type: string
  readonly fields: readonly FieldDescription[]
}

/** What one reader may know and do, as far as the fields of a document are concerned. */
export interface FieldVisibility {
  /** Keys of top-level fields that do not exist for the reader. */
  readonly hidden: ReadonlySet<string>
  /** Whether the reader may write a top-level field. */
  canWrite(key: string): boolean
  canReadCollection(key: string): boolean
}

/** Where a value stands. */
interface Place {
  readonly document: CollectionOrGlobal
  readonly reader: FieldVisibility
  /** Its dotted path, as filters name it; inside lists and blocks, where none can, nothing is found under it. */
  readonly path: string
  readonly writable: boolean
}

/** The fields of a document that a reader may read, in the order in which they are served. */
export function describeFields(document: CollectionOrGlobal, reader: FieldVisibility): readonly FieldDescription[] {
  const reverses = [...document.reverseFields.values()].filter(({ to }) => reader.canReadCollection(to))
  return [...document.fields, ...reverses]
    .filter(({ key }) => !reader.hidden.has(key))
    .map(({ key, field }) => {
      const writable = isStored(field) && !document.serviceMadeKeys.has(key) && reader.canWrite(key)
      return describeField(key, field, { document, reader, path: key, writable })
    })
}

function describeField(key: string, field: Field, place: Place): FieldDescription {
  return { key, ...describeValue(field, place), generated: servedKeys(key, field).slice(1) }
}

function describeValue(field: Field, place: Place): ValueDescription {
  const { type, options } = field
  const schema = schemaOfValue(field)
  const source = type.source?.(options)
  const initial = type.default?.(options)
  return {
    type: type.name,
    description: options.description,
    schema,
    required: isRequired(field),
    many: schema.type === 'array' || !isStored(field),
    localized: options.localized === true,
    unique: type.isUnique?.(options) === true || type.role === 'slug',
    writable: place.writable,
    ...describeUse(field, place),
    ...(typeof initial === 'function' ? { defaultBy: 'service' } : { default: initial }),
    options: type.choices?.(options),
    from: source !== undefined && place.reader.hidden.has(source) ? undefined : source,
    relation: describeRelation(field, place.reader),
    reverse: type.reverse?.(options),
    ...describeInside(field, place),
  }
}

/** What a list can ask of the value. */
function describeUse(
  { type, options }: Field,
  { document, path }: Place,
): Pick<ValueDescription, 'operators' | 'sortable' | 'aggregates' | 'searchable'> {
  const searchable = document.kind === 'collection' && type.search?.(options) !== undefined
  if (document.kind === 'global') return { operators: [], sortable: false, aggregates: [], searchable }
  return {
    operators: listOperatorsAt(document, path).map(({ name }) => name),
    sortable: document.filterableFields.has(path),
    aggregates: aggregatesAt(document, path),
    searchable,
  }
}

function describeRelation({ type, options }: Field, reader: FieldVisibility): RelationDescription | undefined {
  const relation = type.relation?.(options)
  if (!relation) return undefined
  const { to, onDelete, accept, maxBytes } = relation
  if (typeof to !== 'string') return { to: to.filter((one) => reader.canReadCollection(one)), onDelete }
  return { to: reader.canReadCollection(to) ? to : null, onDelete, accept, maxBytes }
}

function describeInside(
  { type, options }: Field,
  place: Place,
): Pick<ValueDescription, 'fields' | 'blocks' | 'itemKey' | 'of'> {
  const item = type.item?.(options)
  const sets = type.inner?.(options) ?? []
  const blocks = sets.flatMap(({ block, fields }) =>
    block === undefined ? [] : [{ type: block, fields: describeInner(fields, place) }],
  )
  const ungrouped = sets.filter(({ block }) => block === undefined)
  return {
    ...(ungrouped.length > 0 ? { fields: ungrouped.flatMap(({ fields }) => describeInner(fields, place)) } : {}),
    ...(blocks.length > 0 ? { blocks } : {}),
    itemKey: type.hasItemKeys?.(options) ? ITEM_KEY : undefined,
    ...(item ? { of: describeValue(item, { ...place, path: `${place.path}.of` }) } : {}),
  }
}

function describeInner(fields: Fields, around: Place): readonly FieldDescription[] {
  return Object.entries(fields).map(([key, field]) =>
    describeField(key, field, { ...around, path: `${around.path}.${key}` }),
  )
}

/** Keywords about what is inside a container, which is described by itself. */
const INSIDE: ReadonlySet<string> = new Set(['items', 'properties', 'required', 'additionalProperties'])

function schemaOfValue({ type, options }: Field): JsonSchema {
  const own = type.customSchema?.(options)
  if (own) return own
  const schema = plainSchema(type.schema(options, () => ({ type: 'object' })))
  if (!type.inner && !type.item) return schema
  return Object.fromEntries(Object.entries(schema).filter(([keyword]) => !INSIDE.has(keyword)))
}

/** A schema without keywords that no other program knows. A reference tells its target elsewhere, to those who may know it. */
function plainSchema(given: JsonSchema): JsonSchema {
  const { [VIOLATION]: _, discriminator: __, [REFERS_TO]: to, [LISTS_KEYWORD]: ____, ...schema } = given
  const { description: ___, ...untitled } = schema
  return Object.fromEntries(
    Object.entries(to === undefined ? schema : untitled).map(([keyword, value]) => [
      keyword,
      plainPart(keyword, value),
    ]),
  )
}

function plainPart(keyword: string, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((one) => plainPart('', one))
  if (!isRecord(value)) return value
  if (keyword !== 'properties') return plainSchema(value)
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, plainPart('', inner)]))
}
