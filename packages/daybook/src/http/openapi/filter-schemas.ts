import type { JsonSchema } from '../../fields/field.ts'
import type { CollectionModel, Comparable, ManyValued } from '../../model/model.ts'
import { PEOPLE_COMPARABLES } from '../../model/people.ts'
import { MEMBER_OPERATORS, type NamedOperator, operatorsOf } from '../../query/operators.ts'
import { MAX_VALUES } from '../../query/where.ts'
import type { ApiReader } from './api-reader.ts'
import { type Components, pascal, type SchemaRef } from './components.ts'
import { object, print, printRef, type Text } from './text.ts'

/** What groups conditions, and no field. */
const GROUPS: readonly string[] = ['and', 'or', 'not']
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
  /** The members of a filter, by collection, each without the quotation mark that begins its name. */
  readonly #members = new Map<CollectionModel, readonly Text[]>()
  /** References to operators, by the schema of their values and the names of the operators. */
  readonly #operators = new Map<JsonSchema, Map<readonly NamedOperator[], Text>>()

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
        // Scalar writes parameters of objects inside each other out, without an end where an object holds itself.
        ['not', `{"allOf":[${own}]}`],
      ] as const
      const fields = [...withPrefix('', this.#own(collection)), ...this.#throughRelations(collection)]
      const properties = [...fields, object(groups).slice(1, -1)].join(',')
      return `{"type":"object","properties":{${properties}},"minProperties":1,"additionalProperties":false}`
    })
  }

  /** The fields of a collection itself, each with its operators. */
  #own(collection: CollectionModel): readonly Text[] {
    const known = this.#members.get(collection)
    if (known !== undefined) return known
    const members: Text[] = []
    for (const one of this.#shown(collection, collection.comparables)) {
      if (GROUPS.includes(one.path)) continue
      members.push(`${one.path}":${this.#operatorsFor(one, operatorsOf(one), kindOf)}`)
    }
    if (this.#reader.documents.get(collection)?.hasPeople) {
      for (const one of PEOPLE_COMPARABLES.values())
        members.push(`${one.path}":${this.#operatorsFor(one, operatorsOf(one), kindOf)}`)
    }
    for (const one of this.#shown(collection, collection.manyValued)) {
      if (GROUPS.includes(one.path)) continue
      members.push(`${one.path}":${this.#operatorsFor(one, MEMBER_OPERATORS, kindOfMany)}`)
    }
    this.#members.set(collection, members)
    return members
  }

  #throughRelations(collection: CollectionModel): readonly Text[] {
    const { comparables, manyValued } = collection
    const texts: Text[] = []
    for (const fields of [comparables, manyValued]) {
      for (const { path, to = '' } of this.#shown<Comparable | ManyValued>(collection, fields)) {
        const target = this.#byKey.get(to)
        if (target) texts.push(...withPrefix(`${path}.`, this.#own(target)))
      }
    }
    return texts
  }

  #shown<F extends Comparable | ManyValued>(collection: CollectionModel, fields: ReadonlyMap<string, F>): Iterable<F> {
    const hidden = this.#reader.documents.get(collection)?.hidden
    return hidden?.size ? [...fields.values()].filter(({ owner }) => !hidden.has(owner)) : fields.values()
  }

  /** A reference to the operators of a value. */
  #operatorsFor<F extends Comparable | ManyValued>(
    field: F,
    operators: readonly NamedOperator[],
    kind: (field: F) => string,
  ): Text {
    const filterSchema = this.#valueSchema(field)
    const known = this.#operators.get(filterSchema) ?? new Map<readonly NamedOperator[], Text>()
    this.#operators.set(filterSchema, known)
    const text = known.get(operators) ?? this.#makeOperators(filterSchema, operators, kind(field))
    known.set(operators, text)
    return text
  }

  /** What a filter compares with. Of the keys of collections, those that the reader may read. */
  #valueSchema({ part, filterSchema }: Comparable | ManyValued): JsonSchema {
    if (part?.name !== 'collection') return filterSchema
    const open = part.targets.filter((target) => this.#byKey.has(target))
    return open.length > 0 ? { type: 'string', enum: open } : { type: 'string' }
  }

  #makeOperators(schema: JsonSchema, operators: readonly NamedOperator[], kind: string): Text {
    return printRef(this.#components.sharedSchema(`${kind}Filter`, operatorsText(schema, operators)))
  }
}

/** The text of members with this before each name: one text, or none where there are no members. */
const withPrefix = (prefix: string, members: readonly Text[]): readonly Text[] =>
  members.length === 0 ? [] : [`"${prefix}${members.join(`,"${prefix}`)}`]

function operatorsText(schema: JsonSchema, operators: readonly NamedOperator[]): Text {
  const value = print(schema)
  const list = `{"type":"array","items":${value},"minItems":1,"maxItems":${MAX_VALUES}}`
  const schemas = { value, text: value, values: list, presence: '{"type":"boolean"}' }
  const properties = operators.map(({ name, operator }) => [name, schemas[operator.operand]] as const)
  return `{"type":"object","properties":${object(properties)},"minProperties":1,"additionalProperties":false}`
}

const KINDS_BY_FORMAT: Readonly<Record<string, string>> = { date: 'Date', 'date-time': 'Timestamp', uuid: 'Id' }

/** What the schema of the operators is called after. */
function kindOf({ path, to, part, filterSchema }: Comparable): string {
  if (to !== undefined || part?.name === 'id') return 'Reference'
  if (filterSchema.enum !== undefined) return pascal(path.replace(/^.*\./, ''))
  return kindOfSchema(filterSchema)
}

function kindOfMany({ path, to, part, filterSchema }: ManyValued): string {
  if (to !== undefined || part?.name === 'id') return 'References'
  return filterSchema.enum === undefined ? `${kindOfSchema(filterSchema)}List` : pascal(path.replace(/^.*\./, ''))
}

function kindOfSchema({ anyOf, format, type }: JsonSchema): string {
  if (anyOf !== undefined) return 'Timestamp'
  return KINDS_BY_FORMAT[String(format)] ?? (type === 'string' ? 'Text' : pascal(String(type)))
}
