import type { AccessRule, GlobalRule } from '../config/access.ts'
import type { Contributor, Plugin } from '../config/plugin.ts'
import type { Field, FieldAccess, FieldRule, Fields, JsonSchema, Scalar } from '../fields/field.ts'
import type { DocumentValidator } from '../fields/validation.ts'
import type { Validators } from './validator.ts'

/** One top-level field of a document. */
export interface FieldModel {
  readonly key: string
  readonly field: Field
  readonly access: FieldAccess
  /** Its key and those of the values made from it, in the order in which they are served. */
  readonly servedKeys: readonly string[]
  readonly required: boolean
  /** Whether walking its value can find words, references or generated values. */
  readonly isContainer: boolean
}

/** A value that can be filtered and sorted: a top-level scalar, or one inside groups. */
export interface FilterableField {
  /** Its dotted path, `title` or `seo.title`. */
  readonly path: string
  readonly scalar: Scalar
  /** The top-level field that the value lies in, whose `read` rule covers it. */
  readonly owner: string
  /** A column of the table where there is one; else the value lies in the document. */
  readonly column?: 'id' | 'slug' | 'status' | 'created_at' | 'updated_at' | 'created_by' | 'updated_by'
  /** Whether the service alone makes its values, in one form: ids and times. */
  readonly isServiceMade: boolean
  /** Whether every entry has a value. */
  readonly isNeverNull: boolean
  /** Whether a filter may ask for a part of the value. */
  readonly isText: boolean
  /** Whether the value is text that begins with a day of the calendar. */
  readonly isDate: boolean
  /** Whether the numbers of entries with each value are kept. */
  readonly isCounted: boolean
  /** The longest text that the field takes, in characters, where it names one. */
  readonly maxLength?: number
  /** The value that a filter's text names; `undefined` when it names none of the field's type. */
  fromQuery(text: string): string | number | boolean | undefined
  /** The JSON Schema of a value that a filter compares with. */
  readonly filterSchema: JsonSchema
  /** The collection that a relation leads to. */
  readonly to?: string
  /** Which part of a reference it is. */
  readonly part?: ReferencePart
  /** The folded form of a text field, stored in the column `folded`. */
  readonly folded?: FilterableField
  /** The text field that this is made from; present if the value is stored in the column `folded`. */
  readonly derived?: DerivedText
}

/** A text that is made from another one and stored in the column `folded`. */
export interface DerivedText {
  /** The path of the other one. */
  readonly path: string
  /** The member of the column. */
  readonly member: string
  /** Differs if `derive` returns other texts than it did at an earlier start. */
  readonly version: string
  derive(text: string): string
}

/** One part of the references of a relation to several collections. */
export interface ReferencePart {
  readonly name: 'collection' | 'id'
  /** The dotted path of the relation. */
  readonly relation: string
  /** The collections that it leads to. */
  readonly targets: readonly string[]
}

/** A value that is many: references, choices, or a list of scalars. Filtered through a table of its members. */
export interface MultiValuedField {
  readonly path: string
  readonly owner: string
  /** How a member compares. */
  readonly scalar: Scalar
  /** Whether the numbers of entries with each member are kept. */
  readonly isCounted: boolean
  /** Whether a stored value, perhaps of an older config, is one of the field's. */
  accepts(value: unknown): boolean
  fromQuery(text: string): string | number | boolean | undefined
  /** The JSON Schema of a member that a filter compares with. */
  readonly filterSchema: JsonSchema
  /** The collection that a relation leads to; absent for choices and scalars. */
  readonly to?: string
  /** Which part of references it is. */
  readonly part?: ReferencePart
}

/** Values of a top-level field that are unique: those of all entries, or of a localized field those of one locale. */
export interface UniqueIndexModel {
  readonly path: string
  readonly scalar: Scalar
  /** True if unique values differ in more than the case of letters of ASCII. */
  readonly isUniqueInAnyCase: boolean
  /** The locale of the values; `undefined`: the field is not localized. */
  readonly locale?: string
  /** True if the values are translations: those of the default locale lie in the documents. */
  readonly isTranslated: boolean
}

/** One key of an index over several values. */
export interface IndexKey {
  readonly by: FilterableField
  readonly descending: boolean
}

/** An index over several values, which the config declares. */
export interface CompoundIndexModel {
  /** As the config writes it, `category,-publishedOn`. */
  readonly name: string
  readonly keys: readonly IndexKey[]
}

