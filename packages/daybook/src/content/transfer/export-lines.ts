import type { CollectionModel, GlobalModel } from '../../model/model.ts'
import type { Schedule } from '../../store/records/schedules.ts'
import type { GlobalRow, JournalRow, StoredEntry } from '../../store/rows.ts'
import { isPartlyPublished } from '../../store/tables/tables.ts'
import { collectOrphaned } from '../documents/document.ts'
import { toDraftRow } from '../documents/draft-row.ts'
import { getAuthors, readStoredValues, serializeTranslations, textOrNull, toCanonical } from '../documents/row.ts'

/** The version of the lines; it rises when readers have to know of a change. */
export const EXPORT_VERSION = 1

/** The header of an export: its source and its time. */
export interface ExportHeader {
  readonly daybook: typeof EXPORT_VERSION
  /** ISO 8601. */
  readonly at: string
  /** The last number of the journal that is in it. */
  readonly seq: number
  /** The export holds the changes after this number alone. */
  readonly since?: number
  /** The locale that documents are in, where content has several. */
  readonly locale?: string
}

/** How many lines of each kind there were. */
export interface ExportCounts {
  readonly collections: Readonly<Record<string, number>>
  readonly globals: number
  /** Of deletions; in exports of changes alone. */
  readonly deleted?: number
}

/** A value as a line. */
export const toLine = (value: ExportHeader | { readonly counts: ExportCounts }): string => `${JSON.stringify(value)}\n`

/** The line of a deletion. */
export const formatDeletionLine = ({ collection, id, at }: JournalRow): string =>
  `${JSON.stringify({ collection, id, deletedAt: at })}\n`

/** What the line of an entry says besides the entry. */
export interface EntryLineParts {
  /** What is scheduled of it. */
  readonly schedules: readonly Schedule[]
  /** Whether it says who made and last changed what. */
  readonly hasAuthors: boolean
}

/** The line of an entry, with its working copy and its times. */
export function formatEntryLine(
  collection: CollectionModel,
  entry: StoredEntry,
  { schedules, hasAuthors }: EntryLineParts,
): string {
  const { doc, orphaned, slug, status } = asConfigured(collection, entry)
  const { id, created_at: createdAt, updated_at: updatedAt } = entry
  const people = hasAuthors ? getAuthors(entry) : {}
  const head = {
    collection: collection.key,
    id,
    createdAt,
    updatedAt,
    ...people,
    slug,
    status,
    schemaHash: collection.schemaHash,
  }
  const beside = [draftText(collection, entry, hasAuthors), scheduleText(schedules, hasAuthors)]
  return `${documentText(head, { doc, orphaned, locales: entry.locales }).slice(0, -1)}${beside.join('')}}\n`
}

function draftText(collection: CollectionModel, entry: StoredEntry, hasAuthors: boolean): string {
  if (entry.draft === null) return ''
  const copy = toDraftRow(entry)
  const { doc, orphaned } = asConfigured(collection, copy)
  const people = hasAuthors ? { updatedBy: copy.updated_by } : {}
  const head = { updatedAt: copy.updated_at, ...people, schemaHash: collection.schemaHash }
  return `,"draft":${documentText(head, { doc, orphaned, locales: copy.locales })}`
}

function scheduleText(schedules: readonly Schedule[], hasAuthors: boolean): string {
  if (schedules.length === 0) return ''
  const lines = schedules.map(({ action, at, actor, locales }) => ({
    action,
    at,
    ...(hasAuthors ? { by: actor } : {}),
    ...(locales === null ? {} : { locales: JSON.parse(locales) }),
  }))
  return `,"schedule":${JSON.stringify(lines)}`
}

/** When a global was last changed, and whether its line says by whom. */
export interface GlobalLineParts {
  readonly updatedAt: string | undefined
  readonly hasAuthors: boolean
}

/** The line of a global. */
export function formatGlobalLine(
  global: GlobalModel,
  row: GlobalRow,
  { updatedAt, hasAuthors }: GlobalLineParts,
): string {
  const people = hasAuthors ? getAuthors(row) : {}
  const head = { global: global.key, updatedAt, ...people, schemaHash: global.schemaHash }
  if (row.schema_hash === global.schemaHash) return `${documentText(head, row)}\n`
  const doc = JSON.stringify(readStoredValues(global, row))
  return `${documentText(head, { doc, orphaned: collectOrphaned(global, row), locales: row.locales })}\n`
}

/** Documents are stored as JSON, and go as they are. */
function documentText(
  head: object,
  { doc, orphaned, locales }: Pick<StoredEntry, 'doc' | 'orphaned' | 'locales'>,
): string {
  const rest = `${localesText(locales)}${orphaned === null ? '' : `,"orphaned":${orphaned}`}`
  return `${JSON.stringify(head).slice(0, -1)},"document":${doc}${rest}}`
}

function localesText(locales: string | null): string {
  if (locales === null) return ''
  if (!isPartlyPublished({ locales })) return `,"locales":${locales}`
  const { publishedLocales, translations } = toCanonical({}, locales)
  const said = serializeTranslations({ translations })
  return `,"publishedLocales":${JSON.stringify(publishedLocales)}${said === null ? '' : `,"locales":${said}`}`
}

/** An entry as the next write would store it: under the present schema, with the columns that are made of it. */
function asConfigured(
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
