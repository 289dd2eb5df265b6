import type { CollectionModel, DocumentModel, LocalesModel, Model } from '../../model/model.ts'
import type { EntryRow, FieldReference, LocaleRow, WrittenEntry } from '../../store/rows.ts'
import { collectMembers, deriveFields } from '../../store/tables/document-values.ts'
import { type AuthorColumns, PUBLISHED_LOCALES } from '../../store/tables/tables.ts'
import { type CanonicalDocument, getLocaleStatus, localize } from '../locales/localized.ts'
import { localizeStrictWithStatus, localizeWithStatus } from '../locales/published-locales.ts'
import {
  collectOrphaned,
  findReferences,
  keepOrphaned,
  mergeFields,
  toCurrentSchema,
  type Values,
  withOrphanedValues,
} from './document.ts'

/** The columns that serving a document needs. */
export type StoredDocument = Pick<EntryRow, 'doc' | 'schema_hash' | 'created_by' | 'updated_by'> & {
  readonly status?: string | null
  readonly orphaned?: string | null
}

/**
 * The values of a stored document under the present schema, its own keys included.
 *
 * @param stored what its text says, where that is known
 */
export function readStoredValues(
  document: DocumentModel,
  { doc, schema_hash, status, orphaned }: StoredDocument,
  stored: Values = JSON.parse(doc),
): Values {
  if (schema_hash === document.schemaHash) return stored
  const fields = toCurrentSchema(document, withOrphanedValues(stored, orphaned))
  // Start-up has settled which status counts; what the document says may be of a time before that.
  const statusKey = document.fields.find(({ field }) => field.type.role === 'status')?.key
  if (statusKey !== undefined && status) fields[statusKey] = status
  return withSystemKeys(document, stored, fields)
}

/** Puts fields between the keys that every document of the kind has. */
export function withSystemKeys(document: DocumentModel, system: Values, fields: Values): Values {
  const { before, after } = document.systemKeys
  const pick = (keys: readonly string[]): Values => Object.fromEntries(keys.map((key) => [key, system[key]]))
  return { ...pick(before), ...fields, ...pick(after) }
}

/** The authors of the creation and of the last change of a document. */
export const getAuthors = ({ created_by = null, updated_by = null }: Partial<AuthorColumns>): Values => ({
  createdBy: created_by,
  updatedBy: updated_by,
})

/** The columns of a stored document. */
export type StoredColumns = Pick<EntryRow, 'doc' | 'seq' | 'schema_hash' | 'orphaned'> &
  AuthorColumns & {
    readonly status?: string | null
    readonly locales: string | null
  }

/** A stored revision of a document. Its text is parsed once, and only when it is needed. */
export class StoredRevision<Row extends StoredColumns = StoredColumns> {
  readonly row: Row
  readonly #model: Model
  readonly #document: DocumentModel
  #raw: Values | undefined
  #canonical: CanonicalDocument | undefined

  constructor(model: Model, document: DocumentModel, row: Row) {
    this.row = row
    this.#model = model
    this.#document = document
  }

  /** The values of the stored text. */
  get raw(): Values {
    this.#raw ??= JSON.parse(this.row.doc) as Values
    return this.#raw
  }

  /** The document in all its locales, as the present config has it. */
  get canonical(): CanonicalDocument {
    this.#canonical ??= toCanonical(readStoredValues(this.#document, this.row, this.raw), this.row.locales)
    return this.#canonical
  }

  /** The values of the default locale, with the keys that are not fields. */
  get values(): Values {
    return this.canonical.values
  }

  /** The same values with the people who made and last changed the document, as access rules and hooks see them. */
  get valuesWithAuthors(): Values {
    return { ...this.values, ...getAuthors(this.row) }
  }

