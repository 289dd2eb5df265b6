import type { Caller } from '../auth/adapter.ts'
import type { ShowIf } from '../show-if.ts'
import type { InterfaceText } from './interface-text.ts'
import type { FieldValidator } from './validation.ts'

/** A JSON Schema (2020-12) as plain data. */
export type JsonSchema = { readonly [keyword: string]: unknown }

/** A rule that decides if a caller may read or write a field. Without it, only the collection's rule applies. */
export type FieldRule = (caller: Caller) => boolean

/** The rules of a field. A field that the caller may not read does not exist for that caller. */
export interface FieldAccess {
  readonly read?: FieldRule
  readonly write?: FieldRule
}

/** The input of a {@link DefaultRule}: the caller and the time of the write. */
export interface DefaultRequest extends Caller {
  /** The time of the write, ISO 8601 in UTC with milliseconds, the same for all defaults of a document. */
  readonly now: string
}

/** Makes the default value of a new document, or nothing. It is synchronous. */
export type DefaultRule<Value = unknown> = (request: DefaultRequest) => Value | null | undefined

/** Makes a value from a stored entry, which may have invalid values, and values of fields that the config no longer has. */
export type FillFunction = (entry: Readonly<Record<string, unknown>>) => unknown

/** The value for a stored document whose field is empty or has an invalid value. */
export type Fill = FillFunction | string | number | boolean | readonly unknown[] | Readonly<Record<string, unknown>>

/** The place of a field in the Studio. */
export interface FieldPlacement {
  /** `side` is the panel beside the text. @default 'main' */
  readonly position?: 'main' | 'side'
}

export interface CommonOptions<Value = unknown> {
  /** True if the field must have a value after every write. A text of white space is no value. @default false */
  readonly required?: boolean
  /**
   * The name of the field for people: a text, or one for each language, such as `{ en: 'Title', de: 'Titel' }`. @default its key, in words
   * @see docs/guides/modelling-content.md#name-things-for-people
   */
  readonly label?: InterfaceText
  /** A description for people and for the OpenAPI document: a text, or one for each language. */
  readonly description?: InterfaceText
  /**
   * The place of the field in the Studio: `{ position: 'side' }` puts it into the panel beside the text. Top-level fields only.
   * @default among the other fields @see docs/guides/modelling-content.md#arrange-the-form
   */
  readonly admin?: FieldPlacement
  /**
   * The condition on which the field is shown, required and validated: values of the fields beside it, such as `{ kind: 'event' }` or
   * `{ kind: { in: ['event', 'talk'] }, featured: true }`, with the operators `eq`, `ne`, `in`, `nin` and `exists`. The value of a field
   * that is not shown stays. @default always @see docs/guides/modelling-content.md#show-a-field-on-a-condition
   */
  readonly showIf?: ShowIf
  /** True if each locale has its own value; needs `locales`. @default false @see docs/concepts/locales.md */
  readonly localized?: boolean
  /**
   * `{ read, write }`, each a synchronous function of the caller that returns true or false. A field that the caller may not read does not
   * exist for that caller, unless a `write` rule allows writes. Top-level fields only. @default everyone who may see the entry
   * @see docs/concepts/access.md#restrict-fields-and-globals
   */
  readonly access?: FieldAccess
  /**
   * Checks the value in its otherwise valid document: `(value, { entry, before, operation, identity, locale, content })`. Returns nothing if
   * the value is valid, else issues. @see docs/guides/hooks.md#check-what-is-written
   */
  readonly validate?: FieldValidator<Value>
  /** The former key of the field; `daybook migrate` moves the values. @see docs/guides/changing-your-config.md */
  readonly renamedFrom?: string
  /**
   * The value that `daybook migrate --apply` stores in documents in which a required field is empty, that are older than an optional field,
   * or whose value is no longer valid. A value, or a function of the entry, which may be async. Top-level fields only.
   * @see docs/guides/changing-your-config.md#require-a-field
   */
  readonly fill?: Fill
}

/** Further options of a field with one string, number or boolean. */
export interface ScalarOptions<Value = unknown> extends CommonOptions<Value> {
  /** True if no two entries of the collection may have the same value, in the same locale if it is localized. Top-level fields only, without `access.read`. @default false */
  readonly unique?: boolean
  /** `false` saves the index. The field can then not be filtered, sorted or counted. @default true */
  readonly index?: boolean
}

