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
  readonly #visibleApi: VisibleApi
  readonly #components: Components
  readonly #filters: FilterSchemas
  readonly #collections: ReadonlyMap<string, CollectionModel>
  /** True if the caller may read a document that has reverse fields. */
  readonly #hasReverses: boolean

  constructor(visibleApi: VisibleApi, components: Components) {
    this.#visibleApi = visibleApi
    this.#components = components
    this.#filters = new FilterSchemas(visibleApi, components)
    this.#collections = getReadableCollections(visibleApi)
    this.#hasReverses = [...visibleApi.readable].some((document) => this.#listReverses(document).length > 0)
  }

  /** Returns a reference to a parameter of a route, or `undefined` if no value is valid. */
  ref(name: string, parameter: Parameter, resource: CollectionOrGlobal | undefined): Ref | undefined {
    const { nameKind, isRequired, description, style } = parameter
    // Without an example, which docs pages would send even for an optional parameter.
    const withSchema = (schema: JsonSchema): object => ({
      name,
      in: 'query',
      description,
      ...(isRequired ? { required: true } : {}),
      ...STYLES[style],
      schema,
    })
    if (nameKind === undefined || !resource) {
      const schema = this.#visibleApi.canReadAllLocales
        ? parameter.schema
        : (parameter.oneLocaleSchema ?? parameter.schema)
      return isUnusable(schema) ? undefined : this.#components.addShared('parameters', name, withSchema(schema))
    }
    const component = `${getDocumentName(resource)}.${name}${isRequired ? '.required' : ''}`
    return this.#components.addParameter(component, () => {
      const schema = this.#buildNamesSchema(nameKind, resource)
      return schema && withSchema(schema)
    })
  }

  /** Returns the schema of names of the content model, or `undefined` if there are none. */
  #buildNamesSchema(names: NameKind, document: CollectionOrGlobal): JsonSchema | undefined {
    const { hidden = NOTHING, hasAuthors = false } = this.#visibleApi.documents.get(document) ?? {}
    const authorKeys = hasAuthors ? AUTHOR_KEYS : []
    const reverses = this.#listReverses(document)
    const reverseKeys = reverses.map(({ key }) => key)
    // The relations and reverse fields whose fields can be named in paths.
    const open = [...listRelationPaths(document, hidden, (to) => this.#collections.has(to)), ...reverseKeys]
    if (names === 'fields')
      return buildPathsSchema([...listServedKeys(document, hidden), ...authorKeys, ...reverseKeys], open)
    if (names === 'reverses') return this.#hasReverses ? this.#buildReversePages(reverses, open) : undefined
    if (names === 'relations') {
      const alternates = document.hasAlternates ? [ALTERNATES] : []
      return buildPathsSchema([...listRelationPaths(document, hidden), ...reverseKeys, ...alternates], open)
    }
    if (document.kind === 'global') return undefined
    if (names === 'filters') return this.#filters.where(document)
    if (names === 'sortKeys') return buildSortSchema(document, hidden, authorKeys)
    return buildArraySchema({ type: 'string', enum: listAggregateNames(document, hidden) }, MAX_AGGREGATES, {
      uniqueItems: true,
    })
  }

  #listReverses(document: CollectionOrGlobal): readonly ReverseModel[] {
    const hidden = this.#visibleApi.documents.get(document)?.hidden
    return [...document.reverseFields.values()].filter(({ key, to }) => !hidden?.has(key) && this.#collections.has(to))
  }

  /**
   * Returns the schema of `reverse`.
   *
   * @param open the relations and reverse fields whose reverse fields can be named in paths
   */
  #buildReversePages(reverses: readonly ReverseModel[], open: readonly string[]): JsonSchema | undefined {
    if (open.length === 0) return undefined
    return {
      type: 'object',
      properties: Object.fromEntries(reverses.map(({ key, to }) => [key, this.#buildPageOptions(to)])),
      patternProperties: { [buildPrefixPattern(open)]: ANY_PAGE_OPTIONS },
      minProperties: 1,
      additionalProperties: false,
    }
  }

  #buildPageOptions(key: string): JsonSchema {
    const collection = this.#collections.get(key)
    if (!collection) return ANY_PAGE_OPTIONS
    const { status } = collection
    const { hidden = NOTHING, hasAuthors = false } = this.#visibleApi.documents.get(collection) ?? {}
    const sort = buildSortSchema(collection, hidden, hasAuthors ? AUTHOR_KEYS : [])
    return buildPageOptions(sort, status && { type: 'array', items: { enum: status.values }, minItems: 1 })
  }
}

/** True for a parameter that has no valid value in this config. */
const isUnusable = ({ not }: JsonSchema): boolean => isRecord(not) && Object.keys(not).length === 0

const buildArraySchema = (items: JsonSchema, maxItems: number, keywords: JsonSchema = {}): JsonSchema => ({
  type: 'array',
  items,
  minItems: 1,
  maxItems,
  ...keywords,
})

function listServedKeys({ fields, systemKeys }: DocumentModel, hidden: ReadonlySet<string>): readonly string[] {
  const visible = fields.filter(({ key }) => !hidden.has(key))
  return [...systemKeys.before, ...visible.flatMap((field) => field.servedKeys), ...systemKeys.after]
}

/** Returns the paths of a document's relations to accepted collections. */
function listRelationPaths(
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
function buildPathsSchema(names: readonly string[], open: readonly string[]): JsonSchema | undefined {
  if (names.length === 0) return undefined
  const name = { type: 'string', enum: names }
  const path = { type: 'string', pattern: buildPrefixPattern(open) }
  return buildArraySchema(open.length === 0 ? name : { anyOf: [name, path] }, MAX_SELECTED_NAMES)
}

const buildPrefixPattern = (paths: readonly string[]): string =>
  `^(?:${paths.map((path) => path.replaceAll('.', '\\.')).join('|')})\\.`

function buildSortSchema(
  { filterableFields }: CollectionModel,
  hidden: ReadonlySet<string>,
  authorKeys: readonly string[],
): JsonSchema {
  const visible = [...filterableFields.values()].filter(({ owner }) => !hidden.has(owner)).map(({ path }) => path)
  const keys = [...visible, ...authorKeys].flatMap((path) => [path, `-${path}`])
  return buildArraySchema({ type: 'string', enum: keys }, MAX_SORT_KEYS, { uniqueItems: true })
}

const COUNT: JsonSchema = { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER }
const NAMES: JsonSchema = { type: 'array', items: { type: 'string' }, minItems: 1 }

const buildPageOptions = (sort: JsonSchema, status: JsonSchema | undefined): JsonSchema => ({
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
const ANY_PAGE_OPTIONS: JsonSchema = buildPageOptions({ ...NAMES, maxItems: MAX_SORT_KEYS }, NAMES)
