import type { Ruled } from '../../content/access/rules.ts'
import { schemaWithout } from '../../content/writes/body.ts'
import { emptyValue, isRecord, type JsonSchema, VIOLATION } from '../../fields/field.ts'
import { OWN_SCHEMA } from '../../fields/json.ts'
import { REFERS_TO } from '../../fields/relations/relation.ts'
import { COLLECTION_KEY } from '../../fields/relations/relation-to-several.ts'
import { LISTS } from '../../fields/relations/reverse.ts'
import { DRAFT_SCHEMAS } from '../../model/drafts.ts'
import type { CollectionModel, DocumentModel, Model } from '../../model/model.ts'
import { PEOPLE_KEYS, PEOPLE_SCHEMAS } from '../../model/people.ts'
import { LOCALIZED } from '../../model/schema.ts'
import { listSchemaOf } from '../routes/schemas.ts'
import type { ApiReader } from './api-reader.ts'
import { type Components, pascal, type SchemaRef } from './components.ts'
import { exampleOf } from './examples.ts'
import { isMovable, mergePatchOf } from './own-schema.ts'
import { object, print, printRef, type Text } from './text.ts'

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

/** Keywords of schemas that readers of the document have no use for. */
const INTERNAL: ReadonlySet<string> = new Set([LOCALIZED, REFERS_TO, LISTS, OWN_SCHEMA, VIOLATION])

/** Keywords that hold several schemas. */
const COMPOSING: ReadonlySet<string> = new Set(['anyOf', 'oneOf', 'allOf'])

/** Keywords of schemas that are printed otherwise than the model has them. */
const TREATED: ReadonlySet<string> = new Set([...INTERNAL, 'discriminator', 'properties', 'items', ...COMPOSING])

/** Whether a schema is printed as it is. Most are. */
function isPlain(schema: JsonSchema): boolean {
  for (const keyword in schema) {
    if (TREATED.has(keyword) && !(COMPOSING.has(keyword) && (schema[keyword] as JsonSchema[]).every(isPlain)))
      return false
  }
  return true
}

const ID: Text = '{"type":"string","format":"uuid"}'
/** What all working copies have in common; of their fields, any may be empty. */
const WORKING_COPY: Text = print({
  type: 'object',
  description: 'An entry as its working copy has it: its fields, of which any may be null.',
  properties: { id: { type: 'string', format: 'uuid' }, ...DRAFT_SCHEMAS },
  required: ['id', ...Object.keys(DRAFT_SCHEMAS)],
})
const ONLY_NULL: JsonSchema = { type: 'null' }
const NULL: Text = print(ONLY_NULL)

/** The schema of one value. Of `const: null`, generators of clients make a value of any type. */
function onlySchema(value: unknown): JsonSchema {
  if (value === null) return ONLY_NULL
  return Array.isArray(value) && value.length === 0 ? { type: 'array', maxItems: 0, items: {} } : { const: value }
}

/** The schemas of collections and globals as one reader knows them. */
export class DocumentSchemas {
  readonly #model: Model
  readonly #reader: ApiReader
  readonly #components: Components
  /** Documents that have values by locale, or may include one that has. */
  readonly #translated: ReadonlySet<DocumentModel>
  readonly #examples = new Map<Ruled, Text | undefined>()
  readonly #refs = new Map<Ruled, Map<Form, SchemaRef>>()
  readonly #newExamples = new Map<Ruled, unknown>()
  /** The properties of each document in one form, by the name of the schema. */
  readonly #properties = new Map<string, Text>()

  constructor(model: Model, reader: ApiReader, components: Components) {
    this.#model = model
    this.#reader = reader
    this.#components = components
    this.#translated = translatedDocuments(model)
  }

  /** A document as it is answered to a write. */
  whole(document: Ruled): SchemaRef {
    return this.#schema(document, '')
  }

  /** A document in the response to a read, which may select fields. */
  read(document: Ruled): Text {
    return this.#anyForm(document, ['', 'Selection'])
  }

  /** A document in the response to a read of all locales; `undefined` where nothing in it is localized. */
  allLocales(document: Ruled): Text | undefined {
    return this.#translated.has(document) ? this.#anyForm(document, ['AllLocales']) : undefined
  }

