import type { AccessRule, GlobalRule } from '../config/access.ts'
import type { FormConfig } from '../config/form.ts'
import type { Contributor, Plugin } from '../config/plugin.ts'
import type { PathTemplate } from '../entry-path.ts'
import type { Field, FieldAccess, FieldRule, Fields, JsonSchema, Scalar } from '../fields/field.ts'
import type { InterfaceText } from '../fields/interface-text.ts'
import type { DocumentValidator } from '../fields/validation.ts'
import type { Validators } from './validator.ts'

/** A top-level field of a document. */
export interface FieldModel {
  readonly key: string
  readonly field: Field
  readonly access: FieldAccess
  /** The key and the generated keys, in the order in which they are served. */
  readonly servedKeys: readonly string[]
  readonly required: boolean
  /** True if inner fields may have words, references or generated values. */
  readonly isContainer: boolean
}

/** A scalar value that can be filtered and sorted, at the top level or inside groups. */
export interface FilterableField {
  /** The dotted path, such as `title` or `seo.title`. */
  readonly path: string
  readonly scalar: Scalar
  /** The top-level field that contains the value, whose `read` rule covers it. */
  readonly owner: string
  /** The column of the table, if the value is not in the document. */
  readonly column?: 'id' | 'slug' | 'status' | 'created_at' | 'updated_at' | 'created_by' | 'updated_by'
  /** True if only the service makes its values, in a normal form: ids and times. */
  readonly isServiceMade: boolean
  /** True if every entry has a value. */
  readonly isNeverNull: boolean
  /** True if filters can match a part of the value. */
  readonly isText: boolean
  /** True if the value is a text that begins with a date. */
  readonly isDate: boolean
  /** True if the number of entries for each value is stored. */
  readonly isCounted: boolean
  /** The maximum length of the field's texts, in characters, if it has one. */
  readonly maxLength?: number
  /** Parses the operand of a filter. Returns `undefined` if it is invalid. */
  fromQuery(text: string): string | number | boolean | undefined
  readonly filterSchema: JsonSchema
  /** The target collection of a relation. */
  readonly to?: string
  /** The part of a reference, if it is one. */
  readonly part?: ReferencePart
  /** The folded form of a text field, stored in the column `folded`. */
  readonly folded?: FilterableField
  /** The derivation from a text field, if the value is stored in the column `folded`. */
  readonly derived?: DerivedText
}

/** A text that is derived from another and stored in the column `folded`. */
export interface DerivedText {
  readonly path: string
  /** The member of the column. */
  readonly member: string
  /** A version that changes if `derive` returns other texts. */
  readonly version: string
  derive(text: string): string
}

export interface ReferencePart {
  readonly name: 'collection' | 'id'
  /** The dotted path of the relation. */
  readonly relation: string
  readonly targets: readonly string[]
}

/** A list of references, choices or scalars, which is filtered through a table of its members. */
export interface MultiValuedField {
  readonly path: string
  readonly owner: string
  /** The type by which members compare. */
  readonly scalar: Scalar
  /** True if the number of entries for each member is stored. */
  readonly isCounted: boolean
  /** Returns true if a stored value, perhaps of an older config, is valid. */
  accepts(value: unknown): boolean
  fromQuery(text: string): string | number | boolean | undefined
  readonly filterSchema: JsonSchema
  /** The target collection of a relation; absent for choices and scalars. */
  readonly to?: string
  /** The part of references, if it is one. */
  readonly part?: ReferencePart
}

/** A uniqueness constraint on a top-level field, for each locale if it is localized. */
export interface UniqueIndexModel {
  readonly path: string
  readonly scalar: Scalar
  /** True if unique values must differ in more than the case of ASCII letters. */
  readonly isUniqueInAnyCase: boolean
  /** The locale of the values; absent if the field is not localized. */
  readonly locale?: string
  /** True if the values are translations; those of the default locale are in the documents. */
  readonly isTranslated: boolean
}

/** A key of an index over several values. */
export interface IndexKey {
  readonly by: FilterableField
  readonly descending: boolean
}

export interface CompoundIndexModel {
  /** The keys in the config, such as `category,-publishedOn`. */
  readonly name: string
  readonly keys: readonly IndexKey[]
}

