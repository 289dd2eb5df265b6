import type { Ruled } from '../../content/access/rules.ts'
import type { JsonSchema } from '../../fields/field.ts'
import { isRecord } from '../../fields/field.ts'
import type { CollectionModel, DocumentModel, ReverseModel } from '../../model/model.ts'
import { PEOPLE_KEYS } from '../../model/people.ts'
import { aggregatesFor, MAX_AGGREGATES } from '../../query/aggregates.ts'
import { ALTERNATES, MAX_NAMES } from '../../query/expansion.ts'
import type { Parameter, TakenNames } from '../../query/parameters.ts'
import type { ApiReader } from './api-reader.ts'
import type { Components } from './components.ts'
import { documentName } from './document-schemas.ts'
import type { FilterSchemas } from './filter-schemas.ts'
import { reversePagesSchema } from './reverse-schemas.ts'
import { sortSchema } from './sort-schema.ts'
import { print, type Text } from './text.ts'

const STYLES: Readonly<Record<Parameter['style'], object>> = {
  single: {},
  list: { style: 'form', explode: false },
  brackets: { style: 'deepObject', explode: true },
}

/** What parameters may name of a document, for one reader. */
interface ShownNames {
  readonly hidden: ReadonlySet<string>
  /** The keys of who made and last changed it. */
  readonly people: readonly string[]
  /** Reverse fields of collections that the reader may list. */
  readonly reverses: readonly ReverseModel[]
  /** Relations and reverse fields inside of which fields can be named. */
  readonly open: readonly string[]
}

/** Prints the parameters of query strings, with the names that one reader may know. */
export class ParameterPrinter {
  readonly #reader: ApiReader
  readonly #components: Components
  readonly #filters: FilterSchemas
  /** The beginnings of parameters, which say the same of all documents. */
  readonly #heads = new Map<Parameter, Text>()
  readonly #names = new Map<Ruled, ShownNames>()
  /** Keys of the collections that the reader may read. */
  readonly #open: ReadonlySet<string>
  /** Whether the reader may read a document that has reverse fields. */
  readonly #hasReverses: boolean

  constructor(reader: ApiReader, components: Components, filters: FilterSchemas) {
    this.#reader = reader
    this.#open = new Set([...reader.readable].filter(({ kind }) => kind === 'collection').map(({ key }) => key))
    this.#components = components
    this.#filters = filters
    this.#hasReverses = [...reader.readable].some((one) => this.#namesOf(one).reverses.length > 0)
  }

  /** A reference to a parameter of a route; `undefined` for one that no value fits. */
  ref(name: string, parameter: Parameter, resource: Ruled | undefined): Text | undefined {
    const { takes, isRequired } = parameter
    const schema = this.#reader.readsAllLocales ? parameter.schema : (parameter.oneLocaleSchema ?? parameter.schema)
    if (takes === undefined || !resource) {
      if (isUnusable(schema)) return undefined
      return this.#components.sharedParameter(name, parameter, () => parameterText(this.#head(name, parameter), schema))
    }
    const component = `${documentName(resource)}.${name}${isRequired ? '.required' : ''}`
    return this.#components.parameter(component, () => {
      const own = this.#schema(takes, resource)
      return own && parameterText(this.#head(name, parameter), own)
    })
  }

  #schema(takes: TakenNames, document: Ruled): JsonSchema | undefined {
    const { hidden, people, reverses, open } = this.#namesOf(document)
    if (takes === 'fields')
      return namesSchema([...shownKeys(document, hidden), ...people, ...keysOf(reverses)], open, MAX_NAMES)
    if (takes === 'relations')
      return namesSchema(
        [...shownRelations(document, hidden), ...keysOf(reverses), ...(document.hasAlternates ? [ALTERNATES] : [])],
        open,
        MAX_NAMES,
      )
    if (takes === 'reverses') return this.#hasReverses ? reversePagesSchema(reverses, this.#reader, open) : undefined
    if (document.kind === 'global') return undefined
    if (takes === 'aggregates') return aggregateSchema(document, hidden)
    return takes === 'filters' ? this.#filters.where(document) : sortSchema(document, hidden, people)
  }

  #head(name: string, parameter: Parameter): Text {
    const { description, style, isRequired } = parameter
    const required = isRequired ? { required: true } : {}
    const head =
      this.#heads.get(parameter) ??
      print({ name, in: 'query', description, ...required, ...STYLES[style] }).slice(0, -1)
    this.#heads.set(parameter, head)
    return head
  }

  #namesOf(document: Ruled): ShownNames {
    const names = this.#names.get(document) ?? this.#findNames(document)
    this.#names.set(document, names)
    return names
  }

  #findNames(document: Ruled): ShownNames {
    const { hidden = NOTHING, hasPeople = false } = this.#reader.documents.get(document) ?? {}
    const reverses = [...document.reverses.values()].filter(({ key, to }) => !hidden.has(key) && this.#open.has(to))
    const relations = shownRelations(document, hidden, (to) => this.#open.has(to))
    return { hidden, people: hasPeople ? PEOPLE_KEYS : [], reverses, open: [...relations, ...keysOf(reverses)] }
  }
}

const NOTHING: ReadonlySet<string> = new Set()

const keysOf = (reverses: readonly ReverseModel[]): readonly string[] => reverses.map(({ key }) => key)

/** There are parameters that a config gives no use. */
const isUnusable = ({ not }: JsonSchema): boolean => isRecord(not) && Object.keys(not).length === 0

/** Without an example: docs pages would send what it says, also where the parameter can be left out. */
const parameterText = (head: Text, schema: JsonSchema): Text => `${head},"schema":${print(schema)}}`

function shownKeys({ fields, systemKeys }: DocumentModel, hidden: ReadonlySet<string>): readonly string[] {
  const own = fields.filter(({ key }) => !hidden.has(key)).flatMap(({ servedKeys }) => servedKeys)
  return [...systemKeys.before, ...own, ...systemKeys.after]
}

/** The paths of a document's relations. */
function shownRelations(
  { relations }: DocumentModel,
  hidden: ReadonlySet<string>,
  isOpen: (to: string) => boolean = () => true,
): readonly string[] {
  const shown: string[] = []
  for (const [path, own] of relations) {
    if (own.some(({ owner, to }) => !hidden.has(owner) && isOpen(to))) shown.push(path)
  }
  return shown
}

/** Names, or paths that lead through relations; `undefined`: there are none. */
function namesSchema(names: readonly string[], open: readonly string[], maxItems: number): JsonSchema | undefined {
  if (names.length === 0) return undefined
  const one = { type: 'string', enum: names }
  const path = { type: 'string', pattern: `^(?:${open.map((name) => name.replaceAll('.', '\\.')).join('|')})\\.` }
  return { type: 'array', items: open.length === 0 ? one : { anyOf: [one, path] }, minItems: 1, maxItems }
}

const aggregateSchema = (collection: CollectionModel, hidden: ReadonlySet<string>): JsonSchema => ({
  type: 'array',
  items: { type: 'string', enum: aggregatesFor(collection, hidden) },
  minItems: 1,
  maxItems: MAX_AGGREGATES,
  uniqueItems: true,
})