  get references(): readonly FieldReference[] {
    return findReferencesInAllLocales(this.#model, this.#document, this.canonical)
  }

  /** The values that the present config has no field for, as JSON. */
  get orphaned(): string | null {
    return collectOrphaned(this.#document, this.row, this.raw)
  }

  /** Returns the values of a locale itself, without fallbacks. */
  getLocaleValues(locale: string | undefined): Values {
    return getLocaleValues(this.#model, this.#document, this.canonical, locale)
  }

  /** Returns the revision of a row that was read later. The same revision is not parsed again; its row may have another draft. */
  withRow(row: Row): StoredRevision<Row> {
    const updated = new StoredRevision(this.#model, this.#document, row)
    if (row.seq === this.row.seq) {
      updated.#raw = this.#raw
      updated.#canonical = this.#canonical
    }
    return updated
  }
}

/** Returns the values of a locale of a document itself, without fallbacks. */
export function getLocaleValues(
  { locales }: Model,
  document: DocumentModel,
  canonical: CanonicalDocument,
  locale: string | undefined,
): Values {
  if (!locales || locale === undefined || document.localized.size === 0) return canonical.values
  return localizeStrictWithStatus(document, canonical, locales, locale)
}

/** The parts of a row of an entry. */
export interface RowParts {
  readonly id: string
  readonly canonical: CanonicalDocument
  readonly createdAt: string
  readonly updatedAt: string
  readonly createdBy: string | null
  readonly updatedBy: string | null
  readonly orphaned: string | null
  /** The draft, as its column holds it. */
  readonly draft: string | null
  /** The status of an entry whose collection has no field for it: it counts again once there is one. @default none */
  readonly orphanedStatus?: string | null
}

/** Returns the row of an entry, as the store takes it. */
export function toRow(model: Model, collection: CollectionModel, parts: RowParts): WrittenEntry {
  const {
    id,
    canonical,
    createdAt,
    updatedAt,
    createdBy,
    updatedBy,
    orphaned,
    draft,
    orphanedStatus: leftStatus = null,
  } = parts
  const values = inDefaultLocale(model, collection, canonical)
  const value = withSystemKeys(collection, { id, createdAt, updatedAt }, mergeFields(collection, {}, values))
  const { slug, status, schemaHash: schema_hash } = collection
  return {
    id,
    slug: slug ? textOrNull(values[slug.key]) : null,
    status: status ? String(values[status.key]) : leftStatus,
    created_at: createdAt,
    updated_at: updatedAt,
    created_by: createdBy,
    updated_by: updatedBy,
    schema_hash,
    orphaned: keepOrphaned(collection, value, orphaned),
    locales: serializeLocales(canonical),
    draft,
    folded: deriveFields(collection, value),
    value,
    references: findReferencesInAllLocales(model, collection, canonical),
    choices: collectMembers(collection, values),
    doc: JSON.stringify(value),
    localeRows: toLocaleRows(model, collection, { ...canonical, values: value }, leftStatus),
  }
}

/** Returns the values of the default locale, with its status. */
function inDefaultLocale({ locales }: Model, collection: CollectionModel, canonical: CanonicalDocument): Values {
  const { values, publishedLocales } = canonical
  if (!publishedLocales || !collection.status) return values
  return { ...values, [collection.status.key]: getLocaleStatus(collection, canonical, locales?.default) }
}

/** Returns a text as a column holds it. */
export const textOrNull = (value: unknown): string | null => (typeof value === 'string' ? value : null)

/** Returns the values of the locales other than the default one, as they are stored. */
export function serializeTranslations({ translations }: Pick<CanonicalDocument, 'translations'>): string | null {
  return Object.keys(translations).length > 0 ? JSON.stringify(translations) : null
}

/** Returns the values of the locales other than the default one, and the locales in which the document is published, as stored. */
export function serializeLocales({ translations, publishedLocales }: Omit<CanonicalDocument, 'values'>): string | null {
  if (!publishedLocales) return serializeTranslations({ translations })
  return JSON.stringify({ [PUBLISHED_LOCALES]: publishedLocales, ...translations })
}

/** Returns an entry as each locale with a table of its own shows it. Locales without values of their own share the result. */
export function toLocaleRows(
  { locales }: Model,
  collection: CollectionModel,
  canonical: CanonicalDocument,
  leftStatus: string | null,
): readonly LocaleRow[] {
  if (!locales) return []
  const { slug, status } = collection
  const shown = new Map<string, Pick<LocaleRow, 'value' | 'folded' | 'doc'>>()
  return [...collection.byLocale].map(([locale, inLocale]) => {
    const chain = getFallbackChain(locales, locale).filter(
      (one) => one === locales.default || Object.hasOwn(canonical.translations, one),
    )
    // Locales share no status of an entry that is not published in each of them, and no sort keys.
    const name = canonical.publishedLocales || collection.sortKeys.size > 0 ? locale : chain.join()
    const { value, folded, doc } = shown.get(name) ?? showBy(inLocale, canonical, locales, locale, chain)
    shown.set(name, { value, folded, doc })
    const own = slug && collection.localized.has(slug.key) ? ownSlug(slug.key, canonical, locale, locales) : undefined
    const shownSlug = slug ? textOrNull(value[slug.key]) : null
    return {
      collection: inLocale,
      slug: shownSlug,
      own_slug: own === undefined ? shownSlug : textOrNull(own),
      status: status ? String(value[status.key]) : leftStatus,
      folded,
      value,
      doc,
    }
  })
}

function showBy(
  collection: CollectionModel,
  canonical: CanonicalDocument,
  locales: LocalesModel,
  locale: string,
  chain: readonly string[],
): Pick<LocaleRow, 'value' | 'folded' | 'doc'> {
  const fields = mergeFields(collection, {}, localizeWithStatus(collection, canonical, locales, locale, chain))
  const value = withSystemKeys(collection, canonical.values, fields)
  return { value, folded: deriveFields(collection, value), doc: JSON.stringify(value) }
}

const ownSlug = (
  key: string,
  { values, translations }: CanonicalDocument,
  locale: string,
  locales: LocalesModel,
): unknown => (locale === locales.default ? values[key] : translations[locale]?.[key]) ?? null

/** Returns the locales in which values are looked for, in order. */
export const getFallbackChain = ({ chains }: LocalesModel, locale: string): readonly string[] =>
  chains.get(locale) ?? [locale]

/** Returns the references of a document in all its locales. */
export function findReferencesInAllLocales(
  { locales }: Model,
  document: DocumentModel,
  canonical: CanonicalDocument,
): readonly FieldReference[] {
  const own = findReferences(document, canonical.values)
  const others = Object.keys(canonical.translations)
  if (!locales || others.length === 0) return own
  const all = others.flatMap((locale) =>
    findReferences(document, localize(document, canonical, [locale], locales.default)),
  )
  const named = [...own, ...all].map((one) => [`${one.field} ${one.collection} ${one.id}`, one] as const)
  return [...new Map(named).values()]
}

/** Returns a stored document in all its locales. */
export function toCanonical(values: Values, locales: string | null): CanonicalDocument {
  if (locales === null) return { values, translations: {} }
  const { [PUBLISHED_LOCALES]: publishedLocales, ...translations } = JSON.parse(locales)
  return publishedLocales ? { values, translations, publishedLocales } : { values, translations }
}
