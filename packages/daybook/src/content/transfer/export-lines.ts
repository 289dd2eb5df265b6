import type { CollectionModel, GlobalModel } from '../../model/model.ts'
import type { Schedule } from '../../store/records/schedules.ts'
import type { GlobalRow, JournalRow, StoredEntry } from '../../store/rows.ts'
import { isPartlyPublished } from '../../store/tables/tables.ts'
import { toDraftRow } from '../documents/draft-row.ts'
import { collectOrphaned } from '../documents/orphaned-values.ts'
import { getAuthors, readStoredValues, serializeTranslations, textOrNull, toCanonical } from '../documents/row.ts'

/** The version of the format. It increases with every incompatible change. */
export const EXPORT_VERSION = 1

/** The header of an export: its source and its time. */
export interface ExportHeader {
  readonly daybook: typeof EXPORT_VERSION
  /** ISO 8601. */
  readonly at: string
  /** The last change that the export contains. */
  readonly seq: number
  /** If set, the export contains only the changes after this number. */
  readonly since?: number
  /** The default locale of the documents; absent if the content has no locales. */
  readonly locale?: string
}

export interface ExportCounts {
  readonly collections: Readonly<Record<string, number>>
  readonly globals: number
  /** The number of deletions; only in exports of changes. */
  readonly deleted?: number
}

export const toLine = (value: ExportHeader | { readonly counts: ExportCounts }): string => `${JSON.stringify(value)}\n`

export const formatDeletionLine = ({ collection, id, at }: JournalRow): string =>
  `${JSON.stringify({ collection, id, deletedAt: at })}\n`

export interface EntryLineParts {
  readonly schedules: readonly Schedule[]
  readonly hasAuthors: boolean
}

export function formatEntryLine(
  collection: CollectionModel,
  entry: StoredEntry,
  { schedules, hasAuthors }: EntryLineParts,
): string {
  const { doc, orphaned, slug, status } = toCurrentEntry(collection, entry)
  const { id, created_at: createdAt, updated_at: updatedAt } = entry
  const authors = hasAuthors ? getAuthors(entry) : {}
  const head = {
    collection: collection.key,
    id,
    createdAt,
    updatedAt,
    ...authors,
    slug,
    status,
    schemaHash: collection.schemaHash,
  }
  const extensions = [formatDraft(collection, entry, hasAuthors), formatSchedules(schedules, hasAuthors)]
  return `${formatDocument(head, { doc, orphaned, locales: entry.locales }).slice(0, -1)}${extensions.join('')}}\n`
}

function formatDraft(collection: CollectionModel, entry: StoredEntry, hasAuthors: boolean): string {
  if (entry.draft === null) return ''
  const draft = toDraftRow(entry)
  const { doc, orphaned } = toCurrentEntry(collection, draft)
  const authors = hasAuthors ? { updatedBy: draft.updated_by } : {}
  const head = { updatedAt: draft.updated_at, ...authors, schemaHash: collection.schemaHash }
  return `,"draft":${formatDocument(head, { doc, orphaned, locales: draft.locales })}`
}

function formatSchedules(schedules: readonly Schedule[], hasAuthors: boolean): string {
  if (schedules.length === 0) return ''
  const lines = schedules.map(({ action, at, actor, locales }) => ({
    action,
    at,
    ...(hasAuthors ? { by: actor } : {}),
    ...(locales === null ? {} : { locales: JSON.parse(locales) }),
  }))
  return `,"schedule":${JSON.stringify(lines)}`
}

export interface GlobalLineParts {
  readonly updatedAt: string | undefined
  readonly hasAuthors: boolean
}

export function formatGlobalLine(
  global: GlobalModel,
  row: GlobalRow,
  { updatedAt, hasAuthors }: GlobalLineParts,
): string {
  const authors = hasAuthors ? getAuthors(row) : {}
  const head = { global: global.key, updatedAt, ...authors, schemaHash: global.schemaHash }
  if (row.schema_hash === global.schemaHash) return `${formatDocument(head, row)}\n`
  const doc = JSON.stringify(readStoredValues(global, row))
  return `${formatDocument(head, { doc, orphaned: collectOrphaned(global, row), locales: row.locales })}\n`
}

/** Appends a document, which is stored as JSON, without parsing it. */
function formatDocument(
  head: object,
  { doc, orphaned, locales }: Pick<StoredEntry, 'doc' | 'orphaned' | 'locales'>,
): string {
  const rest = `${formatLocales(locales)}${orphaned === null ? '' : `,"orphaned":${orphaned}`}`
  return `${JSON.stringify(head).slice(0, -1)},"document":${doc}${rest}}`
}

function formatLocales(locales: string | null): string {
  if (locales === null) return ''
  if (!isPartlyPublished({ locales })) return `,"locales":${locales}`
  const { publishedLocales, translations } = toCanonical({}, locales)
  const translationsJson = serializeTranslations({ translations })
  return `,"publishedLocales":${JSON.stringify(publishedLocales)}${translationsJson === null ? '' : `,"locales":${translationsJson}`}`
}

/** Returns an entry as the next write would store it: under the current schema, with the columns derived from it. */
function toCurrentEntry(
  collection: CollectionModel,
  entry: StoredEntry,
): Pick<StoredEntry, 'doc' | 'orphaned' | 'slug' | 'status'> {
  if (entry.schema_hash === collection.schemaHash) return entry
  const values = readStoredValues(collection, entry)
  const { slug, status } = collection
  return {
    doc: JSON.stringify(values),
    orphaned: collectOrphaned(collection, entry),
    slug: slug ? textOrNull(values[slug.key]) : entry.slug,
    status: status ? textOrNull(values[status.key]) : entry.status,
  }
}