/** The option of a field with few different values, such as categories, years or flags. */
export interface CountedOptions {
  /**
   * True to store the number of entries for each value, so that `aggregate=count:FIELD` of a list without a filter costs the same at any
   * size. Each write then also updates a row for each added or removed value. Not with `localized`. @default false
   * @see docs/guides/count-and-group.md#keep-counts
   */
  readonly counted?: boolean
}

/** The options of a field of any type: the common ones, and others. */
export type AnyOptions = CommonOptions & { readonly [option: string]: unknown }

/** Type-level marks in the return type of a builder that describe the values of a field. They are never set. */
export interface FieldMarks {
  /** Reads never return `null`. */
  readonly '~filled'?: true
  /** The service makes a value for a new entry without one, if `from` names its source. */
  readonly '~slug'?: true
  /** The value is the entry's status. */
  readonly '~status'?: true
  /** The field can be neither filtered nor sorted. */
  readonly '~unfiltered'?: true
  /** A text that filters compare only as a whole. */
  readonly '~whole'?: true
}

/**
 * One field of a collection or global: its type, and its options in the config. `Value` is the type of a value in reads, `Write` in writes.
 * `Generated` has the values that are served besides: `{ Html: string }` of a field `body` is `bodyHtml`.
 */
export interface Field<
  Value = unknown,
  Options extends object = AnyOptions,
  Write = Value,
  Generated extends GeneratedValues = Record<never, never>,
> {
  readonly type: FieldType
  readonly options: Options
  /** The types of generated values; never set. */
  readonly '~generated'?: Generated
  /** The type of the value in reads; never set. */
  readonly '~value'?: Value
  /** The type of the value in writes; never set. */
  readonly '~write'?: Write
}

/** The types of generated values, by the end of their key. */
export type GeneratedValues = Readonly<Record<string, unknown>>

/** Fields by key, in the order in which they are served. */
export type Fields = Readonly<Record<string, Field>>

/** The type by which values compare in filters, sorts and indexes. */
export type Scalar = 'text' | 'number' | 'boolean'

/** Checks the value of an option. Returns the message of the fault if it is invalid, such as `must be a number`. */
export type OptionRule = (value: unknown) => string | undefined

/** Collects the faults of a config. */
export interface FaultReport {
  /** @param path of the fault, such as `collections.posts.fields.title.maxLength` @param message a predicate or sentences: see `ConfigFault` */
  add(path: string, message: string): void
}

/** The surroundings of a field, for checks that need more than its options. */
export interface FieldPlace {
  readonly path: string
  /** The fields of the same document or group. */
  readonly siblings: Fields
  /** The key of its collection; `undefined` in a global. */
  readonly collection: string | undefined
  /** Keys of all collections. */
  readonly collections: readonly string[]
  /** Returns the fields of a collection, or `undefined` if it does not exist. */
  fieldsOf(collection: string): Fields | undefined
  readonly isNested: boolean
  /** True if this field or the one around it has a rule for reading, so that no option may reveal its values. */
  readonly isGuarded: boolean
  /** Checks fields inside this one. */
  checkNested(fields: unknown, path: string): void
}

/** Visits each child of a container value while the container is copied. */
export interface Visitor {
  /**
   * Returns the object to read instead of an object of fields.
   *
   * @default the object itself
   * @param index the position of a block among its blocks; `undefined` for any other object
   */
  enter?(
    fields: Fields,
    value: Readonly<Record<string, unknown>>,
    index: number | undefined,
  ): Readonly<Record<string, unknown>>
  /**
   * Returns the value that replaces a child.
   *
   * @param key its key in an object of fields; `''` for an item of a list
   */
  value(field: Field, value: unknown, key: string): unknown
  /** True if the copy keeps keys without a field. @default false */
  readonly keepsUnknownKeys?: boolean
  /** Sets a generated value on the copy. @param stored the former value */
  generated(generated: Generated, copy: Record<string, unknown>, source: unknown, stored: unknown): void
}

/** A reference from one document to another. */
export interface Reference {
  readonly collection: string
  readonly id: string
  /** The collections that it may refer to. @default only `collection` */
  readonly allowedCollections?: readonly string[]
  /** The requirement on its target. @default none */
  readonly requirement?: TargetRequirement
}

/** A requirement that a reference has on its target in a write. */
export interface TargetRequirement {
  /** The requirement as a `where` of a list. */
  readonly where: object
  /** The requirement in words, after "takes". */
  readonly description: string
  /** The params of the issue about an invalid target. */
  readonly params: { readonly values?: readonly string[] | undefined; readonly limit?: number | undefined }
}

