import type { Caller } from '../auth/adapter.ts'
import type { FieldValidator } from './validation.ts'

/** A JSON Schema (2020-12) as plain data. */
export type JsonSchema = { readonly [keyword: string]: unknown }

/** A rule for one field: whether this caller may read or write it. Without a rule, the collection's rule stands alone. */
export type FieldRule = (caller: Caller) => boolean

/** The rules of one field. A field that a caller may not read does not exist for that caller. */
export interface FieldAccess {
  readonly read?: FieldRule
  readonly write?: FieldRule
}

/** What a default is made from: the caller, and the moment of the write. */
export interface DefaultRequest extends Caller {
  /** The moment of the write, ISO 8601 in UTC with milliseconds; the same for all defaults of a document. */
  readonly now: string
}

/** Makes what a new document gets that names no value, or nothing. Answers at once: no promise. */
export type DefaultRule<Value = unknown> = (request: DefaultRequest) => Value | null | undefined

/** A stored entry, as `fill` sees it: its fields, also with values that they no longer take, and values of fields that the config no longer has. */
export type FillFunction = (entry: Readonly<Record<string, unknown>>) => unknown

/** The value that a stored document gets in a field that is empty or has an invalid value. */
export type Fill = FillFunction | string | number | boolean | readonly unknown[] | Readonly<Record<string, unknown>>

/** Options of every field. */
export interface CommonOptions<Value = unknown> {
  /** The field must hold a value after every write; text of white space alone is none. @default false */
  readonly required?: boolean
  /** For people: shown in the OpenAPI document and the docs page. */
  readonly description?: string
  /** One value for each locale; needs `locales`. @default false @see docs/locales.md */
  readonly localized?: boolean
  /**
   * `{ read, write }`, each a function of the caller that answers true or false at once. A field that the caller may not read does not
   * exist for them, and in writing only with a `write` rule. Top-level fields only. @default everyone who may see the entry
   * @see docs/access.md#restrict-fields-and-globals
   */
  readonly access?: FieldAccess
  /**
   * Checks the value in its document, once all else about it is right: `(value, { entry, before, operation, identity, locale, content })`.
   * Answers nothing when the value may be stored, else what is wrong with it. @see docs/hooks.md#check-what-is-written
   */
  readonly validate?: FieldValidator<Value>
  /** The key that this field had before; `daybook migrate` moves the values. @see docs/changing-your-config.md */
  readonly renamedFrom?: string
  /**
   * The value that `daybook migrate --apply` stores in documents in which a required field is empty, that are older than an
   * optional field, or that have a value that is no longer valid. A value, or a function of the entry, which may be async. Top-level fields only.
   * @see docs/changing-your-config.md#require-a-field
   */
  readonly fill?: Fill
}

/** Further options of a field whose value is one string, number or boolean. */
export interface ScalarOptions<Value = unknown> extends CommonOptions<Value> {
  /** No two entries of the collection hold the same value; of a localized field, none in the same locale. Top-level fields only, and without `access.read`. @default false */
  readonly unique?: boolean
  /** `false` saves the index; the field can then be neither filtered nor sorted nor counted. @default true */
  readonly index?: boolean
}

/** The option of a field whose values are few: categories, years, flags. */
export interface CountedOptions {
  /**
   * Keeps how many entries hold each value, so that `aggregate=count:FIELD` of a list without filter costs the same at any size. Each
   * write then also updates a row for each value that comes or goes. Not together with `localized`. @default false
   * @see docs/count-and-group.md#keep-counts
   */
  readonly counted?: boolean
}

/** The options of a field whose type is not known: those that every type has, and whatever else it takes. */
export type AnyOptions = CommonOptions & { readonly [option: string]: unknown }