/** A relation field at any depth of a document. */
export interface RelationModel {
  readonly kind: 'relation'
  /** The dotted path of keys, without list items and kinds of blocks. */
  readonly path: string
  /** The steps to the field: each key, with the kind of its block. */
  readonly steps: readonly { readonly key: string; readonly block?: string }[]
  /** The top-level field that contains the value, whose `read` rule covers it. */
  readonly owner: string
  /** The target collection. A field with several targets has one relation for each, at the same path. */
  readonly to: string
  /** True if references have their collection, because the field has several targets. */
  readonly isTagged: boolean
  readonly many: boolean
  /** The effect of a deletion of the target. */
  readonly onDelete: 'unset' | 'restrict'
}

/** A field that lists the entries whose relation refers to its document. */
export interface ReverseModel extends FieldModel {
  readonly kind: 'reverse'
  /** The key, like in other fields with a path. */
  readonly path: string
  /** The key, like in other fields with an owner. */
  readonly owner: string
  /** The referring collection, whose entries are listed. */
  readonly to: string
  /** The dotted path of the relation in that collection. */
  readonly through: string
  /** The top-level field that contains the relation. Callers who may not read it do not see the reverse field either. */
  readonly throughOwner: string
  /** True if that field has a rule for reading. */
  readonly isThroughGuarded: boolean
  /** The collection of the document. */
  readonly target: string
}

/** A field that `include` expands. */
export type LinkModel = RelationModel | ReverseModel

export interface DocumentModel {
  readonly kind: 'collection' | 'global'
  readonly key: string
  readonly label: InterfaceText | undefined
  readonly description: InterfaceText | undefined
  readonly form: FormConfig | undefined
  readonly fields: readonly FieldModel[]
  readonly fieldMap: Fields
  readonly reverseFields: ReadonlyMap<string, ReverseModel>
  /** The keys of every document that are served before and after its fields. */
  readonly systemKeys: { readonly before: readonly string[]; readonly after: readonly string[] }
  /** All keys of a stored document, in order. */
  readonly storedKeys: readonly string[]
  /** The keys of fields whose values only the service makes, from an uploaded file. */
  readonly serviceMadeKeys: ReadonlySet<string>
  /** The keys that are accepted in a body and ignored. */
  readonly ignoredKeys: ReadonlySet<string>
  /** A digest of the keys and types of stored documents. */
  readonly schemaHash: string
  /** The part of an ETag for a whole document in this schema. */
  readonly etagPart: string
  /** The part of an ETag for a whole document with its authors. */
  readonly etagPartWithAuthors: string
  readonly schemas: {
    readonly read: JsonSchema
    readonly create: JsonSchema
    readonly update: JsonSchema
    /** The schema of a draft, in which nothing is required. */
    readonly draft: JsonSchema
  }
  /** The validators of bodies and of other values with its schemas. */
  readonly validators: Validators
  readonly requireIfMatch: boolean
  /** Checks a whole document before it is stored. */
  readonly validate: DocumentValidator | undefined
  /** Relations by path. Blocks of different kinds may share a path, and a field has a relation for each target. */
  readonly relations: ReadonlyMap<string, readonly RelationModel[]>
  /** The keys of top-level fields that are localized, or that contain localized fields. */
  readonly localized: ReadonlySet<string>
  /** The top-level fields that some callers may not read. */
  readonly guarded: readonly FieldModel[]
  /** True if reads can include the slugs of a document in all locales. */
  readonly hasAlternates: boolean
  /** The rule of reading the authors of a document; `undefined` for any session. */
  readonly authorRule: true | FieldRule | undefined
}

