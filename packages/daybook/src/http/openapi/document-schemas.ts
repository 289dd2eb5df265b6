import type { CollectionOrGlobal } from '../../content/access/rules.ts'
import { getSchemaWithout } from '../../content/writes/index.ts'
import { emptyValue, isRecord, type JsonSchema, VIOLATION } from '../../fields/field.ts'
import { getDefaultText } from '../../fields/interface-text.ts'
import { CUSTOM_SCHEMA } from '../../fields/json.ts'
import { COLLECTION_KEY, REFERS_TO } from '../../fields/relation.ts'
import { LISTS_KEYWORD } from '../../fields/reverse.ts'
import { AUTHOR_KEYS, AUTHOR_SCHEMAS } from '../../model/authors.ts'
import type { CollectionModel, DocumentModel, Model } from '../../model/model.ts'
import { DRAFT_SCHEMAS, LOCALIZED } from '../../model/schema.ts'
import { buildListSchema } from '../routes/schemas.ts'
import { type Components, type Ref, toPascalCase } from './components.ts'
import { isSelfContained, toMergePatchSchema } from './config-schema.ts'
import { makeExample } from './examples.ts'
import type { VisibleApi } from './visible-api.ts'

/**
 * The form of a document: complete, with the fields of `select`, with all locales, a global before its first write, or the body of a
 * request.
 */
type Form = '' | 'Selection' | 'AllLocales' | 'Unwritten' | 'Create' | 'Update' | 'Patch'

const BODIES: readonly Form[] = ['Create', 'Update', 'Patch']

interface Place {
  /** A unique name. */
  readonly name: string
  readonly form: Form
  /** True if the value is merged into the stored one, so that required members may be missing. */
  readonly isMerged: boolean
}

const NOTHING: ReadonlySet<string> = new Set()

/** Internal keywords, which the document omits. */
const INTERNAL: ReadonlySet<string> = new Set([LOCALIZED, REFERS_TO, LISTS_KEYWORD, CUSTOM_SCHEMA, VIOLATION])

/** Keywords that hold several schemas. */
const COMPOSING: ReadonlySet<string> = new Set(['anyOf', 'oneOf', 'allOf'])

const ID: JsonSchema = { type: 'string', format: 'uuid' }
/** The common members of all drafts; any field may be empty. */
const DRAFT: JsonSchema = {
  type: 'object',
  description: 'The draft of an entry: its fields, of which any may be null.',
  properties: { id: ID, ...DRAFT_SCHEMAS },
  required: ['id', ...Object.keys(DRAFT_SCHEMAS)],
}
const NULL: JsonSchema = { type: 'null' }

const describeTexts = ({ label, description }: CollectionOrGlobal): JsonSchema => ({
  ...(label === undefined ? {} : { title: getDefaultText(label) }),
  ...(description === undefined ? {} : { description: getDefaultText(description) }),
})

/** The schemas of collections and globals that one caller may know. */
export class DocumentSchemas {
  readonly #model: Model
  readonly #visibleApi: VisibleApi
  readonly #components: Components
  /** The documents with localized values, or with relations to such documents. */
  readonly #translated: ReadonlySet<DocumentModel>
  readonly #examples = new Map<CollectionOrGlobal, unknown>()

  constructor(model: Model, visibleApi: VisibleApi, components: Components) {
    this.#model = model
    this.#visibleApi = visibleApi
    this.#components = components
    this.#translated = findTranslatedDocuments(model)
  }

  whole(document: CollectionOrGlobal): Ref {
    return this.#ref(document, '')
  }