/** A relation field, wherever it stands in a document. */
export interface RelationModel {
  readonly kind: 'relation'
  /** Dotted path of keys; lists and kinds of blocks leave no trace in it. */
  readonly path: string
  /** The way to it: each key, and the kind of block that it stands in. */
  readonly steps: readonly { readonly key: string; readonly block?: string }[]
  /** The top-level field that the value lies in, whose `read` rule covers it. */
  readonly owner: string
  /** The collection that it leads to. One that leads to several is one relation for each of them, at the same path. */
  readonly to: string
  /** Whether its references name their collection, since the field leads to several. */
  readonly isTagged: boolean
  readonly many: boolean
  /** What happens to a reference when its target is deleted. */
  readonly onDelete: 'unset' | 'restrict'
}

/** A field that lists the entries whose relation leads to its document. */
export interface ReverseModel extends FieldModel {
  readonly kind: 'reverse'
  /** Its key. */
  readonly path: string
  /** Its key. */
  readonly owner: string
  /** The collection that refers, whose entries are listed. */
  readonly to: string
  /** The dotted path of the relation there. */
  readonly through: string
  /** The top-level field that the relation lies in there. Who may not read it does not see it from its other side either. */
  readonly throughOwner: string
  /** Whether that field has a rule for reading. */
  readonly isThroughGuarded: boolean
  /** The collection of the document, which is referred to. */
  readonly target: string
}

/** A field that `include` expands. */
export type LinkModel = RelationModel | ReverseModel

/** The common part of collections and globals. */
export interface DocumentModel {
  readonly kind: 'collection' | 'global'
  readonly key: string
  readonly description: string | undefined
  /** Fields of which documents hold a value. */
  readonly fields: readonly FieldModel[]
  readonly fieldMap: Fields
  /** Fields that list what refers to the document, by key. */
  readonly reverseFields: ReadonlyMap<string, ReverseModel>
  /** Keys that every document of the kind has, served before and after its fields. */
  readonly systemKeys: { readonly before: readonly string[]; readonly after: readonly string[] }
  /** All keys that a stored document has, in the order in which it is written. */
  readonly storedKeys: readonly string[]
  /** Keys of fields whose values the service alone makes, of an uploaded file. */
  readonly serviceMadeKeys: ReadonlySet<string>
  /** Every key that may stand in a body and changes nothing. */
  readonly ignoredKeys: ReadonlySet<string>
  /** Names the set of keys and types that documents are written in; changes when the config changes them. */
  readonly schemaHash: string
  /** The part of an ETag that says that the document is answered whole, in this schema. */
  readonly etagPart: string
  /** The same of an answer that says who made and last changed it. */
  readonly etagPartWithAuthors: string
  readonly schemas: {
    readonly read: JsonSchema
    readonly create: JsonSchema
    readonly update: JsonSchema
    /** What a working copy may hold: nothing is required. */
    readonly draft: JsonSchema
  }
  /** Validators of its bodies, and of what else is checked against its schemas. */
  readonly validators: Validators
  readonly requireIfMatch: boolean
  /** Checks a whole document that is about to be stored. */
  readonly validate: DocumentValidator | undefined
  /** Relation fields by path; blocks of different kinds may have one at the same, and a field one for each of its targets. */
  readonly relations: ReadonlyMap<string, readonly RelationModel[]>
  /** Top-level fields that each locale has its own value of, or that hold such fields. */
  readonly localized: ReadonlySet<string>
  /** Top-level fields that some readers may not see. */
  readonly guarded: readonly FieldModel[]
  /** True if a read can include the slugs of a document in all locales. */
  readonly hasAlternates: boolean
  /** Which readers may know who made and changed a document; `undefined`: those with a session. */
  readonly authorRule: true | FieldRule | undefined
}

