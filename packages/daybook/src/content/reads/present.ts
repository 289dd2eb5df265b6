import type { CollectionModel, DocumentModel } from '../../model/model.ts'
import type { Selection } from '../../query/expansion.ts'
import type { LocaleChoice } from '../../query/locale-parameters.ts'
import type { EntryRow } from '../../store/rows.ts'
import { hasLinks } from '../../store/tables/tables.ts'
import { getServedKeys, type Values } from '../documents/document.ts'
import { getAuthors, readStoredValues, type StoredDocument } from '../documents/row.ts'
import { hashCacheKey, toDocumentTag, withLinksPart } from './etags.ts'
import { joinParts, type Member, type Part, splitMembers } from './json-members.ts'
import type { DocumentResponse, EntryResponse } from './response.ts'

/** The fields that a response shows. */
export interface Projection {
  /** The keys of the top-level fields that do not exist for the caller. */
  readonly hidden: ReadonlySet<string>
  /** The selected keys; `undefined`: all. */
  readonly select?: ReadonlySet<string> | undefined
  /** True if the caller may see the authors of the document. @default false */
  readonly hasAuthors?: boolean
}

/** Returns true if a response needs one row for each document: it includes no other documents or locales. */
export function isSelfContained(
  { expansions, reverses, hasAlternates }: Selection,
  { isAll, chain }: LocaleChoice,
): boolean {
  return !hasAlternates && expansions.length === 0 && reverses.length === 0 && !isAll && chain === undefined
}

const NO_KEYS: ReadonlySet<string> = new Set()

/** Creates the JSON text of a stored document for a caller: the stored text itself if all of it is shown. */
export function present(document: DocumentModel, row: StoredDocument, projection: Projection): string {
  const { hidden, select, hasAuthors } = projection
  const isUnchanged = hidden.size === 0 && !select && row.schema_hash === document.schemaHash
  if (!isUnchanged) return joinParts(presentParts(document, row, projection, NO_KEYS))
  return hasAuthors ? appendMembers(row.doc, getAuthors(row)) : row.doc
}

/**
 * Returns the selected and visible parts of a stored document, followed by its authors.
 *
 * @param separate the keys of members that become separate parts
 */
export function presentParts(
  document: DocumentModel,
  row: StoredDocument,
  projection: Projection,
  separate: ReadonlySet<string>,
): readonly Part[] {
  const isShown = createKeyFilter(document, projection)
  const isCurrent = row.schema_hash === document.schemaHash
  const parts = isCurrent ? splitMembers(row.doc, document.storedKeys, isShown, separate) : undefined
  const stored = parts ?? toMembers(readStoredValues(document, row), isShown)
  return projection.hasAuthors ? [...stored, ...toMembers(getAuthors(row), isShown)] : stored
}

const toMembers = (values: Values, isShown: (key: string) => boolean): readonly Member[] =>
  Object.entries(values).flatMap(([key, value]) =>
    value !== undefined && isShown(key) ? { key, text: JSON.stringify(value) } : [],
  )

/** Appends members to the JSON text of a non-empty object. */
export const appendMembers = (text: string, members: Values): string =>
  `${text.slice(0, -1)},${JSON.stringify(members).slice(1)}`

/** Returns the selected values that the caller may see. */
export function project(document: DocumentModel, values: Values, projection: Projection): Values {
  const isShown = createKeyFilter(document, projection)
  return Object.fromEntries(Object.entries(values).filter(([key]) => isShown(key)))
}

function createKeyFilter(document: DocumentModel, { hidden, select }: Projection): (key: string) => boolean {
  const hiddenKeys = hidden.size > 0 ? getServedKeys(document, hidden) : hidden
  return (key) => !hiddenKeys.has(key) && (select === undefined || select.has(key))
}

export function toProjectionTag(
  document: DocumentModel,
  revision: number,
  { hidden, select, hasAuthors }: Projection,
): string {
  const isComplete = hidden.size === 0 && !select
  const completePart = hasAuthors ? document.etagPartWithAuthors : document.etagPart
  const etagPart = isComplete
    ? completePart
    : hashCacheKey(document.schemaHash, [...hidden], select && [...select], hasAuthors)
  return toDocumentTag(revision, etagPart)
}

export function toDocumentResponse(
  document: DocumentModel,
  row: StoredDocument & Pick<EntryRow, 'seq'>,
  projection: Projection,
): DocumentResponse {
  const tag = toProjectionTag(document, row.seq, projection)
  // The tag of a read also depends on the documents that links lead to.
  const linksPart = hasLinks(row) ? 'stored' : undefined
  return { json: present(document, row, projection), tag: withLinksPart(tag, linksPart), seq: row.seq }
}

export function toEntryResponse(
  collection: CollectionModel,
  row: StoredDocument & Pick<EntryRow, 'id' | 'seq'> & { readonly slug: string | null },
  projection: Projection,
): EntryResponse {
  return { ...toDocumentResponse(collection, row, projection), id: row.id, address: row.slug ?? row.id }
}