/** What a field type says in its builder's return type, beside the options, of values that it holds. None of it is set. */
export interface FieldMarks {
  /** A reader never gets `null`. */
  readonly '~filled'?: true
  /** The service makes a value when a new entry names none, where `from` names its source. */
  readonly '~slug'?: true
  /** The value is the entry's status. */
  readonly '~status'?: true
  /** It can be neither filtered nor sorted. */
  readonly '~unfiltered'?: true
  /** A text of which a filter cannot ask for a part. */
  readonly '~whole'?: true
}

/**
 * One field of a collection or global: a type that knows how to behave, and what the config says of it.
 * `Value` is what a reader gets when the field holds something, `Write` what a writer gives. `Generated` names the values
 * that are served beside it: `{ Html: string }` of a field `body` is `bodyHtml`.
 */
export interface Field<
  Value = unknown,
  Options extends object = AnyOptions,
  Write = Value,
  Generated extends GeneratedValues = Record<never, never>,
> {
  readonly type: FieldType
  readonly options: Options
  /** Carries the types of generated values; never set. */
  readonly '~generated'?: Generated
  /** Carries the type that a reader sees; never set. */
  readonly '~value'?: Value
  /** Carries the type that a writer gives; never set. */
  readonly '~write'?: Write
}

/** Values that the service makes beside a field's own: the end of their key, and their type. */
export type GeneratedValues = Readonly<Record<string, unknown>>

/** Fields by key, in the order in which they are served. */
export type Fields = Readonly<Record<string, Field>>

/** How values compare in filters, sorts and indexes. */
export type Scalar = 'text' | 'number' | 'boolean'

/** Checks one option's value; answers what to write instead, or nothing when it is right. */
export type OptionRule = (value: unknown) => string | undefined

/** Collects what is wrong with a config. */
export interface FaultReport {
  /** @param path where, such as `collections.posts.fields.title.maxLength` @param message what to write instead */
  add(path: string, message: string): void
}

/** Where a field stands, for checks that need more than its own options. */
export interface FieldPlace {
  readonly path: string
  /** The fields beside this one. */
  readonly siblings: Fields
  /** The key of the collection that it stands in; `undefined` in a global. */
  readonly collection: string | undefined
  /** Keys of all collections. */
  readonly collections: readonly string[]
  /** The fields of a collection; `undefined` where there is none of that key. */
  fieldsOf(collection: string): Fields | undefined
  readonly isNested: boolean
  /** Whether this field, or the one around it, has a rule for reading: nothing may tell others what it holds. */
  readonly isGuarded: boolean
  /** Checks fields inside this one. */
  checkNested(fields: unknown, path: string): void
}

/** Called for each child of a container value while the container is copied. */
export interface Visitor {
  /**
   * Answers what is read in place of an object of fields.
   *
   * @default the object itself
   * @param index the place of a block among its blocks; `undefined` for any other object
   */
  enter?(
    fields: Fields,
    value: Readonly<Record<string, unknown>>,
    index: number | undefined,
  ): Readonly<Record<string, unknown>>
  /**
   * Answers what takes the child's place.
   *
   * @param key its key in an object of fields; `''` for an item of a list
   */
  value(field: Field, value: unknown, key: string): unknown
  /** True if the copy keeps the keys that have no field. @default false */
  readonly keepsUnknownKeys?: boolean
  /** Sets a generated value on the copy; `stored` is what stood there. */
  generated(generated: Generated, copy: Record<string, unknown>, source: unknown, stored: unknown): void
}

/** A stored reference from one document to another. */
export interface Reference {
  readonly collection: string
  readonly id: string
  /** The collections that it may lead to; absent: that one alone. */
  readonly allowedCollections?: readonly string[]
  /** What its target must be; absent: any entry. */
  readonly requirement?: TargetRequirement
}

/** What a reference requires of its target when it is written. */
export interface TargetRequirement {
  /** As `where` of a list says it. */
  readonly where: object
  /** The same in words, after "takes". */
  readonly description: string
  /** The params of an issue about a target that does not fit. */
  readonly params: { readonly values?: readonly string[] | undefined; readonly limit?: number | undefined }
}

