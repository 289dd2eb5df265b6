import type { Ruled } from '../../content/access/rules.ts'
import { schemaWithout } from '../../content/writes/body.ts'
import { emptyValue, isRecord, type JsonSchema } from '../../fields/field.ts'
import { OWN_SCHEMA } from '../../fields/json.ts'
import { REFERS_TO } from '../../fields/relation.ts'
import type { DocumentModel, Model } from '../../model/model.ts'
import { LOCALIZED } from '../../model/schema.ts'
import type { ApiReader } from './api-reader.ts'
import { type Components, pascal } from './components.ts'
import { exampleOf } from './examples.ts'
import { isMovable, moved } from './own-schema.ts'

/**
 * In which form a document is sent: whole, with the fields that `select` names, with all its locales, a global before it is
 * first written, or as the body of a request.
 */
type Form = '' | 'Selection' | 'AllLocales' | 'Unwritten' | 'Create' | 'Update' | 'Patch'

const BODIES: readonly Form[] = ['Create', 'Update', 'Patch']

/** Where a schema stands. */
interface Place {
  /** A name that no other place has. */
  readonly name: string
  readonly form: Form
  /** Whether what is sent is merged into what is stored, so that parts of it may be missing. */
  readonly isMerged: boolean
}

const NOTHING: ReadonlySet<string> = new Set()

/** Keywords of schemas that are printed otherwise than the model has them. */
const TREATED: ReadonlySet<string> = new Set([
  LOCALIZED,
  REFERS_TO,
  OWN_SCHEMA,
  'errorMessage',
  'discriminator',
  'properties',
  'items',
  'anyOf',
  'oneOf',
  'allOf',
])

/** Whether a schema is printed as it is. Most are, and nothing is to be copied for them. */
function isPlain(schema: JsonSchema): boolean {
  for (const keyword in schema) if (TREATED.has(keyword)) return false
  return true
}

const NULL: JsonSchema = { type: 'null' }
const ID: JsonSchema = { type: 'string', format: 'uuid' }

/** The schemas of collections and globals as one reader knows them. */
export class DocumentSchemas {
  readonly #model: Model
  readonly #reader: ApiReader
  readonly #components: Components
  /** Documents that have values by locale, or may include one that has. */
  readonly #translated: ReadonlySet<DocumentModel>

  constructor(model: Model, reader: ApiReader, components: Components) {
    this.#model = model
    this.#reader = reader
    this.#components = components
    this.#translated = translatedDocuments(model)
  }

  /** Keys of the collections that the reader may know. */
  get collections(): readonly string[] {
    return [...this.#model.collections.values()].filter((one) => this.#reader.documents.has(one)).map(({ key }) => key)
  }

  /** A document as it is answered to a write. */
  whole(document: Ruled): JsonSchema {
    return this.#schema(document, '')
  }

  /** A document as it is answered to a read, which may select fields and ask for all locales. */
  read(document: Ruled): JsonSchema {
    const forms: readonly Form[] = document.kind === 'global' ? ['Unwritten'] : []
    return { anyOf: [...this.#forms(document), ...forms].map((form) => this.#schema(document, form)) }
  }

  create(document: Ruled): JsonSchema {
    return this.#schema(document, 'Create')
  }

  update(document: Ruled): JsonSchema {
    return this.#schema(document, 'Update')
  }

  patch(document: Ruled): JsonSchema {
    const isDeep = document.fields.some(({ field: { type } }) => type.isGroup === true || type.hasFreeKeys === true)
    return this.#schema(document, isDeep ? 'Patch' : 'Update')
  }

  #schema(document: Ruled, form: Form): JsonSchema {
    const name = `${nameOf(document)}${form}`
    return this.#components.schema(name, () => {
      if (form === '') return this.#complete(document, 'read', 'Selection')
      if (form === 'Unwritten') return this.#unwritten(document)
      if (form === 'Create') return this.#complete(document, 'create', 'Update')
      return this.#part(document, { name, form, isMerged: form === 'Patch' })
    })
  }