/** A compiled collection. */
export interface CollectionModel extends DocumentModel {
  readonly kind: 'collection'
  /** The table that it is read from: its own, or that of a locale. */
  readonly table: string
  /**
   * The same collection as locales show it, each from a table of its own. Without the locale that the collection's own
   * table shows, and empty where no field is localized.
   */
  readonly byLocale: ReadonlyMap<string, CollectionModel>
  readonly maxLimit: number
  /** Whether its entries are files, which come by an upload alone. */
  readonly holdsFiles: boolean
  /** The time for which a deleted entry can be restored, in milliseconds: of files, the time for which their bytes are kept. */
  readonly restorableMs: number
  readonly slug: { readonly key: string; readonly from: string | undefined } | undefined
  /** Top-level fields that may say what an entry is called, the best first. */
  readonly titles: readonly string[]
  readonly status: { readonly key: string; readonly values: readonly string[] } | undefined
  readonly filterableFields: ReadonlyMap<string, FilterableField>
  /** Many-valued fields that can be filtered, by dotted path. */
  readonly multiValuedFields: ReadonlyMap<string, MultiValuedField>
  /** Fields of which it is kept how many entries hold each value. */
  readonly counted: readonly (FilterableField | MultiValuedField)[]
  /** Values that stand in the search index beside the words of an entry: a filter by equality narrows a search there. */
  readonly searchFilters: readonly FilterableField[]
  /** Values inside the documents that have an index. */
  readonly indexes: readonly FilterableField[]
  readonly uniqueIndexes: readonly UniqueIndexModel[]
  readonly compoundIndexes: readonly CompoundIndexModel[]
  /** By path, what takes the place of a text in sorting: its key in the alphabet of a language. */
  readonly sortKeys: ReadonlyMap<string, FilterableField>
  /** Top-level fields whose words `q` finds. */
  readonly searchable: readonly { readonly key: string; readonly weight: number }[]
  readonly access: {
    readonly read: AccessRule | undefined
    /** Who sees drafts; absent: those whom the rule for `update` lets in. */
    readonly draft: AccessRule | undefined
    readonly create: AccessRule | undefined
    readonly update: AccessRule | undefined
    readonly delete: AccessRule | undefined
  }
}

/** A compiled global. */
export interface GlobalModel extends DocumentModel {
  readonly kind: 'global'
  readonly access: { readonly read: GlobalRule | undefined; readonly update: GlobalRule | undefined }
}

/** The languages of the content, compiled. */
export interface LocalesModel {
  readonly default: string
  readonly available: readonly string[]
  /** Where each locale's values are looked for, in order, in itself first. */
  readonly chains: ReadonlyMap<string, readonly string[]>
}

/** The config, compiled once at start. Requests ask this and never the config. */
export interface Model {
  readonly collections: ReadonlyMap<string, CollectionModel>
  readonly globals: ReadonlyMap<string, GlobalModel>
  readonly locales: LocalesModel | undefined
  /** The collections as each locale shows them. */
  readonly byLocale: ReadonlyMap<string, ReadonlyMap<string, CollectionModel>>
  /** Whether rules of fields, or about people, decide what readers see of some collection. */
  readonly hasFieldRules: boolean
  /** True if any rule decides what callers without a session see: it is asked for each request. */
  readonly hasReadRules: boolean
  /** Collections that have a rule of their own for reading. */
  readonly restricted: readonly CollectionModel[]
  /** Collections of which a rule decides what sessions see: those above, and those with a rule about drafts. */
  readonly restrictedForSessions: readonly CollectionModel[]
  /** The plugins, in the order in which they are set up. */
  readonly plugins: readonly Plugin[]
  /** What brings hooks and routes: the config itself, then the plugins. */
  readonly contributors: readonly Contributor[]
}

/** Keys of fields that entries are called by, the most telling first. */
const DEFAULT_TITLES: readonly string[] = ['title', 'name', 'label', 'headline', 'subject', 'originalName', 'filename']

/**
 * The top-level fields that may say what an entry is called, the best first: the one that its slug is made from, fields of usual names,
 * other lines of text, and the slug itself.
 */
export function findTitleKeys(
  fields: readonly Pick<FieldModel, 'key' | 'field'>[],
  slug: { readonly key: string; readonly from: string | undefined } | undefined,
): readonly string[] {
  const names = fields.filter(({ field }) => field.type.canBeTitle).map(({ key }) => key)
  const best = [slug?.from, ...DEFAULT_TITLES].filter((key) => key !== undefined && names.includes(key))
  return [...new Set([...best, ...names, slug?.key])].filter((key) => key !== undefined)
}

/** The field that says what entries are called, as far as a reader may know; `undefined`: there is none. */
export const findTitleField = (
  { titles }: { readonly titles: readonly string[] },
  hidden: ReadonlySet<string>,
): string | undefined => titles.find((key) => !hidden.has(key))
