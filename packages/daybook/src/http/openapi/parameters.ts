import type { CollectionOrGlobal } from '../../content/access/rules.ts'
import { isRecord, type JsonSchema } from '../../fields/field.ts'
import { AUTHOR_KEYS } from '../../model/authors.ts'
import type { CollectionModel, DocumentModel, ReverseModel } from '../../model/model.ts'
import { listAggregateNames, MAX_AGGREGATES } from '../../query/aggregates.ts'
import { ALTERNATES, MAX_SELECTED_NAMES } from '../../query/expansion.ts'
import type { NameKind, Parameter } from '../../query/parameters.ts'
import { MAX_SORT_KEYS, NULLS } from '../../query/sort-order.ts'
import type { Components, Ref } from './components.ts'
import { getDocumentName } from './document-schemas.ts'
import { FilterSchemas, getReadableCollections } from './filter-schemas.ts'
import type { VisibleApi } from './visible-api.ts'

const STYLES: Readonly<Record<Parameter['style'], object>> = {
  single: {},
  list: { style: 'form', explode: false },
  brackets: { style: 'deepObject', explode: true },
}

const NOTHING: ReadonlySet<string> = new Set()

/** The query parameters, with the names that one caller may know. */
export class QueryParameters {
  readonly #reader: VisibleApi
  readonly #components: Components
  readonly #filters: FilterSchemas
  readonly #collections: ReadonlyMap<string, CollectionModel>
  /** True if the caller may read a document that has reverse fields. */
  readonly #hasReverses: boolean

  constructor(reader: VisibleApi, components: Components) {
    this.#reader = reader
    this.#components = components
    this.#filters = new FilterSchemas(reader, components)
    this.#collections = getReadableCollections(reader)
    this.#hasReverses = [...reader.readable].some((document) => this.#reversesOf(document).length > 0)
  }