  /** What a document may hold. */
  #part(document: Ruled, place: Place): JsonSchema {
    const isBody = BODIES.includes(place.form)
    const { required: _, ...schema } = this.#print(this.#own(document, isBody ? 'update' : 'read'), place)
    // What names a document always comes along.
    return isBody ? schema : { ...schema, required: document.systemKeys.before }
  }

  /** What a document must hold besides. */
  #complete(document: Ruled, side: 'read' | 'create', form: Form): JsonSchema {
    const { description } = document
    const own = this.#own(document, side)
    const { required } = own
    return {
      ...(description === undefined ? {} : { description }),
      allOf: [this.#schema(document, form)],
      ...(required === undefined ? {} : { required }),
      ...(side === 'create' ? examplesOf(own) : {}),
    }
  }

  /** A global that holds nothing yet. */
  #unwritten(document: Ruled): JsonSchema {
    const own = this.#own(document, 'read')
    const values = document.fields.map(({ key, field }) => [key, emptyValue(field)] as const)
    const empty = new Map<string, unknown>(values)
    const isOwn = (key: string): boolean => document.systemKeys.before.includes(key)
    const properties = Object.entries(own.properties as object).map(([key, schema]) => [
      key,
      isOwn(key) ? schema : { const: empty.get(key) ?? null },
    ])
    return { ...own, properties: Object.fromEntries(properties), required: document.systemKeys.before }
  }

  /** A schema of the model, without what the reader may not know. */
  #own(document: Ruled, side: keyof DocumentModel['schemas']): JsonSchema {
    const rights = this.#reader.documents.get(document)
    return schemaWithout(document, side, (side === 'read' ? rights?.hidden : rights?.absent) ?? NOTHING)
  }

  /** The forms in which a read answers a document. */
  #forms(document: DocumentModel): readonly Form[] {
    return this.#translated.has(document) ? ['', 'Selection', 'AllLocales'] : ['', 'Selection']
  }

  /** Prints a schema of the model for people who have nothing but the document. */
  #print(schema: JsonSchema, place: Place): JsonSchema {
    if (isPlain(schema)) return schema
    const { [LOCALIZED]: isLocalized, [REFERS_TO]: to, errorMessage: _, ...rest } = schema
    if (isLocalized === true && place.form === 'AllLocales') return this.#byLocale(rest, to, place)
    if (typeof to === 'string') return this.#reference(rest, to, place)
    if (isRecord(rest[OWN_SCHEMA])) return this.#ofConfig(rest[OWN_SCHEMA], rest, place)
    if (isRecord(rest.discriminator)) return this.#variants(rest, rest.discriminator.propertyName as string, place)
    return this.#printParts(rest, place)
  }

  #printParts({ required, ...schema }: JsonSchema, place: Place): JsonSchema {
    const parts: Record<string, unknown> = {}
    for (const [keyword, value] of Object.entries(schema)) parts[keyword] = this.#printPart(keyword, value, place)
    const isPartial = place.isMerged && isRecord(schema.properties)
    return { ...parts, ...(required === undefined || isPartial ? {} : { required }) }
  }

  #printPart(keyword: string, value: unknown, place: Place): unknown {
    if (keyword === 'properties' && isRecord(value)) {
      const printed: Record<string, unknown> = {}
      for (const [key, inner] of Object.entries(value)) {
        const isTreated = isRecord(inner) && !isPlain(inner)
        printed[key] = isTreated ? this.#print(inner, { ...place, name: `${place.name}.${key}` }) : inner
      }
      return printed
    }
    if (keyword === 'items' && isRecord(value)) return this.#print(value, { ...place, isMerged: false })
    if ((keyword === 'anyOf' || keyword === 'oneOf' || keyword === 'allOf') && Array.isArray(value)) {
      return value.map((one) => this.#print(one as JsonSchema, place))
    }
    return value
  }

  /** A map of locale to value. */
  #byLocale({ description, ...value }: JsonSchema, to: unknown, place: Place): JsonSchema {
    return {
      ...(description === undefined ? {} : { description }),
      type: 'object',
      propertyNames: { enum: this.#model.locales?.available ?? [] },
      additionalProperties: this.#print(to === undefined ? value : { ...value, [REFERS_TO]: to }, place),
    }
  }

  /** An id, or in an answer the document that it names. Of a collection that the reader may not know, nothing is said. */
  #reference({ description, ...schema }: JsonSchema, to: string, { form }: Place): JsonSchema {
    const target = this.#model.collections.get(to)
    const isKnown = target !== undefined && this.#reader.documents.has(target)
    const shown = isKnown ? { description } : {}
    if (!isKnown || BODIES.includes(form)) return { ...shown, ...schema }
    const forms: readonly Form[] = form === 'AllLocales' ? [form] : ['', 'Selection']
    const documents = forms.map((one) => this.#schema(target, one))
    const isNullable = Array.isArray(schema.type) && schema.type.includes('null')
    return { ...shown, anyOf: [ID, ...documents, ...(isNullable ? [NULL] : [])] }
  }

  /** The schema that the config gives for a value. A part that is merged need not hold to it. */
  #ofConfig(
    own: Readonly<Record<string, unknown>>,
    { [OWN_SCHEMA]: _, ...rest }: JsonSchema,
    place: Place,
  ): JsonSchema {
    // One that names its parts otherwise than by pointers means nothing inside another document.
    if (place.isMerged || !isMovable(own)) return rest
    return { ...rest, ...this.#components.schema(place.name, () => moved(own, `#/components/schemas/${place.name}`)) }
  }

  /** Objects that one property tells apart: each has a name, so that the property's values can be mapped to them. */
  #variants({ oneOf, ...schema }: JsonSchema, propertyName: string, place: Place): JsonSchema {
    const named = (oneOf as readonly JsonSchema[]).map((one) => {
      const { [propertyName]: tag } = one.properties as Readonly<Record<string, { readonly const: string }>>
      const at = { ...place, name: `${place.name}.${tag?.const}` }
      return [String(tag?.const), this.#components.schema(at.name, () => this.#printParts(one, at))] as const
    })
    const mapping = Object.fromEntries(named.map(([tag, { $ref }]) => [tag, $ref]))
    return { ...schema, oneOf: named.map(([, ref]) => ref), discriminator: { propertyName, mapping } }
  }
}

function translatedDocuments({ collections, globals }: Model): ReadonlySet<DocumentModel> {
  const all: readonly DocumentModel[] = [...collections.values(), ...globals.values()]
  const translated = new Set(all.filter(({ localized }) => localized.size > 0))
  for (let before = -1; before !== translated.size; ) {
    before = translated.size
    const leads = ({ relations }: DocumentModel): boolean =>
      [...relations.values()].flat().some(({ to }) => translated.has(collections.get(to) as DocumentModel))
    if (before > 0) for (const one of all) if (leads(one)) translated.add(one)
  }
  return translated
}

const nameOf = ({ kind, key }: Ruled): string => `${pascal(key)}${kind === 'collection' ? 'Entry' : 'Global'}`

function examplesOf(schema: JsonSchema): { readonly examples?: readonly unknown[] } {
  const example = exampleOf(schema, '')
  return example === undefined ? {} : { examples: [example] }
}