/** The target and the cardinality of a relation, and its behaviour on deletions. */
export interface RelationInfo {
  /** The key of the target collection, or a list of keys if references have a collection. */
  readonly to: string | readonly string[]
  readonly many: boolean
  /** The effect of a deletion of the target: removing the reference, or rejecting the deletion. */
  readonly onDelete: 'unset' | 'restrict'
  /** True if filters find entries by references to several collections. @default false */
  readonly isIndexed?: boolean
  /** The accepted media types of files. @default every type */
  readonly accept?: readonly string[] | undefined
  /** The maximum size of files, in bytes. @default any size */
  readonly maxBytes?: number | undefined
}

/** Returns the keys of the target collections of a relation. */
export const getTargets = ({ to }: RelationInfo): readonly string[] => (typeof to === 'string' ? [to] : to)

/** The relation whose referring entries a reverse field lists. */
export interface ReverseInfo {
  /** The key of the referring collection. */
  readonly collection: string
  /** The dotted path of the relation. */
  readonly path: string
}

/** The text of a value for searches with `q`. */
export interface SearchInfo {
  /** The weight of a match. */
  readonly weight: number
  words(value: unknown): string
}

/** The member that identifies an item of a list of objects, or a block. The service makes it if a write leaves it out. */
export const ITEM_KEY = '_key'

/** Creates the schema of an object of fields, with an {@link ITEM_KEY} for an item. */
export type NestSchema = (fields: Fields, isItem?: boolean) => JsonSchema

/** Fields inside a container. */
export interface InnerFields {
  readonly fields: Fields
  /** The path among the container's options, such as `types.quote`. */
  readonly path: string
  /** The `_type` of values with these fields. @default every value */
  readonly block?: string
  /** The group that describes the block, if the config has one. */
  readonly group?: Field | undefined
}

/** The tools for deriving a generated value. */
export interface DeriveTools {
  /** Converts Markdown to sanitized HTML. */
  renderMarkdown(source: string): Promise<string>
}

/** A value that the service generates from that of a field. */
export type Generated = DerivedValue | ExtractedValue

interface ServedValue {
  /** The field's key with an ending, which the type of {@link Field} has. */
  readonly key: string
  readonly schema: JsonSchema
}

/** A value that is derived when the field is written, such as the HTML of a Markdown text. */
export interface DerivedValue extends ServedValue {
  /** True if the value is HTML, whose links to documents are stored by id and resolved by reads. @default false */
  readonly isHtml?: true
  make(value: unknown, tools: DeriveTools): Promise<unknown>
}

/**
 * A part of a derived value with a key of its own, such as the table of contents of the HTML. It is extracted synchronously, so that reads
 * can add it to documents that were stored without it.
 */
export interface ExtractedValue extends ServedValue {
  /** The key of the derived value. */
  readonly from: string
  extract(derived: unknown): unknown
}

/**
 * The behaviour of a kind of value. Shared code uses these members and never the name of a type. A new type is one file with such an object,
 * and one line in `fields/index.ts`.
 */