/** The target and the cardinality of a relation, and its rule for deletes. */
export interface RelationInfo {
  /** The key of the collection that it leads to, or the list of keys where its references name theirs. */
  readonly to: string | readonly string[]
  readonly many: boolean
  /** What happens to a reference when its target is deleted. */
  readonly onDelete: 'unset' | 'restrict'
  /** Whether a filter finds entries by references that name their collection. @default false */
  readonly isIndexed?: boolean
  /** Of files: the media types that it takes. @default every type */
  readonly accept?: readonly string[] | undefined
  /** Of files: the largest one that it takes, in bytes. @default every size */
  readonly maxBytes?: number | undefined
}

/** The keys of the collections that a relation leads to. */
export const getTargets = ({ to }: RelationInfo): readonly string[] => (typeof to === 'string' ? [to] : to)

/** The relation that a field shows from its other side. */
export interface ReverseInfo {
  /** The key of the collection that refers. */
  readonly collection: string
  /** The dotted path of the relation there. */
  readonly path: string
}

/** The text of a value that `q` searches. */
export interface SearchInfo {
  /** How much a word found here counts. */
  readonly weight: number
  words(value: unknown): string
}

/** The member that tells an item of a list of objects, or a block, from the others; made by the service where a write leaves it out. */
export const ITEM_KEY = '_key'

/** Prints the schema of an object of fields; one that is an item has an {@link ITEM_KEY}. */
export type NestSchema = (fields: Fields, isItem?: boolean) => JsonSchema

/** Fields inside a container. */
export interface InnerFields {
  readonly fields: Fields
  /** Where they stand among the container's options, such as `types.quote`. */
  readonly path: string
  /** The `_type` of the values that hold them; absent: every value does. */
  readonly block?: string
}

/** The tools for deriving a generated value. */
export interface DeriveTools {
  /** Markdown to sanitized HTML. */
  renderMarkdown(source: string): Promise<string>
}

/** A value that the service makes beside a field's own. */
export type Generated = DerivedValue | ExtractedValue

/** The key under which a generated value is served, and its form. */
interface ServedValue {
  /** The field's key and an end of its own, which {@link Field} names in its type. */
  readonly key: string
  readonly schema: JsonSchema
}

/** A value that is made from a field's own when that is written, such as the HTML of a Markdown text. */
export interface DerivedValue extends ServedValue {
  make(value: unknown, tools: DeriveTools): Promise<unknown>
}

/**
 * A part of a derived value that is stored under a key of its own, such as the table of contents of the HTML. It is extracted without delay,
 * so that a document which was stored without it can be read with it.
 */
export interface ExtractedValue extends ServedValue {
  /** The key of the derived value. */
  readonly from: string
  extract(derived: unknown): unknown
}

/**
 * Everything that Daybook knows about a kind of value. Shared code asks these questions and never a type's name.
 * A new type is one file that answers them and one line in `fields/index.ts`.
 */
