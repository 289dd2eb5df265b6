import type { JsonSchema } from '../../fields/field.ts'
import { FILTERABLE_AUTHOR_FIELDS } from '../../model/authors.ts'
import type { CollectionModel, FilterableField, MultiValuedField } from '../../model/model.ts'
import { listOperators, MEMBER_OPERATORS, type NamedOperator } from '../../query/operators.ts'
import { MAX_VALUES } from '../../query/where.ts'
import { type Components, type Ref, toPascalCase } from './components.ts'
import type { VisibleApi } from './visible-api.ts'

/** The maximum number of members of an `and` or `or`. */
const MAX_BRANCHES = 1000

/**
 * The schemas of `where`, one for each collection: its fields and those of related collections, each with its operators. Fields of one
 * type share the schema of their operators.
 */
export class FilterSchemas {
  readonly #visibleApi: VisibleApi
  readonly #components: Components
  readonly #collections: ReadonlyMap<string, CollectionModel>
  readonly #fields = new Map<CollectionModel, Readonly<Record<string, Ref>>>()

  constructor(visibleApi: VisibleApi, components: Components) {
    this.#visibleApi = visibleApi
    this.#components = components
    this.#collections = getReadableCollections(visibleApi)
  }

  /** Returns a reference to the schema of a collection's filter. */
  where(collection: CollectionModel): Ref {
    const where = this.#components.addSchema(`${toPascalCase(collection.key)}Where`, () => {
      const branches = { type: 'array', items: where, minItems: 1, maxItems: MAX_BRANCHES }
      return {
        type: 'object',
        properties: {
          ...this.#fieldsOf(collection),
          ...this.#relatedFields(collection),
          and: branches,
          or: branches,
          // Scalar expands nested object parameters, without an end for a recursive schema.
          not: { allOf: [where] },
        },
        minProperties: 1,
        additionalProperties: false,
      }
    })
    return where
  }

  /** Returns the operators of the fields of a collection, without those of relations, by path. */
  #fieldsOf(collection: CollectionModel): Readonly<Record<string, Ref>> {
    const cached = this.#fields.get(collection)
    if (cached) return cached
    const fields: Record<string, Ref> = {}
    for (const field of this.#visible(collection, collection.filterableFields)) {
      fields[field.path] = this.#operatorsRef(field, listOperators(field), getKind(field))
    }
    if (this.#visibleApi.documents.get(collection)?.hasAuthors) {
      for (const field of FILTERABLE_AUTHOR_FIELDS.values()) {
        fields[field.path] = this.#operatorsRef(field, listOperators(field), getKind(field))
      }
    }
    for (const field of this.#visible(collection, collection.multiValuedFields)) {
      fields[field.path] = this.#operatorsRef(field, MEMBER_OPERATORS, getKindOfMany(field))
    }
    this.#fields.set(collection, fields)
    return fields
  }

  #relatedFields(collection: CollectionModel): Readonly<Record<string, Ref>> {
    const { filterableFields, multiValuedFields } = collection
    const fields: Record<string, Ref> = {}
    const relations = [...this.#visible(collection, filterableFields), ...this.#visible(collection, multiValuedFields)]
    for (const { path, to = '' } of relations) {
      const target = this.#collections.get(to)
      if (!target) continue
      for (const [targetPath, operators] of Object.entries(this.#fieldsOf(target))) {
        fields[`${path}.${targetPath}`] = operators
      }
    }
    return fields
  }

  #visible<F extends FilterableField | MultiValuedField>(
    collection: CollectionModel,
    fields: ReadonlyMap<string, F>,
  ): readonly F[] {
    const hidden = this.#visibleApi.documents.get(collection)?.hidden
    return [...fields.values()].filter(({ owner }) => !hidden?.has(owner))
  }

  #operatorsRef(field: FilterableField | MultiValuedField, operators: readonly NamedOperator[], kind: string): Ref {
    const schema = buildOperatorsSchema(this.#valueSchema(field), operators)
    return this.#components.addShared('schemas', `${kind}Filter`, schema)
  }

  /** Returns the schema of the operands. Collection keys are restricted to those that the caller may read. */
  #valueSchema({ part, filterSchema }: FilterableField | MultiValuedField): JsonSchema {
    if (part?.name !== 'collection') return filterSchema
    const readable = part.targets.filter((target) => this.#collections.has(target))
    return readable.length > 0 ? { type: 'string', enum: readable } : { type: 'string' }
  }
}

export function getReadableCollections({ readable }: VisibleApi): ReadonlyMap<string, CollectionModel> {
  const collections = [...readable].filter((document) => document.kind === 'collection')
  return new Map(collections.map((collection) => [collection.key, collection]))
}

function buildOperatorsSchema(value: JsonSchema, operators: readonly NamedOperator[]): JsonSchema {
  const list = { type: 'array', items: value, minItems: 1, maxItems: MAX_VALUES }
  const schemas = { value, text: value, values: list, presence: { type: 'boolean' } }
  const properties = operators.map(({ name, operator }) => [name, schemas[operator.operand]] as const)
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    minProperties: 1,
    additionalProperties: false,
  }
}

const KINDS_BY_FORMAT: Readonly<Record<string, string>> = { date: 'Date', 'date-time': 'Timestamp', uuid: 'Id' }

/** Returns the prefix for the name of a schema of operators. */
function getKind({ path, to, part, filterSchema }: FilterableField): string {
  if (to !== undefined || part?.name === 'id') return 'Reference'
  if (filterSchema.enum !== undefined) return toPascalCase(path.replace(/^.*\./, ''))
  return getKindOfSchema(filterSchema)
}

function getKindOfMany({ path, to, part, filterSchema }: MultiValuedField): string {
  if (to !== undefined || part?.name === 'id') return 'References'
  return filterSchema.enum === undefined
    ? `${getKindOfSchema(filterSchema)}List`
    : toPascalCase(path.replace(/^.*\./, ''))
}

function getKindOfSchema({ anyOf, format, type }: JsonSchema): string {
  if (anyOf !== undefined) return 'Timestamp'
  return KINDS_BY_FORMAT[String(format)] ?? (type === 'string' ? 'Text' : toPascalCase(String(type)))
}