export interface FieldType<Options extends object = AnyOptions> {
  readonly name: string
  readonly rules: Readonly<Record<string, OptionRule>>
  /** Reports faults beyond those of single options. */
  check?(options: Options, place: FieldPlace, report: FaultReport): void
  /** Returns the JSON Schema of a value; `nest` creates the schema of inner fields. */
  schema(options: Options, nest: NestSchema): JsonSchema
  /** Returns true if a stored value, perhaps of an older config, is valid. */
  accepts(value: unknown, options: Options): boolean
  /** Returns the empty value. @default null */
  empty?(options: Options): unknown
  /** Converts a value that an older config stored. Returns `undefined` if it cannot be converted. */
  convertFormer?(value: unknown, options: Options): unknown
  /** Returns the value to serve instead of an invalid stored value. @default empty */
  replacement?(options: Options, value?: unknown): unknown
  /** Returns the default value of a new document, or a {@link DefaultRule} that makes it. @default empty */
  default?(options: Options): unknown
  /** Returns the key of the field from which the value of a new document is made. */
  source?(options: Options): string | undefined
  /** Returns the options of the config to choose from. */
  choices?(options: Options): readonly string[]
  /** Returns the labels of the options that have one, by option. */
  choiceLabels?(options: Options): Readonly<Record<string, InterfaceText>>
  /** Returns the form of a group that is not a plain section. */
  layout?(options: Options): 'collapsed' | 'row' | undefined
  /** Returns the dotted path of the value that titles an item, inside it. */
  itemTitle?(options: Options): string | undefined
  /** Returns the JSON Schema in the config. */
  customSchema?(options: Options): JsonSchema | undefined
  /** Returns the stored form of a valid value. @default unchanged */
  canonical?(value: unknown, options: Options): unknown
  /** Parses the operand of a filter. Returns `undefined` if it is invalid. */
  fromQuery?(text: string, options: Options): string | number | boolean | undefined
  /** Returns the JSON Schema of the operand of a filter. @default every value of its {@link Scalar} */
  filterSchema?(options: Options): JsonSchema
  /** True if filters can match a part of the value. */
  readonly isText?: true
  /** Returns the language whose alphabet orders the values: a BCP 47 tag, or `locale`. @default none, ordered by code point */
  collation?(options: Options): string | undefined
  /** True if the value can be the title of an entry. */
  readonly canBeTitle?: true
  /** True if the value is a text that begins with a date, such as `2026-11-20`. */
  readonly isDate?: true
  /** Returns the type by which the value compares. Without it, the field can be neither filtered nor sorted. */
  scalar?(options: Options): Scalar | undefined
  /** Returns true if the value is a list whose members filters match. @default false */
  isMany?(options: Options): boolean
  /** Returns true if the number of entries for each value is stored. @default false */
  isCounted?(options: Options): boolean
  /** Returns true if values are unique. @default false */
  isUnique?(options: Options): boolean
  /** True if unique values must differ in more than the case of ASCII letters. @default false */
  readonly isUniqueInAnyCase?: boolean
  /** Describes the relation, for a field with references. */
  relation?(options: Options): RelationInfo
  /** Returns the relation of a reverse field, which stores nothing. */
  reverse?(options: Options): ReverseInfo | undefined
  /** Returns the sets of fields inside a container value. */
  inner?(options: Options): readonly InnerFields[]
  /** Returns the field of the items of a list. */
  item?(options: Options): Field
  /** Returns true if the value is a list of objects with an {@link ITEM_KEY}. @default false */
  hasItemKeys?(options: Options): boolean
  /** True if a value may have keys outside of the config. */
  readonly hasFreeKeys?: true
  /** True if a container has each inner field once, so that its values compare like those of the document. */
  readonly isGroup?: true
  /** Copies a container value, with each child replaced by the visitor's result. */
  walk?(value: unknown, options: Options, visitor: Visitor): unknown
  /** Returns the text for searches with `q`, if any. */
  search?(options: Options): SearchInfo | undefined
  references?(value: unknown, options: Options): readonly Reference[]
  /** Returns the generated values, each after the one from which it is extracted. */
  generated?(key: string, options: Options): readonly Generated[]
  /** Returns the function by which `fill` converts an invalid stored value, if it is such a rule. The function may return `undefined`. */
  converter?(options: Options): ((stored: unknown) => unknown) | undefined
  /** True for the relation to the parent of an entry in the same collection, of which a collection has at most one. */
  readonly isParent?: true
  /** True if only the service makes the values, which bodies may repeat and which are ignored in them. */
  readonly isServiceMade?: true
  /** Returns the field of a collection that takes this one's place, and that knows the collection. @default the same */
  inCollection?(options: Options, collection: string): Field
  /** The role of the type in its collection, which has at most one field for each role. */
  readonly role?: 'slug' | 'status'
}

/** Creates the members of a type for {@link ScalarOptions}, with one string, number or boolean. */
export function scalarBehavior(
  scalar: Scalar,
): Required<Pick<FieldType<ScalarOptions & { readonly default?: unknown }>, 'scalar' | 'isUnique' | 'default'>> {
  return {
    scalar: (options) => (options.index === false ? undefined : scalar),
    isUnique: (options) => options.unique === true,
    default: (options) => options.default,
  }
}

/** The members of a type for {@link CountedOptions}. */
export const COUNTED_BEHAVIOR: Required<Pick<FieldType<CountedOptions & { readonly index?: boolean }>, 'isCounted'>> = {
  isCounted: (options) => options.counted === true && options.index !== false,
}

export function checkCounted(
  options: CommonOptions & CountedOptions & { readonly index?: boolean },
  place: FieldPlace,
  report: FaultReport,
): void {
  if (!options.counted) return
  if (options.index === false)
    report.add(`${place.path}.counted`, 'is not allowed with index: false. Leave one of them out')
  if (options.localized)
    report.add(
      `${place.path}.counted`,
      'is not allowed on a localized field, because counts are kept of one locale. Leave it out',
    )
}