export interface FieldType<Options extends object = AnyOptions> {
  readonly name: string
  /** The options that this type takes, each with its rule. */
  readonly rules: Readonly<Record<string, OptionRule>>
  /** Faults that single options do not show. */
  check?(options: Options, place: FieldPlace, report: FaultReport): void
  /** The JSON Schema of a value that is there; `nest` gives the schema of fields inside it. */
  schema(options: Options, nest: NestSchema): JsonSchema
  /** Whether a stored value, perhaps of an older config, still is one of this type. */
  accepts(value: unknown, options: Options): boolean
  /** The value of a field that holds nothing. @default null */
  empty?(options: Options): unknown
  /** The same value as the present config has it, out of one that an older config stored; `undefined`: there is none. */
  convertFormer?(value: unknown, options: Options): unknown
  /** The value served in place of one that the present config does not take. @default empty */
  replacement?(options: Options, value?: unknown): unknown
  /** The value of a field that a new document does not name, or a {@link DefaultRule} that makes it. @default empty */
  default?(options: Options): unknown
  /** The key of the field beside it that a value is made from when a new document names none. */
  source?(options: Options): string | undefined
  /** The values to choose from, where the config lists them. */
  choices?(options: Options): readonly string[]
  /** The JSON Schema that the config gives for the value, where it does. */
  customSchema?(options: Options): JsonSchema | undefined
  /** The one form in which a valid value is stored. @default as it came */
  canonical?(value: unknown, options: Options): unknown
  /** The value that a filter's text names; `undefined` when it names none of this type. */
  fromQuery?(text: string, options: Options): string | number | boolean | undefined
  /** The JSON Schema of a value that a filter compares with. @default every value of its {@link Scalar} */
  filterSchema?(options: Options): JsonSchema
  /** Whether a filter may ask for a part of the value. */
  readonly isText?: true
  /** The language whose alphabet orders the values: a tag of BCP 47, or `locale` for that of the locale. @default none: by code point */
  collation?(options: Options): string | undefined
  /** Whether the value can be what an entry is called. */
  readonly canBeTitle?: true
  /** Whether the value is text that begins with a day of the calendar, `2026-11-20`. */
  readonly isDate?: true
  /** How the value compares; absent: it can be neither filtered nor sorted. */
  scalar?(options: Options): Scalar | undefined
  /** Whether the value is a list, of which a filter finds every member. @default false */
  isMany?(options: Options): boolean
  /** Whether the numbers of entries with each value are kept. @default false */
  isCounted?(options: Options): boolean
  /** Whether no two entries may hold the same value. @default false */
  isUnique?(options: Options): boolean
  /** True if unique values differ in more than the case of letters of ASCII. @default false */
  readonly isUniqueInAnyCase?: boolean
  /** Where the value refers to; absent: to nothing. */
  relation?(options: Options): RelationInfo
  /** The relation that it shows from the other side. Such a field stores nothing; absent: it does. */
  reverse?(options: Options): ReverseInfo | undefined
  /** The sets of fields that a container value holds. */
  inner?(options: Options): readonly InnerFields[]
  /** The field that every item of a list is a value of. */
  item?(options: Options): Field
  /** True if the value is a list of objects, each with an {@link ITEM_KEY}. @default false */
  hasItemKeys?(options: Options): boolean
  /** Whether a value may hold keys that the config does not name. */
  readonly hasFreeKeys?: true
  /** Whether a container holds each inner field once, so that its values compare like the document's own. */
  readonly isGroup?: true
  /** Copies a container value, with each child as the visitor answers. */
  walk?(value: unknown, options: Options, visitor: Visitor): unknown
  /** The text that `q` searches; `undefined`: none. */
  search?(options: Options): SearchInfo | undefined
  references?(value: unknown, options: Options): readonly Reference[]
  /** The values that are served beside the field, each after the one that it is extracted from. */
  generated?(key: string, options: Options): readonly Generated[]
  /** Makes a value of a stored one that the field no longer takes, or `undefined`; absent: `fill` is not such a rule. */
  converter?(options: Options): ((stored: unknown) => unknown) | undefined
  /** The role of the type in its collection; at most one field for each role. */
  readonly role?: 'slug' | 'status'
}

/** The capabilities that {@link ScalarOptions} give, for a type whose value is one string, number or boolean. */
export function scalarBehavior(
  scalar: Scalar,
): Required<Pick<FieldType<ScalarOptions & { readonly default?: unknown }>, 'scalar' | 'isUnique' | 'default'>> {
  return {
    scalar: (options) => (options.index === false ? undefined : scalar),
    isUnique: (options) => options.unique === true,
    default: (options) => options.default,
  }
}

/** The capability that {@link CountedOptions} give. */
export const COUNTED_BEHAVIOR: Required<Pick<FieldType<CountedOptions & { readonly index?: boolean }>, 'isCounted'>> = {
  isCounted: (options) => options.counted === true && options.index !== false,
}