  /** Returns the schema of a document in the response to a read, which may select fields. */
  read(document: CollectionOrGlobal): JsonSchema {
    return { anyOf: this.#readForms(document, ['', 'Selection']) }
  }

  /** Returns the schema of a document with all locales, or `undefined` if nothing in it is localized. */
  allLocales(document: CollectionOrGlobal): JsonSchema | undefined {
    return this.#translated.has(document) ? { anyOf: this.#readForms(document, ['AllLocales']) } : undefined
  }

  #readForms(document: CollectionOrGlobal, forms: readonly Form[]): readonly Ref[] {
    const isGlobal = document.kind === 'global'
    return [...forms, ...(isGlobal ? (['Unwritten'] as const) : [])].map((form) => this.#ref(document, form))
  }

  draft(): Ref {
    return this.#components.addSchema('Draft', () => DRAFT)
  }

  create(document: CollectionOrGlobal): Ref {
    return this.#ref(document, 'Create')
  }

  update(document: CollectionOrGlobal): Ref {
    return this.#ref(document, 'Update')
  }

  patch(document: CollectionOrGlobal): Ref {
    const isDeep = document.fields.some(({ field: { type } }) => type.isGroup === true || type.hasFreeKeys === true)
    return this.#ref(document, isDeep ? 'Patch' : 'Update')
  }

  /** Returns a document as the service sends it, or `undefined` if one of its fields has no known example. */
  example(document: CollectionOrGlobal): unknown {
    if (!this.#examples.has(document))
      this.#examples.set(document, makeExample(this.#visibleSchema(document, 'read'), ''))
    return this.#examples.get(document)
  }

  #ref(document: CollectionOrGlobal, form: Form): Ref {
    return this.#components.addSchema(`${getDocumentName(document)}${form}`, () => this.#build(document, form))
  }

  #build(document: CollectionOrGlobal, form: Form): JsonSchema {
    const { systemKeys } = document
    const texts = describeTexts(document)
    if (form === '') {
      const { required } = this.#visibleSchema(document, 'read')
      const example = this.example(document)
      // The properties of the selection are repeated, because client generators ignore `required` next to `allOf`.
      return { ...texts, ...this.#object(document, 'Selection'), required, ...toExamples(example) }
    }
    if (form === 'Selection' || form === 'AllLocales') {
      // The fields that identify a document are always present.
      return { ...this.#object(document, form), required: systemKeys.before }
    }
    if (form === 'Unwritten') return this.#unwritten(document)
    const example = this.#bodyExample(document)
    if (form === 'Create') {
      const { required } = this.#visibleSchema(document, 'create')
      return { ...texts, ...this.#object(document, 'Update'), required, ...toExamples(example) }
    }
    return { ...this.#object(document, form), ...toExamples(pickFirstMember(example)) }
  }

  /** Returns the schema of a document whose members are optional. */
  #object(document: CollectionOrGlobal, form: Form): JsonSchema {
    const { properties } = this.#visibleSchema(document, BODIES.includes(form) ? 'update' : 'read')
    const place = { name: `${getDocumentName(document)}${form}`, form, isMerged: form === 'Patch' }
    return { type: 'object', properties: this.#properties(properties as object, place), additionalProperties: false }
  }

  /** Returns the schema of a global before its first write. */
  #unwritten(document: CollectionOrGlobal): JsonSchema {
    const { properties } = this.#visibleSchema(document, 'read')
    const required = document.systemKeys.before
    const empty = new Map(document.fields.map(({ key, field }) => [key, buildConstSchema(emptyValue(field))]))
    const members = Object.entries(properties as object).map(([key, schema]) => [
      key,
      required.includes(key) ? schema : (empty.get(key) ?? NULL),
    ])
    return { type: 'object', properties: Object.fromEntries(members), required, additionalProperties: false }
  }

  /** Returns the body of a request that creates a document, or `undefined` if a required field has no known example. */
  #bodyExample(document: CollectionOrGlobal): unknown {
    const schema = this.#visibleSchema(document, 'create')
    const readOnly = this.#visibleApi.documents.get(document)?.readOnly ?? []
    const example = makeExample(schema, '')
    if (!isRecord(example)) return example
    if (readOnly.some((key) => (schema.required as readonly string[] | undefined)?.includes(key))) return undefined
    return Object.fromEntries(Object.entries(example).filter(([key]) => !readOnly.includes(key)))
  }

  /** Returns a schema of the model without the fields that the caller may not know. */
  #visibleSchema(document: CollectionOrGlobal, side: keyof DocumentModel['schemas']): JsonSchema {
    const { documents, readable } = this.#visibleApi
    const rights = documents.get(document)
    const hidden = (side === 'read' ? rights?.hidden : rights?.absent) ?? NOTHING
    const closedReverses = [...document.reverseFields.values()]
      .filter(({ to }) => !readable.has(this.#model.collections.get(to) as CollectionModel))
      .map(({ key }) => key)
    const schema = getSchemaWithout(document, side, new Set([...hidden, ...closedReverses]))
    return rights?.hasAuthors ? withAuthors(schema, side) : schema
  }

  #schema(schema: JsonSchema, place: Place): JsonSchema {
    const { [LOCALIZED]: isLocalized, [REFERS_TO]: to, [CUSTOM_SCHEMA]: configSchema, discriminator } = schema
    if (isLocalized === true && place.form === 'AllLocales') return this.#byLocale(schema, place)
    if (typeof to === 'string') return this.#reference(schema, to, place)
    if (Array.isArray(to)) return this.#references(schema, to, place)
    if (typeof schema[LISTS_KEYWORD] === 'string') return this.#reversePage(schema, schema[LISTS_KEYWORD], place)
    if (isRecord(configSchema)) return { ...this.#members(schema, place), ...this.#configSchema(configSchema, place) }
    if (isRecord(discriminator)) return this.#variants(schema, String(discriminator.propertyName), place)
    return this.#members(schema, place)
  }

  #members(schema: JsonSchema, place: Place): JsonSchema {
    const members: Record<string, unknown> = {}
    for (const [keyword, value] of Object.entries(schema)) {
      const isOptional = keyword === 'required' && place.isMerged && isRecord(schema.properties)
      if (INTERNAL.has(keyword) || isOptional) continue
      members[keyword] = this.#keyword(keyword, value, place)
    }
    return members
  }

  #keyword(keyword: string, value: unknown, place: Place): unknown {
    if (keyword === 'properties' && isRecord(value)) return this.#properties(value, place)
    if (keyword === 'items' && isRecord(value)) return this.#schema(value, { ...place, isMerged: false })
    if (COMPOSING.has(keyword) && Array.isArray(value)) return value.map((item) => this.#schema(item, place))
    return value
  }

  #properties(properties: object, place: Place): Readonly<Record<string, unknown>> {
    const members: Record<string, unknown> = {}
    for (const [key, schema] of Object.entries(properties)) {
      members[key] = isRecord(schema) ? this.#schema(schema, { ...place, name: `${place.name}.${key}` }) : schema
    }
    return members
  }

  #byLocale({ description, [LOCALIZED]: _, ...value }: JsonSchema, place: Place): JsonSchema {
    return {
      description,
      type: 'object',
      propertyNames: { enum: this.#model.locales?.available ?? [] },
      additionalProperties: this.#schema(value, place),
    }
  }

  /** Returns the schema of an id, or in a response also of the document. It does not reveal a collection that the caller may not know. */
  #reference({ description, [REFERS_TO]: _, ...schema }: JsonSchema, to: string, { form }: Place): JsonSchema {
    const target = this.#model.collections.get(to)
    if (!target || !this.#visibleApi.documents.has(target)) return schema
    if (BODIES.includes(form)) return { description, ...schema }
    return { description, anyOf: [ID, ...this.#includedForms(target, form), ...(isNullable(schema) ? [NULL] : [])] }
  }

  /** Returns the schemas of a document that is included in another one of this form. */
  #includedForms(target: CollectionModel, form: Form): readonly Ref[] {
    return (form === 'AllLocales' ? [form] : (['', 'Selection'] as const)).map((includedForm) =>
      this.#ref(target, includedForm),
    )
  }

  /**
   * Returns the schema of a reference with its collection, or in a response also of the included document, discriminated by the
   * collection. If the caller may not know some of the collections, the schema also allows any object.
   */
  #references(
    { [REFERS_TO]: _, [LOCALIZED]: __, description, ...schema }: JsonSchema,
    to: readonly string[],
    place: Place,
  ): JsonSchema {
    const targets = to.flatMap((key) => this.#model.collections.get(key) ?? [])
    const visible = targets.filter((target) => this.#visibleApi.documents.has(target))
    const isComplete = visible.length === targets.length
    if (place.isMerged) return { description, ...buildReferencePatch(schema, isComplete ? visible : undefined) }
    if (visible.length === 0) return schema
    const variants = visible.map((target) => [target.key, this.#referenceVariant(target, schema, place)] as const)
    const choice = {
      oneOf: variants.map(([, ref]) => ref),
      discriminator: {
        propertyName: COLLECTION_KEY,
        mapping: Object.fromEntries(variants.map(([key, { $ref }]) => [key, $ref])),
      },
    }
    const choices = [
      choice,
      ...(isComplete ? [] : [{ ...schema, type: 'object' }]),
      ...(isNullable(schema) ? [NULL] : []),
    ]
    return { ...(isComplete ? { description } : {}), ...(choices.length === 1 ? choice : { anyOf: choices }) }
  }

  /** Returns the schema of a reference to one of several collections; in a response that of the entry, which includes the reference. */
  #referenceVariant(target: CollectionModel, reference: JsonSchema, { form }: Place): Ref {
    const tag = { [COLLECTION_KEY]: { const: target.key } }
    if (BODIES.includes(form)) {
      const properties = { ...(reference.properties as object), ...tag }
      const schema = { ...reference, type: 'object', properties }
      return this.#components.addSchema(`${getDocumentName(target)}Reference`, () => schema)
    }
    const includedForm: Form = form === 'AllLocales' ? form : 'Selection'
    const name = `${getDocumentName(target)}Included${form === 'AllLocales' ? form : ''}`
    return this.#components.addSchema(name, () => {
      const { properties } = this.#visibleSchema(target, 'read')
      const place = { name, form: includedForm, isMerged: false }
      return {
        type: 'object',
        properties: this.#properties({ ...tag, ...(properties as object) }, place),
        required: [COLLECTION_KEY, ...target.systemKeys.before],
        additionalProperties: false,
      }
    })
  }

  /** Returns the schema of a reverse field: one page of the entries that refer to the document. */
  #reversePage({ description }: JsonSchema, key: string, { form }: Place): JsonSchema {
    const target = this.#model.collections.get(key) as CollectionModel
    const entry = { anyOf: this.#includedForms(target, form) }
    return { description, readOnly: true, ...buildListSchema(target, entry) }
  }

  /** Returns the keywords for a custom schema of the config, or for a merge patch to its values. */
  #configSchema(schema: JsonSchema, { name, isMerged }: Place): JsonSchema {
    // A schema with other references than pointers to its parts cannot be embedded.
    if (!isSelfContained(schema)) return {}
    const patch = isMerged ? toMergePatchSchema(schema) : undefined
    if (patch) return this.#components.addSchema(name, () => patch)
    const ref = this.#components.addSelfReferringSchema(name, schema)
    // A composed schema does not tell which parts of its values are valid.
    return isMerged ? { anyOf: [ref, { type: 'object' }] } : ref
  }

  /** Returns the schema of objects with a discriminator, whose values are mapped to named schemas. */
  #variants({ oneOf, discriminator: _, ...schema }: JsonSchema, propertyName: string, place: Place): JsonSchema {
    const variants = (oneOf as readonly JsonSchema[]).map((variant) => {
      const { [propertyName]: tag } = variant.properties as Readonly<Record<string, { readonly const: string }>>
      const variantPlace = { ...place, name: `${place.name}.${tag?.const}` }
      const ref = this.#components.addSchema(variantPlace.name, () => this.#members(variant, variantPlace))
      return [String(tag?.const), ref] as const
    })
    return {
      ...this.#members(schema, place),
      oneOf: variants.map(([, ref]) => ref),
      discriminator: { propertyName, mapping: Object.fromEntries(variants.map(([value, { $ref }]) => [value, $ref])) },
    }
  }
}