export interface CollectionModel extends DocumentModel {
  readonly kind: 'collection'
  /** The table for reads, that of the collection or of a locale. */
  readonly table: string
  /**
   * The collection in other locales, each with its own table. Without the locale of the collection's table, and empty if no field is
   * localized.
   */
  readonly byLocale: ReadonlyMap<string, CollectionModel>
  /** The name of one entry, for people. */
  readonly singularLabel: InterfaceText | undefined
  readonly maxLimit: number
  /** True if its entries are files, which need an upload. */
  readonly holdsFiles: boolean
  /** The time for which a deleted entry can be restored, in milliseconds; limited for files, whose bytes are removed after it. */
  readonly restorableMs: number
  readonly slug: { readonly key: string; readonly from: string | undefined } | undefined
  /** True if entries have a rank, the default order of lists. */
  readonly orderable: boolean
  /** The paths of the pages of entries, one for all locales, or one for each; empty if links cannot lead to entries. */
  readonly paths: readonly PathTemplate[]
  /** The key of the relation to the parent, if entries form a tree. */
  readonly parent: string | undefined
  /** The keys of top-level fields that may be the title of an entry, the best first. */
  readonly titles: readonly string[]
  readonly status: { readonly key: string; readonly values: readonly string[] } | undefined
  readonly filterableFields: ReadonlyMap<string, FilterableField>
  /** The multi-valued fields that can be filtered, by dotted path. */
  readonly multiValuedFields: ReadonlyMap<string, MultiValuedField>
  /** The fields with a stored number of entries for each value. */
  readonly counted: readonly (FilterableField | MultiValuedField)[]
  /** The fields whose values are in the search index, where a filter by equality narrows a search. */
  readonly searchFilters: readonly FilterableField[]
  /** The indexed values inside documents. */
  readonly indexes: readonly FilterableField[]
  readonly uniqueIndexes: readonly UniqueIndexModel[]
  readonly compoundIndexes: readonly CompoundIndexModel[]
  /** The sort keys that replace texts in sorting, by path of the text. */
  readonly sortKeys: ReadonlyMap<string, FilterableField>
  /** The top-level fields whose words `q` finds. */
  readonly searchable: readonly { readonly key: string; readonly weight: number }[]
  readonly access: {
    readonly read: AccessRule | undefined
    /** The rule of seeing drafts; by default, that for `update`. */
    readonly draft: AccessRule | undefined
    readonly create: AccessRule | undefined
    readonly update: AccessRule | undefined
    readonly delete: AccessRule | undefined
  }
}

export interface GlobalModel extends DocumentModel {
  readonly kind: 'global'
  readonly access: { readonly read: GlobalRule | undefined; readonly update: GlobalRule | undefined }
}

export interface LocalesModel {
  readonly default: string
  readonly available: readonly string[]
  /** The chain of fallbacks of each locale, itself first. */
  readonly chains: ReadonlyMap<string, readonly string[]>
}

/** The config, compiled once at start. Requests use this and never the config. */
export interface Model {
  readonly collections: ReadonlyMap<string, CollectionModel>
  readonly globals: ReadonlyMap<string, GlobalModel>
  readonly locales: LocalesModel | undefined
  readonly byLocale: ReadonlyMap<string, ReadonlyMap<string, CollectionModel>>
  /** True if field rules or author rules restrict reads of a collection. */
  readonly hasFieldRules: boolean
  /** True if any rule restricts callers without a session, so that it is evaluated for each request. */
  readonly hasReadRules: boolean
  /** The collections with a rule for reading. */
  readonly restricted: readonly CollectionModel[]
  /** The collections with a rule for reading or for drafts, which restrict sessions. */
  readonly restrictedForSessions: readonly CollectionModel[]
  /** The plugins in the order of their setup. */
  readonly plugins: readonly Plugin[]
  /** The sources of hooks and routes: the config itself, and then the plugins. */
  readonly contributors: readonly Contributor[]
}

/** Usual keys of titles, the best first. */
const DEFAULT_TITLES: readonly string[] = ['title', 'name', 'label', 'headline', 'subject', 'originalName', 'filename']

/**
 * Returns the keys of top-level fields that may be the title of an entry, the best first: the source of its slug, usual keys, other texts,
 * and the slug itself.
 */
export function findTitleKeys(
  fields: readonly Pick<FieldModel, 'key' | 'field'>[],
  slug: { readonly key: string; readonly from: string | undefined } | undefined,
): readonly string[] {
  const names = fields.filter(({ field }) => field.type.canBeTitle).map(({ key }) => key)
  const best = [slug?.from, ...DEFAULT_TITLES].filter((key) => key !== undefined && names.includes(key))
  return [...new Set([...best, ...names, slug?.key])].filter((key) => key !== undefined)
}

/** Returns the key of the title that a caller may read, or `undefined` if there is none. */
export const findTitleField = (
  { titles }: { readonly titles: readonly string[] },
  hidden: ReadonlySet<string>,
): string | undefined => titles.find((key) => !hidden.has(key))