  /** Returns a reference to a parameter of a route, or `undefined` if no value is valid. */
  ref(name: string, parameter: Parameter, resource: CollectionOrGlobal | undefined): Ref | undefined {
    const { nameKind: takes, isRequired, description, style } = parameter
    // Without an example, which docs pages would send even for an optional parameter.
    const withSchema = (schema: JsonSchema): object => ({
      name,
      in: 'query',
      description,
      ...(isRequired ? { required: true } : {}),
      ...STYLES[style],
      schema,
    })
    if (takes === undefined || !resource) {
      const schema = this.#reader.canReadAllLocales ? parameter.schema : (parameter.oneLocaleSchema ?? parameter.schema)
      return isUnusable(schema) ? undefined : this.#components.addShared('parameters', name, withSchema(schema))
    }
    const component = `${getDocumentName(resource)}.${name}${isRequired ? '.required' : ''}`
    return this.#components.addParameter(component, () => {
      const schema = this.#namesSchema(takes, resource)
      return schema && withSchema(schema)
    })
  }

  /** Returns the schema of names of the content model, or `undefined` if there are none. */
  #namesSchema(names: NameKind, document: CollectionOrGlobal): JsonSchema | undefined {
    const { hidden = NOTHING, hasAuthors = false } = this.#reader.documents.get(document) ?? {}
    const people = hasAuthors ? AUTHOR_KEYS : []
    const reverses = this.#reversesOf(document)
    const reverseKeys = reverses.map(({ key }) => key)
    // The relations and reverse fields whose fields can be named in paths.
    const open = [...relationPaths(document, hidden, (to) => this.#collections.has(to)), ...reverseKeys]
    if (names === 'fields') return pathsSchema([...servedKeys(document, hidden), ...people, ...reverseKeys], open)
    if (names === 'reverses') return this.#hasReverses ? this.#reversePages(reverses, open) : undefined
    if (names === 'relations') {
      const alternates = document.hasAlternates ? [ALTERNATES] : []
      return pathsSchema([...relationPaths(document, hidden), ...reverseKeys, ...alternates], open)
    }
    if (document.kind === 'global') return undefined
    if (names === 'filters') return this.#filters.where(document)
    if (names === 'sortKeys') return sortSchema(document, hidden, people)
    return listOf({ type: 'string', enum: listAggregateNames(document, hidden) }, MAX_AGGREGATES, { uniqueItems: true })
  }

  /** Returns the reverse fields of collections that the caller may list. */
  #reversesOf(document: CollectionOrGlobal): readonly ReverseModel[] {
    const hidden = this.#reader.documents.get(document)?.hidden
    return [...document.reverseFields.values()].filter(({ key, to }) => !hidden?.has(key) && this.#collections.has(to))
  }

  /**
   * Returns the schema of `reverse`.
   *
   * @param open the relations and reverse fields whose reverse fields can be named in paths
   */
  #reversePages(reverses: readonly ReverseModel[], open: readonly string[]): JsonSchema | undefined {
    if (open.length === 0) return undefined
    return {
      type: 'object',
      properties: Object.fromEntries(reverses.map(({ key, to }) => [key, this.#pageOptions(to)])),
      patternProperties: { [patternInside(open)]: ANY_PAGE_OPTIONS },
      minProperties: 1,
      additionalProperties: false,
    }
  }

  #pageOptions(key: string): JsonSchema {
    const collection = this.#collections.get(key)
    if (!collection) return ANY_PAGE_OPTIONS
    const { status } = collection
    const { hidden = NOTHING, hasAuthors = false } = this.#reader.documents.get(collection) ?? {}
    const sort = sortSchema(collection, hidden, hasAuthors ? AUTHOR_KEYS : [])
    return pageOptions(sort, status && { type: 'array', items: { enum: status.values }, minItems: 1 })
  }
}

/** True for a parameter that has no valid value in this config. */
const isUnusable = ({ not }: JsonSchema): boolean => isRecord(not) && Object.keys(not).length === 0

const listOf = (items: JsonSchema, maxItems: number, keywords: JsonSchema = {}): JsonSchema => ({
  type: 'array',
  items,
  minItems: 1,
  maxItems,
  ...keywords,
})

function servedKeys({ fields, systemKeys }: DocumentModel, hidden: ReadonlySet<string>): readonly string[] {
  const visible = fields.filter(({ key }) => !hidden.has(key))
  return [...systemKeys.before, ...visible.flatMap((field) => field.servedKeys), ...systemKeys.after]
}

/** Returns the paths of a document's relations to accepted collections. */
function relationPaths(
  { relations }: DocumentModel,
  hidden: ReadonlySet<string>,
  accepts: (collection: string) => boolean = () => true,
): readonly string[] {
  const visible = [...relations].filter(([, targets]) =>
    targets.some(({ owner, to }) => !hidden.has(owner) && accepts(to)),
  )
  return visible.map(([path]) => path)
}

/** Returns the schema of names, and of paths through relations; `undefined` if there are no names. */
function pathsSchema(names: readonly string[], open: readonly string[]): JsonSchema | undefined {
  if (names.length === 0) return undefined
  const name = { type: 'string', enum: names }
  const path = { type: 'string', pattern: patternInside(open) }
  return listOf(open.length === 0 ? name : { anyOf: [name, path] }, MAX_SELECTED_NAMES)
}

/** Returns the pattern of paths with one of these prefixes. */
const patternInside = (paths: readonly string[]): string =>
  `^(?:${paths.map((path) => path.replaceAll('.', '\\.')).join('|')})\\.`

function sortSchema(
  { filterableFields: comparables }: CollectionModel,
  hidden: ReadonlySet<string>,
  people: readonly string[],
): JsonSchema {
  const visible = [...comparables.values()].filter(({ owner }) => !hidden.has(owner)).map(({ path }) => path)
  const keys = [...visible, ...people].flatMap((path) => [path, `-${path}`])
  return listOf({ type: 'string', enum: keys }, MAX_SORT_KEYS, { uniqueItems: true })
}

const COUNT: JsonSchema = { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER }
const NAMES: JsonSchema = { type: 'array', items: { type: 'string' }, minItems: 1 }

const pageOptions = (sort: JsonSchema, status: JsonSchema | undefined): JsonSchema => ({
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

/** The options of a nested reverse field, whose collection depends on the path. */
const ANY_PAGE_OPTIONS: JsonSchema = pageOptions({ ...NAMES, maxItems: MAX_SORT_KEYS }, NAMES)