  #anyForm(document: Ruled, forms: readonly Form[]): Text {
    const all: readonly Form[] = document.kind === 'global' ? [...forms, 'Unwritten'] : forms
    return this.#anyOf(
      all.map((form) => this.#schema(document, form)),
      false,
    )
  }

  /** A document as it is answered to a write, which may be one of its working copy. */
  written(document: Ruled, showsDrafts = false): Text {
    return showsDrafts ? this.#anyOf([this.whole(document)], true) : printRef(this.whole(document))
  }

  /** Any entry as its draft has it. */
  draft(): SchemaRef {
    return this.#components.schema('WorkingCopy', () => WORKING_COPY)
  }

  #anyOf(refs: readonly SchemaRef[], showsDrafts: boolean): Text {
    const all = showsDrafts ? [...refs, this.draft()] : refs
    return `{"anyOf":[${all.map(printRef).join(',')}]}`
  }

  create(document: Ruled): SchemaRef {
    return this.#schema(document, 'Create')
  }

  update(document: Ruled): SchemaRef {
    return this.#schema(document, 'Update')
  }

  patch(document: Ruled): SchemaRef {
    const isDeep = document.fields.some(({ field: { type } }) => type.isGroup === true || type.hasFreeKeys === true)
    return this.#schema(document, isDeep ? 'Patch' : 'Update')
  }

  /** A document as the service answers it; `undefined` where no example of one of its fields is at hand. */
  example(document: Ruled): Text | undefined {
    if (!this.#examples.has(document)) {
      this.#examples.set(document, printed(exampleOf(this.#own(document, 'read'), '')))
    }
    return this.#examples.get(document)
  }

  /** The body of a request that creates it; `undefined` where no example of a required field is at hand. */
  #newExample(document: Ruled): unknown {
    if (!this.#newExamples.has(document)) this.#newExamples.set(document, this.#makeNewExample(document))
    return this.#newExamples.get(document)
  }

  #makeNewExample(document: Ruled): unknown {
    const own = this.#own(document, 'create')
    const readOnly = this.#reader.documents.get(document)?.readOnly ?? []
    const example = exampleOf(own, '')
    if (!isRecord(example) || readOnly.length === 0) return example
    const isLacking = readOnly.some((key) => (own.required as readonly string[] | undefined)?.includes(key))
    return isLacking
      ? undefined
      : Object.fromEntries(Object.entries(example).filter(([key]) => !readOnly.includes(key)))
  }

  #schema(document: Ruled, form: Form): SchemaRef {
    const refs = this.#refs.get(document) ?? new Map<Form, SchemaRef>()
    this.#refs.set(document, refs)
    const ref = refs.get(form) ?? this.#makeSchema(document, form)
    refs.set(form, ref)
    return ref
  }

  #makeSchema(document: Ruled, form: Form): SchemaRef {
    const name = `${documentName(document)}${form}`
    return this.#components.schema(name, () => {
      if (form === '') return this.#complete(document, 'read', 'Selection', this.example(document))
      if (form === 'Unwritten') return this.#unwritten(document)
      if (form === 'Create') return this.#complete(document, 'create', 'Update', printed(this.#newExample(document)))
      return this.#part(document, form)
    })
  }

  /** A document of which parts may be missing. */
  #part(document: Ruled, form: Form): Text {
    const isBody = BODIES.includes(form)
    // The fields that name a document always come along.
    const required = isBody ? [] : [`"required":${print(document.systemKeys.before)}`]
    const examples = isBody ? examplesText(printed(changeOf(this.#newExample(document)))) : []
    return `{${[...this.#objectMembers(document, form), ...required, ...examples].join(',')}}`
  }

  /**
   * A document with all that it must have. It repeats the properties of the form that leaves parts out: generators of clients
   * ignore a `required` beside an `allOf`.
   */
  #complete(document: Ruled, side: 'read' | 'create', form: Form, example: Text | undefined): Text {
    const { description } = document
    const { required } = this.#own(document, side)
    const members = [...this.#objectMembers(document, form)]
    if (description !== undefined) members.unshift(`"description":${print(description)}`)
    if (required !== undefined) members.push(`"required":${print(required)}`)
    return `{${[...members, ...examplesText(example)].join(',')}}`
  }

  #objectMembers(document: Ruled, form: Form): readonly Text[] {
    const place = { name: `${documentName(document)}${form}`, form, isMerged: form === 'Patch' }
    const properties =
      this.#properties.get(place.name) ?? this.#printProperties(this.#ownProperties(document, form), place)
    this.#properties.set(place.name, properties)
    return ['"type":"object"', `"properties":${properties}`, '"additionalProperties":false']
  }

  #ownProperties(document: Ruled, form: Form): object {
    return this.#own(document, BODIES.includes(form) ? 'update' : 'read').properties as object
  }

  /** A global that holds nothing yet. */
  #unwritten(document: Ruled): Text {
    const own = this.#own(document, 'read')
    const empty = new Map<string, JsonSchema>(
      document.fields.map(({ key, field }) => [key, onlySchema(emptyValue(field))]),
    )
    const isOwn = (key: string): boolean => document.systemKeys.before.includes(key)
    const properties = Object.entries(own.properties as object).map(
      ([key, schema]) => [key, print(isOwn(key) ? schema : (empty.get(key) ?? ONLY_NULL))] as const,
    )
    const required = print(document.systemKeys.before)
    return `{"type":"object","properties":${object(properties)},"required":${required},"additionalProperties":false}`
  }

  /** A schema of the model, without what the reader may not know. */
  #own(document: Ruled, side: keyof DocumentModel['schemas']): JsonSchema {
    const rights = this.#reader.documents.get(document)
    const left = (side === 'read' ? rights?.hidden : rights?.absent) ?? NOTHING
    const closed = this.#closedReverses(document)
    const own = schemaWithout(document, side, closed.length === 0 ? left : new Set([...left, ...closed]))
    return rights?.hasPeople ? withPeople(own, side) : own
  }

  /** Reverse fields of collections that the reader may not list. */
  #closedReverses({ reverses }: Ruled): readonly string[] {
    const { readable } = this.#reader
    const isClosed = (to: string): boolean => !readable.has(this.#model.collections.get(to) as CollectionModel)
    return [...reverses.values()].filter(({ to }) => isClosed(to)).map(({ key }) => key)
  }

  /** Prints a schema of the model for people who have nothing but the document. */
  #print(schema: JsonSchema, place: Place): Text {
    if (isPlain(schema)) return print(schema)
    const { [LOCALIZED]: isLocalized, [REFERS_TO]: to, [OWN_SCHEMA]: own, discriminator } = schema
    if (isLocalized === true && place.form === 'AllLocales') return this.#byLocale(schema, place)
    if (typeof to === 'string') return this.#reference(schema, to, place)
    if (Array.isArray(to)) return this.#references(schema, to, place)
    if (typeof schema[LISTS] === 'string') return this.#listed(schema, schema[LISTS], place)
    if (isRecord(own)) return this.#ofConfig(own, schema, place)
    if (isRecord(discriminator)) return this.#variants(schema, String(discriminator.propertyName), place)
    return `{${this.#members(schema, place).join(',')}}`
  }

  #members(schema: JsonSchema, place: Place, omitted: ReadonlySet<string> = INTERNAL): readonly Text[] {
    const isPartial = place.isMerged && isRecord(schema.properties)
    const members: Text[] = []
    for (const keyword in schema) {
      if (omitted.has(keyword) || INTERNAL.has(keyword) || (isPartial && keyword === 'required')) continue
      members.push(`${print(keyword)}:${this.#keyword(keyword, schema[keyword], place)}`)
    }
    return members
  }

  #keyword(keyword: string, value: unknown, place: Place): Text {
    if (keyword === 'properties' && isRecord(value)) return this.#printProperties(value, place)
    if (keyword === 'items' && isRecord(value)) return this.#print(value, { ...place, isMerged: false })
    if (COMPOSING.has(keyword) && Array.isArray(value)) {
      return `[${value.map((one) => this.#print(one as JsonSchema, place)).join(',')}]`
    }
    return print(value)
  }

  #printProperties(properties: object, place: Place): Text {
    const texts: Text[] = []
    // Plain ones beside each other are printed together.
    let plain: Record<string, unknown> | undefined
    for (const [key, schema] of Object.entries(properties)) {
      if (!isRecord(schema) || isPlain(schema)) {
        plain ??= {}
        plain[key] = schema
        continue
      }
      if (plain) texts.push(print(plain).slice(1, -1))
      plain = undefined
      texts.push(`"${key}":${this.#print(schema, { ...place, name: `${place.name}.${key}` })}`)
    }
    if (plain) texts.push(print(plain).slice(1, -1))
    return `{${texts.join(',')}}`
  }

  /** A map of locale to value. */
  #byLocale({ description, [LOCALIZED]: _, ...value }: JsonSchema, place: Place): Text {
    const locales = print({ enum: this.#model.locales?.available ?? [] })
    const said = description === undefined ? '' : `"description":${print(description)},`
    return `{${said}"type":"object","propertyNames":${locales},"additionalProperties":${this.#print(value, place)}}`
  }

  /** An id, or in an answer the document that it names. Of a collection that the reader may not know, nothing is said. */
  #reference({ description, [REFERS_TO]: _, ...schema }: JsonSchema, to: string, { form }: Place): Text {
    const target = this.#model.collections.get(to)
    if (!target || !this.#reader.documents.has(target)) return print(schema)
    const shown = description === undefined ? '' : `"description":${print(description)},`
    if (BODIES.includes(form)) return `{${shown}${print(schema).slice(1)}`
    const forms: readonly Form[] = form === 'AllLocales' ? [form] : ['', 'Selection']
    const documents = forms.map((one) => printRef(this.#schema(target, one)))
    const isNullable = Array.isArray(schema.type) && schema.type.includes('null')
    return `{${shown}"anyOf":[${[ID, ...documents, ...(isNullable ? [NULL] : [])].join(',')}]}`
  }

  /**
   * A reference that names its collection, or in an answer the document in its place, told apart by the collection. Of collections
   * that the reader may not know, nothing is said but that there may be others.
   */
  #references(given: JsonSchema, to: readonly string[], place: Place): Text {
    const { [REFERS_TO]: _, [LOCALIZED]: __, description, ...schema } = given
    const targets = to.flatMap((key) => this.#model.collections.get(key) ?? [])
    const open = targets.filter((one) => this.#reader.documents.has(one))
    if (place.isMerged) return print({ description, ...mergedReference(schema, open, open.length < targets.length) })
    if (open.length === 0) return print(schema)
    const variants = open.map((target) => [target.key, this.#variantOf(target, schema, place)] as const)
    const mapping = Object.fromEntries(variants.map(([key, { $ref }]) => [key, $ref]))
    const one = print({
      oneOf: variants.map(([, ref]) => ref),
      discriminator: { propertyName: COLLECTION_KEY, mapping },
    })
    const isNullable = Array.isArray(schema.type) && schema.type.includes('null')
    const others = open.length < targets.length ? [print({ ...schema, type: 'object' })] : []
    const choices = [one, ...others, ...(isNullable ? [NULL] : [])]
    const isTold = others.length === 0 && description !== undefined
    const said = isTold ? `"description":${print(description)},` : ''
    return choices.length === 1 ? `{${said}${one.slice(1)}` : `{${said}"anyOf":[${choices.join(',')}]}`
  }

  /** A reference to an entry of one of several collections, or in an answer the entry, of which a reference is a part. */
  #variantOf(target: CollectionModel, reference: JsonSchema, { form }: Place): SchemaRef {
    const tag = { [COLLECTION_KEY]: { const: target.key } }
    if (BODIES.includes(form)) {
      const properties = { ...(reference.properties as object), ...tag }
      return this.#components.schema(`${documentName(target)}Reference`, () =>
        print({ ...reference, type: 'object', properties }),
      )
    }
    const own: Form = form === 'AllLocales' ? form : 'Selection'
    const name = `${documentName(target)}Included${form === 'AllLocales' ? form : ''}`
    return this.#components.schema(name, () => {
      const { properties } = this.#own(target, 'read')
      const members = this.#printProperties({ ...tag, ...(properties as object) }, { name, form: own, isMerged: false })
      const required = print([COLLECTION_KEY, ...target.systemKeys.before])
      return `{"type":"object","properties":${members},"required":${required},"additionalProperties":false}`
    })
  }

  /** One page of the entries that refer to a document. */
  #listed({ description }: JsonSchema, key: string, { form }: Place): Text {
    const target = this.#model.collections.get(key) as CollectionModel
    const forms: readonly Form[] = form === 'AllLocales' ? [form] : ['', 'Selection']
    const items = { anyOf: forms.map((one) => this.#schema(target, one)) }
    return print({ description, readOnly: true, ...listSchemaOf(target, items) })
  }

  /** The schema that the config gives for a value; where the value is merged, that of a merge patch to it. */
  #ofConfig(own: JsonSchema, around: JsonSchema, place: Place): Text {
    // One that names its parts otherwise than by pointers means nothing inside another document.
    const members = isMovable(own) ? [this.#ownMember(own, place)] : []
    return `{${[...this.#members(around, place), ...members].join(',')}}`
  }

  #ownMember(own: JsonSchema, { name, isMerged }: Place): Text {
    const patch = isMerged ? mergePatchOf(own) : undefined
    const ref = printRef(
      patch ? this.#components.schema(name, () => print(patch)) : this.#components.ownSchema(name, own),
    )
    // A schema that is put together of others does not say what a part of its values may be.
    return isMerged && !patch ? `"anyOf":[${ref},{"type":"object"}]` : ref.slice(1, -1)
  }

  /** Objects that one property tells apart: each has a name, so that the property's values can be mapped to them. */
  #variants(schema: JsonSchema, propertyName: string, place: Place): Text {
    const named = (schema.oneOf as readonly JsonSchema[]).map((one): readonly [string, Text] => {
      const { [propertyName]: tag } = one.properties as Readonly<Record<string, { readonly const: string }>>
      const at = { ...place, name: `${place.name}.${tag?.const}` }
      const ref = this.#components.schema(at.name, () => `{${this.#members(one, at).join(',')}}`)
      return [String(tag?.const), ref.$ref]
    })
    const variants = named.map(([, $ref]) => printRef({ $ref })).join(',')
    const discriminator = print({ propertyName, mapping: Object.fromEntries(named) })
    const rest = this.#members(schema, place, VARIANTS)
    return `{${[...rest, `"oneOf":[${variants}]`, `"discriminator":${discriminator}`].join(',')}}`
  }
}