/** Creates a field. The types of options and values come from the builder's signature. */
export function makeField<
  Value,
  Options extends object,
  Write = Value,
  Generated extends GeneratedValues = Record<never, never>,
>(type: FieldType<never>, options: Options): Field<Value, Options, Write, Generated> {
  // A type receives only the options of its own builder.
  return Object.freeze({ type: type as unknown as FieldType, options: Object.freeze({ ...options }) })
}

/** Rejects keys outside of `Known`, which plain generics would accept. `Known` infers the types of functions. */
export type Exactly<Options, Known> = Options & Known & { readonly [K in Exclude<keyof Options, keyof Known>]: never }

/** Returns true if the field's `fill` converts the stored value, so that an invalid value is not lost. */
export const isFilledFromStored = ({ type, options }: Field): boolean =>
  typeof options.fill === 'function' || type.converter?.(options) !== undefined

/** Returns true if documents store a value of the field. */
export const isStored = (field: Field): boolean => field.type.reverse === undefined

export const generatedValues = (key: string, { type, options }: Field): readonly Generated[] =>
  type.generated?.(key, options) ?? []

/** Returns the key and the generated keys of a field, in the order in which they are served. */
export const servedKeys = (key: string, field: Field): readonly string[] => [
  key,
  ...generatedValues(key, field).map((generated) => generated.key),
]

/**
 * Reads a generated value. If a document of an older config lacks it, it is extracted from the derived value.
 *
 * @param valueAt reads another generated value of the field
 */
export function readGenerated(generated: Generated, stored: unknown, valueAt: (key: string) => unknown): unknown {
  return stored ?? ('extract' in generated ? generated.extract(valueAt(generated.from)) : null) ?? null
}

/** The pattern of a text that is not blank. */
export const NOT_BLANK_PATTERN = '\\S'
/** The keyword of a schema for the `Violation` to report if a value does not match. */
export const VIOLATION: string = 'x-violation'

export function isRequired({ type, options }: Field): boolean {
  return options.required === true || type.role !== undefined
}

/** Returns true if a field is required in every document, whatever the fields beside it contain. */
export const isAlwaysRequired = (field: Field): boolean => isRequired(field) && field.options.showIf === undefined

export function emptyValue(field: Field): unknown {
  return field.type.empty?.(field.options) ?? null
}

/**
 * Copies an object of fields, with each value replaced by the visitor's result. Keys without a field are dropped, unless the visitor keeps
 * them.
 *
 * @param copy the target; generated values may be set later
 * @param index the position of a block among its blocks
 */
export function walkFields(
  fields: Fields,
  value: Readonly<Record<string, unknown>>,
  visitor: Visitor,
  copy: Record<string, unknown> = {},
  index?: number,
): object {
  if (value[ITEM_KEY] !== undefined) copy[ITEM_KEY] = value[ITEM_KEY]
  const source = visitor.enter?.(fields, value, index) ?? value
  if (visitor.keepsUnknownKeys) Object.assign(copy, source)
  for (const [key, field] of Object.entries(fields)) {
    copy[key] = visitor.value(field, source[key], key)
    for (const generated of generatedValues(key, field)) {
      visitor.generated(generated, copy, copy[key], source[generated.key])
    }
  }
  return copy
}

/** Returns the sets of fields inside a field, none for a plain value. */
export function innerFields({ type, options }: Field): readonly Fields[] {
  const item = type.item?.(options)
  const inner = type.inner?.(options).map(({ fields }) => fields) ?? []
  return item ? [...inner, { of: item }] : inner
}

export function holdsLocalized(field: Field): boolean {
  return (
    field.options.localized === true ||
    innerFields(field).some((fields) => Object.values(fields).some((inner) => holdsLocalized(inner)))
  )
}

/** Returns true if a field, or one inside it, is a list whose items have keys. */
export function holdsItemKeys(field: Field): boolean {
  return (
    field.type.hasItemKeys?.(field.options) === true ||
    innerFields(field).some((fields) => Object.values(fields).some((inner) => holdsItemKeys(inner)))
  )
}

export function holdsValidator(field: Field): boolean {
  return (
    field.options.validate !== undefined ||
    innerFields(field).some((fields) => Object.values(fields).some((inner) => holdsValidator(inner)))
  )
}

/** Returns true if a field of an unchecked config has a rule for reading. */
export function isGuarded(field: unknown): boolean {
  const { options } = (isRecord(field) ? field : {}) as Partial<Field>
  return isRecord(options?.access) && options.access.read !== undefined
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