/** Adds the authors to the schema of a document; in a body, they are ignored. */
function withAuthors(schema: JsonSchema, side: keyof DocumentModel['schemas']): JsonSchema {
  const isRead = side === 'read'
  const authors = isRead ? AUTHOR_SCHEMAS : Object.fromEntries(AUTHOR_KEYS.map((key) => [key, { readOnly: true }]))
  const properties = { ...(schema.properties as object), ...authors }
  const required = (schema.required ?? []) as readonly string[]
  return { ...schema, properties, ...(isRead ? { required: [...required, ...AUTHOR_KEYS] } : {}) }
}

function findTranslatedDocuments({ collections, globals }: Model): ReadonlySet<DocumentModel> {
  const documents: readonly DocumentModel[] = [...collections.values(), ...globals.values()]
  const translated = new Set(documents.filter(({ localized }) => localized.size > 0))
  for (let previousSize = -1; previousSize !== translated.size; ) {
    previousSize = translated.size
    const leadsToTranslated = ({ relations, reverseFields }: DocumentModel): boolean =>
      [...[...relations.values()].flat(), ...reverseFields.values()].some(({ to }) =>
        translated.has(collections.get(to) as DocumentModel),
      )
    if (previousSize > 0) for (const document of documents) if (leadsToTranslated(document)) translated.add(document)
  }
  return translated
}

