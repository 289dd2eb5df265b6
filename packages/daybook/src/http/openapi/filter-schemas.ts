import type { JsonSchema } from '../../fields/field.ts'
import type { CollectionModel, Comparable, ManyValued } from '../../model/model.ts'
import { MAX_VALUES, MEMBER_OPERATORS, operatorsOf } from '../../query/where.ts'
import type { ApiReader } from './api-reader.ts'
import { type Components, pascal, type SchemaRef } from './components.ts'
import { object, print, printRef, type Text } from './text.ts'

/** A field that a filter may name, and a reference to the schema of its operators. */
type FilterMember = readonly [path: string, operators: Text]

/** What groups conditions, and no field. */
const GROUPS: readonly string[] = ['and', 'or', 'not']
/** Operators that compare with several values. */
const LIST_OPERATORS: readonly string[] = ['in', 'nin', 'all']
/** The most members of an `and` or `or`. */
const MAX_BRANCHES = 1000

/**
 * The schemas of `where`, one for each collection: its fields, and those of the collections that its relations lead to, each
 * with its operators. Fields of one type share the schema of their operators.
 */
export class FilterSchemas {
  readonly #reader: ApiReader
  readonly #components: Components
  readonly #byKey: ReadonlyMap<string, CollectionModel>
  readonly #members = new Map<CollectionModel, readonly FilterMember[]>()
  /** References to operators, by the schema of their values and the names of the operators. */
  readonly #operators = new Map<JsonSchema, Map<readonly string[], Text>>()

  constructor(reader: ApiReader, components: Components) {
    this.#reader = reader
    this.#components = components
    const readable = [...reader.readable].filter((one) => one.kind === 'collection')
    this.#byKey = new Map(readable.map((one) => [one.key, one]))
  }

  /** A reference to the schema of a collection's filter. */
  where(collection: CollectionModel): SchemaRef {
    const name = `${pascal(collection.key)}Where`
    return this.#components.schema(name, () => {
      const own = printRef({ $ref: `#/components/schemas/${name}` })
      const branches = `{"type":"array","items":${own},"minItems":1,"maxItems":${MAX_BRANCHES}}`
      const groups = [
        ['and', branches],
        ['or', branches],
        ['not', own],
      ] as const
      const members = [...this.#own(collection), ...this.#throughRelations(collection)]
      const fields = members.filter(([path]) => !GROUPS.includes(path))
      return `{"type":"object","properties":${object([...fields, ...groups])},"minProperties":1,"additionalProperties":false}`
    })
  }

  /** The fields of a collection itself. */
  #own(collection: CollectionModel): readonly FilterMember[] {
    const known = this.#members.get(collection)
    if (known) return known
    const single = this.#shown(collection, collection.comparables)
    const many = this.#shown(collection, collection.manyValued)
    const members = [
      ...single.map((one): FilterMember => [one.path, this.#operatorsFor(one, operatorsOf(one), kindOf(one))]),
      ...many.map((one): FilterMember => [one.path, this.#operatorsFor(one, MEMBER_OPERATORS, kindOfMany(one))]),
    ]
    this.#members.set(collection, members)
    return members
  }

  #throughRelations(collection: CollectionModel): readonly FilterMember[] {
    const { comparables, manyValued } = collection
    const fields = [
      ...this.#shown<Comparable | ManyValued>(collection, comparables),
      ...this.#shown(collection, manyValued),
    ]
    return fields.flatMap(({ path, to = '' }) => {
      const target = this.#byKey.get(to)
      return target ? this.#own(target).map(([inner, text]): FilterMember => [`${path}.${inner}`, text]) : []
    })
  }

  #shown<F extends Comparable | ManyValued>(collection: CollectionModel, fields: ReadonlyMap<string, F>): readonly F[] {
    const hidden = this.#reader.documents.get(collection)?.hidden
    return [...fields.values()].filter(({ owner }) => !hidden?.has(owner))
  }

  /** A reference to the operators of a value. */
  #operatorsFor({ filterSchema }: Comparable | ManyValued, operators: readonly string[], kind: string): Text {
    const known = this.#operators.get(filterSchema) ?? new Map<readonly string[], Text>()
    this.#operators.set(filterSchema, known)
    const text =
      known.get(operators) ??
      printRef(this.#components.sharedSchema(`${kind}Filter`, operatorsText(filterSchema, operators)))
    known.set(operators, text)
    return text
  }
}

function operatorsText(schema: JsonSchema, operators: readonly string[]): Text {
  const value = print(schema)
  const list = `{"type":"array","items":${value},"minItems":1,"maxItems":${MAX_VALUES}}`
  const properties = operators.map((operator): readonly [string, Text] => {
    if (operator === 'exists') return [operator, '{"type":"boolean"}']
    return [operator, LIST_OPERATORS.includes(operator) ? list : value]
  })
  return `{"type":"object","properties":${object(properties)},"minProperties":1,"additionalProperties":false}`
}

const KINDS_BY_FORMAT: Readonly<Record<string, string>> = { date: 'Date', 'date-time': 'Timestamp', uuid: 'Id' }

/** What the schema of the operators is called after. */
function kindOf({ path, to, filterSchema }: Comparable): string {
  if (to !== undefined) return 'Reference'
  if (filterSchema.enum !== undefined) return pascal(path.replace(/^.*\./, ''))
  if (filterSchema.anyOf !== undefined) return 'Timestamp'
  const { format, type } = filterSchema
  return KINDS_BY_FORMAT[String(format)] ?? (type === 'string' ? 'Text' : pascal(String(type)))
}

function kindOfMany({ path, to }: ManyValued): string {
  return to === undefined ? pascal(path.replace(/^.*\./, '')) : 'References'
}
