import { ASSETS } from '../../fields/asset.ts'
import type { CollectionModel, DocumentModel, LocalesModel, Model } from '../../model/model.ts'
import type { EntryRow, FieldReference, LocaleRow, WrittenEntry } from '../../store/rows.ts'
import { collectMembers, deriveFields } from '../../store/tables/document-values.ts'
import { type AuthorColumns, PUBLISHED_LOCALES, toLinkField } from '../../store/tables/tables.ts'
import { type CanonicalDocument, getLocaleStatus, localize } from '../locales/localized.ts'
import { localizeStrictWithStatus, localizeWithStatus } from '../locales/published-locales.ts'
import { findDocumentLinks, findFileAddresses, mapHtml } from '../markdown/document-links.ts'
import type { Values } from './document.ts'
import { findReferences } from './find-references.ts'
import { collectOrphaned, keepOrphaned, toCurrentSchema, withOrphanedValues } from './orphaned-values.ts'
import { mergeFields } from './prepare-fields.ts'

/** The columns needed to serve a document. */
export type StoredDocument = Pick<EntryRow, 'doc' | 'schema_hash' | 'created_by' | 'updated_by'> & {
  readonly status?: string | null
  readonly orphaned?: string | null
}

/**
 * Returns the values of a stored document in the current schema, with the system keys.
 *
 * @param stored the parsed text, if it is available
 */
export function readStoredValues(
  document: DocumentModel,
  { doc, schema_hash, status, orphaned }: StoredDocument,
  stored: Values = JSON.parse(doc),
): Values {
  if (schema_hash === document.schemaHash) return stored
  const fields = toCurrentSchema(document, withOrphanedValues(stored, orphaned))
  // The status column is migrated at start; the document may still have an older status.
  const statusKey = document.fields.find(({ field }) => field.type.role === 'status')?.key
  if (statusKey !== undefined && status) fields[statusKey] = status
  return withSystemKeys(document, stored, fields)
}

/** Surrounds fields with the keys that every document of the kind has. */
export function withSystemKeys(document: DocumentModel, system: Values, fields: Values): Values {
  const { before, after } = document.systemKeys
  const pick = (keys: readonly string[]): Values => Object.fromEntries(keys.map((key) => [key, system[key]]))
  return { ...pick(before), ...fields, ...pick(after) }
}

export const getAuthors = ({ created_by = null, updated_by = null }: Partial<AuthorColumns>): Values => ({
  createdBy: created_by,
  updatedBy: updated_by,
})

export type StoredColumns = Pick<EntryRow, 'doc' | 'seq' | 'schema_hash' | 'orphaned'> &
  AuthorColumns & {
    readonly status?: string | null
    readonly locales: string | null
  }