/** The schema of a document with who made and last changed it; in a body, both change nothing. */
function withPeople(schema: JsonSchema, side: keyof DocumentModel['schemas']): JsonSchema {
  const isRead = side === 'read'
  const people = isRead ? PEOPLE_SCHEMAS : Object.fromEntries(PEOPLE_KEYS.map((key) => [key, { readOnly: true }]))
  const properties = { ...(schema.properties as object), ...people }
  const required = (schema.required ?? []) as readonly string[]
  return { ...schema, properties, ...(isRead ? { required: [...required, ...PEOPLE_KEYS] } : {}) }
}

/** Keywords of a schema of variants that are printed otherwise. */
const VARIANTS: ReadonlySet<string> = new Set(['oneOf', 'discriminator'])

function translatedDocuments({ collections, globals }: Model): ReadonlySet<DocumentModel> {
  const all: readonly DocumentModel[] = [...collections.values(), ...globals.values()]
  const translated = new Set(all.filter(({ localized }) => localized.size > 0))
  for (let before = -1; before !== translated.size; ) {
    before = translated.size
    const leads = ({ relations, reverses }: DocumentModel): boolean =>
      [...[...relations.values()].flat(), ...reverses.values()].some(({ to }) =>
        translated.has(collections.get(to) as DocumentModel),
      )
    if (before > 0) for (const one of all) if (leads(one)) translated.add(one)
  }
  return translated
}

/** A collection or global in the names of the document. */
export const documentName = ({ kind, key }: Ruled): string =>
  `${pascal(key)}${kind === 'collection' ? 'Entry' : 'Global'}`

const printed = (example: unknown): Text | undefined => (example === undefined ? undefined : print(example))

const examplesText = (example: Text | undefined): readonly Text[] =>
  example === undefined ? [] : [`"examples":[${example}]`]

/** A change of one field. */
function changeOf(body: unknown): unknown {
  const [first] = isRecord(body) ? Object.entries(body) : []
  return first && Object.fromEntries([first])
}

/** What a merge patch may say of a reference that names its collection: a part of it is merged into what is stored. */
function mergedReference(
  { required: _, ...schema }: JsonSchema,
  open: readonly CollectionModel[],
  hasOthers: boolean,
): JsonSchema {
  if (hasOthers) return schema
  const properties = { ...(schema.properties as object), [COLLECTION_KEY]: { enum: open.map(({ key }) => key) } }
  return { ...schema, properties }
}