export const getDocumentName = ({ kind, key }: CollectionOrGlobal): string =>
  `${toPascalCase(key)}${kind === 'collection' ? 'Entry' : 'Global'}`

const toExamples = (example: unknown): JsonSchema => (example === undefined ? {} : { examples: [example] })

/** Returns a body that changes one field. */
function pickFirstMember(body: unknown): unknown {
  const [first] = isRecord(body) ? Object.entries(body) : []
  return first && Object.fromEntries([first])
}

const isNullable = ({ type }: JsonSchema): boolean => Array.isArray(type) && type.includes('null')

/** Returns the schema of a single value. From `const: null`, client generators would create a value of any type. */
function buildConstSchema(value: unknown): JsonSchema {
  if (value === null) return NULL
  return Array.isArray(value) && value.length === 0 ? { type: 'array', maxItems: 0, items: {} } : { const: value }
}

/**
 * Returns the schema of a merge patch to a reference with its collection.
 *
 * @param targets all possible collections; `undefined` if the caller may not know some of them
 */
function buildReferencePatch(
  { required: _, ...schema }: JsonSchema,
  targets: readonly CollectionModel[] | undefined,
): JsonSchema {
  if (!targets) return schema
  const properties = { ...(schema.properties as object), [COLLECTION_KEY]: { enum: targets.map(({ key }) => key) } }
  return { ...schema, properties }
}