/** A stored revision of a document. Its text is parsed at most once, when it is first needed. */
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

  get raw(): Values {
    this.#raw ??= JSON.parse(this.row.doc) as Values
    return this.#raw
  }

  /** The document in all its locales under the current config. */
  get canonical(): CanonicalDocument {
    this.#canonical ??= toCanonical(readStoredValues(this.#document, this.row, this.raw), this.row.locales)
    return this.#canonical
  }

  /** The values of the default locale, with the system keys. */
  get values(): Values {
    return this.canonical.values
  }

  /** The values with the authors of the document, as access rules and hooks receive them. */
  get valuesWithAuthors(): Values {
    return { ...this.values, ...getAuthors(this.row) }
  }

  get references(): readonly FieldReference[] {
    return findReferencesInAllLocales(this.#model, this.#document, this.canonical)
  }

  /** The references of relations, and the links in HTML. */
  get storedReferences(): readonly FieldReference[] {
    return findStoredReferences(this.#model, this.#document, this.canonical)
  }

  get orphaned(): string | null {
    return collectOrphaned(this.#document, this.row, this.raw)
  }

  /** Returns the values of a locale without fallbacks. */
  getLocaleValues(locale: string | undefined): Values {
    return getLocaleValues(this.#model, this.#document, this.canonical, locale)
  }

  /** Returns the revision of a row that was read later. Its text is not parsed again if the revision is the same. */
  withRow(row: Row): StoredRevision<Row> {
    const revision = new StoredRevision(this.#model, this.#document, row)
    if (row.seq === this.row.seq) {
      revision.#raw = this.#raw
      revision.#canonical = this.#canonical
    }
    return revision
  }
}

/** Returns the values of one locale of a document, without fallbacks. */
export function getLocaleValues(
  { locales }: Model,
  document: DocumentModel,
  canonical: CanonicalDocument,
  locale: string | undefined,
): Values {
  if (!locales || locale === undefined || document.localized.size === 0) return canonical.values
  return localizeStrictWithStatus(document, canonical, locales, locale)
}

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
  /** The status of an entry whose collection has no status field; it applies again once the collection has one. @default none */
  readonly orphanedStatus?: string | null
}

export function toRow(model: Model, collection: CollectionModel, parts: RowParts): WrittenEntry {
  const { id, canonical, createdAt, updatedAt, createdBy, updatedBy, orphaned, draft, orphanedStatus = null } = parts
  const values = getDefaultLocaleValues(model, collection, canonical)
  const value = withSystemKeys(collection, { id, createdAt, updatedAt }, mergeFields(collection, {}, values))
  const { slug, status, schemaHash: schema_hash } = collection
  return {
    id,
    slug: slug ? textOrNull(values[slug.key]) : null,
    status: status ? String(values[status.key]) : orphanedStatus,
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
    references: findStoredReferences(model, collection, canonical),
    choices: collectMembers(collection, values),
    doc: JSON.stringify(value),
    localeRows: toLocaleRows(model, collection, { ...canonical, values: value }, orphanedStatus),
  }
}

/** Returns the values of the default locale, with its status. */
function getDefaultLocaleValues({ locales }: Model, collection: CollectionModel, canonical: CanonicalDocument): Values {
  const { values, publishedLocales } = canonical
  if (!publishedLocales || !collection.status) return values
  return { ...values, [collection.status.key]: getLocaleStatus(collection, canonical, locales?.default) }
}

export const textOrNull = (value: unknown): string | null => (typeof value === 'string' ? value : null)

/** Serializes the values of all locales except the default one for their column. */
export function serializeTranslations({ translations }: Pick<CanonicalDocument, 'translations'>): string | null {
  return Object.keys(translations).length > 0 ? JSON.stringify(translations) : null
}

/** Serializes the values of all locales except the default one, and the published locales, for their column. */
export function serializeLocales({ translations, publishedLocales }: Omit<CanonicalDocument, 'values'>): string | null {
  if (!publishedLocales) return serializeTranslations({ translations })
  return JSON.stringify({ [PUBLISHED_LOCALES]: publishedLocales, ...translations })
}

/** Creates the rows of an entry for the tables of its locales. Locales without their own values share the result. */
export function toLocaleRows(
  { locales }: Model,
  collection: CollectionModel,
  canonical: CanonicalDocument,
  orphanedStatus: string | null,
): readonly LocaleRow[] {
  if (!locales) return []
  const { slug, status } = collection
  const columnsByKey = new Map<string, Pick<LocaleRow, 'value' | 'folded' | 'doc'>>()
  return [...collection.byLocale].map(([locale, inLocale]) => {
    const chain = getFallbackChain(locales, locale).filter(
      (fallback) => fallback === locales.default || Object.hasOwn(canonical.translations, fallback),
    )
    // Locales cannot share the result if the status or the sort keys may differ.
    const sharedKey = canonical.publishedLocales || collection.sortKeys.size > 0 ? locale : chain.join()
    const { value, folded, doc } =
      columnsByKey.get(sharedKey) ?? localizeColumns(inLocale, canonical, locales, locale, chain)
    columnsByKey.set(sharedKey, { value, folded, doc })
    const localeSlug =
      slug && collection.localized.has(slug.key) ? getLocaleSlug(slug.key, canonical, locale, locales) : undefined
    const shownSlug = slug ? textOrNull(value[slug.key]) : null
    return {
      collection: inLocale,
      slug: shownSlug,
      own_slug: localeSlug === undefined ? shownSlug : textOrNull(localeSlug),
      status: status ? String(value[status.key]) : orphanedStatus,
      folded,
      value,
      doc,
    }
  })
}

function localizeColumns(
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

const getLocaleSlug = (
  key: string,
  { values, translations }: CanonicalDocument,
  locale: string,
  locales: LocalesModel,
): unknown => (locale === locales.default ? values[key] : translations[locale]?.[key]) ?? null

/** Returns the locales from which values are read, in order. */
export const getFallbackChain = ({ chains }: LocalesModel, locale: string): readonly string[] =>
  chains.get(locale) ?? [locale]

export function findReferencesInAllLocales(
  { locales }: Model,
  document: DocumentModel,
  canonical: CanonicalDocument,
): readonly FieldReference[] {
  const references = findReferences(document, canonical.values)
  const otherLocales = Object.keys(canonical.translations)
  if (!locales || otherLocales.length === 0) return references
  const translatedReferences = otherLocales.flatMap((locale) =>
    findReferences(document, localize(document, canonical, [locale], locales.default)),
  )
  const entries = [...references, ...translatedReferences].map(
    (reference) => [`${reference.field} ${reference.collection} ${reference.id}`, reference] as const,
  )
  return [...new Map(entries).values()]
}

/**
 * Returns the references that are stored with a document: those of its relations, and the links in its HTML. A link names its target by
 * id, or a file by its address.
 */
export function findStoredReferences(
  model: Model,
  document: DocumentModel,
  canonical: CanonicalDocument,
): readonly FieldReference[] {
  const links = new Map<string, FieldReference>()
  const add = (field: string, collection: string, id: string): void => {
    links.set(`${field} ${collection} ${id}`, { field: toLinkField(field), collection, id })
  }
  const collect = (values: Values): void => {
    mapHtml(document, values, (html, path) => {
      for (const { collection, id } of findDocumentLinks(html)) add(path, collection, id)
      for (const address of findFileAddresses(html)) add(path, ASSETS, address)
      return html
    })
  }
  collect(canonical.values)
  const { locales } = model
  for (const locale of locales ? Object.keys(canonical.translations) : [])
    collect(localize(document, canonical, [locale], locales?.default ?? locale))
  return [...findReferencesInAllLocales(model, document, canonical), ...links.values()]
}

/** Combines the stored values of a document with those of its other locales. */
export function toCanonical(values: Values, locales: string | null): CanonicalDocument {
  if (locales === null) return { values, translations: {} }
  const { [PUBLISHED_LOCALES]: publishedLocales, ...translations } = JSON.parse(locales)
  return publishedLocales ? { values, translations, publishedLocales } : { values, translations }
}