/** Says what is wrong with the options of a counted field. */
export function checkCounted(
  options: CommonOptions & CountedOptions & { readonly index?: boolean },
  place: FieldPlace,
  report: FaultReport,
): void {
  if (!options.counted) return
  if (options.index === false) report.add(`${place.path}.counted`, 'leave it out, or leave index: false out')
  if (options.localized)
    report.add(`${place.path}.counted`, 'leave it out of a localized field: counts are kept of one locale')
}

/** Makes a field; the types of `options` and values come from the builder's signature. */
export function makeField<
  Value,
  Options extends object,
  Write = Value,
  Generated extends GeneratedValues = Record<never, never>,
>(type: FieldType<never>, options: Options): Field<Value, Options, Write, Generated> {
  // A type only ever meets the options of its own builder.
  return Object.freeze({ type: type as unknown as FieldType, options: Object.freeze({ ...options }) })
}

/** Refuses keys that `Known` does not have, which plain generics would let pass. `Known` itself gives functions their types. */
export type Exactly<Options, Known> = Options & Known & { readonly [K in Exclude<keyof Options, keyof Known>]: never }

/** True if the field's `fill` is made from the stored value, so that a value that the field no longer takes is not lost. */
export const isFilledFromStored = ({ type, options }: Field): boolean =>
  typeof options.fill === 'function' || type.converter?.(options) !== undefined

/** Whether documents hold a value of the field. */
export const isStored = (field: Field): boolean => field.type.reverse === undefined

/** The values that the service makes beside a field, in the order in which they are served. */
export const generatedValues = (key: string, { type, options }: Field): readonly Generated[] =>
  type.generated?.(key, options) ?? []

/** The key and generated keys of a field, in the order in which they are served. */
export const servedKeys = (key: string, field: Field): readonly string[] => [
  key,
  ...generatedValues(key, field).map((generated) => generated.key),
]

/**
 * A generated value as it is read: one that documents of an older config lack is extracted from the derived value.
 *
 * @param valueAt reads another generated value of the field
 */
export function readGenerated(generated: Generated, stored: unknown, valueAt: (key: string) => unknown): unknown {
  return stored ?? ('extract' in generated ? generated.extract(valueAt(generated.from)) : null) ?? null
}

/** The pattern of a text that holds more than white space, as a required one does. */
export const NOT_BLANK_PATTERN = '\\S'
/** The keyword of a schema that holds the {@link Violation} to report for a value that does not match it. */
export const VIOLATION: string = 'x-violation'

/** Whether a field must hold something once a document is stored. */
export function isRequired({ type, options }: Field): boolean {
  return options.required === true || type.role !== undefined
}

/** The value of a field that holds nothing. */
export function emptyValue(field: Field): unknown {
  return field.type.empty?.(field.options) ?? null
}

/**
 * Copies an object of fields, with each value as the visitor answers; keys without a field are dropped, unless the visitor keeps them.
 *
 * @param copy what the fields are put into; generated values may reach it later
 * @param index the place of a block among its blocks
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

/** The sets of fields inside a field; none for a plain value. */
export function innerFields({ type, options }: Field): readonly Fields[] {
  const item = type.item?.(options)
  const inner = type.inner?.(options).map(({ fields }) => fields) ?? []
  return item ? [...inner, { of: item }] : inner
}

/** Whether each locale has its own value of a field, or of one inside it. */
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

/** Whether a field, or one inside it, has a validator. */
export function holdsValidator(field: Field): boolean {
  return (
    field.options.validate !== undefined ||
    innerFields(field).some((fields) => Object.values(fields).some((inner) => holdsValidator(inner)))
  )
}

/** Whether a field, or what stands in its place, has a rule for reading. */
export function isGuarded(field: unknown): boolean {
  const { options } = (isRecord(field) ? field : {}) as Partial<Field>
  return isRecord(options?.access) && options.access.read !== undefined
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
