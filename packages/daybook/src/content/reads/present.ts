import type { CollectionModel, DocumentModel } from '../../model/model.ts'
import type { Selection } from '../../query/expansion.ts'
import type { LocaleChoice } from '../../query/locale.ts'
import type { EntryRow } from '../../store/reads/rows.ts'
import type { Answer, EntryAnswer } from '../answer.ts'
import { servedKeysOf, toCurrentSchema, type Values, withOrphanedValues } from '../document.ts'
import { documentTag, variantOf } from '../etags.ts'

/** The fields that are hidden from the reader, and those that the request selects. */
export interface Projection {
  /** Keys of top-level fields that do not exist for the reader. */
  readonly hidden: ReadonlySet<string>
  /** Served keys asked for; `undefined`: all. */
  readonly select?: ReadonlySet<string> | undefined
}

/** Whether an answer is made of one row for each document: nothing of others is put in, nor of other locales. */
export function isOfOneRow({ expansions, lists }: Selection, { isAll, chain }: LocaleChoice): boolean {
  return expansions.length === 0 && lists.length === 0 && !isAll && chain === undefined
}

/** The columns that serving a document needs. */
export type StoredDocument = Pick<EntryRow, 'doc' | 'shape'> & {
  readonly status?: string | null
  readonly kept?: string | null
}

/**
 * The values of a stored document in the present shape, its own keys included.
 *
 * @param stored what its text says, where that is known
 */
export function storedValues(
  document: DocumentModel,
  { doc, shape, status, kept }: StoredDocument,
  stored: Values = JSON.parse(doc),
): Values {
  if (shape === document.schemaHash) return stored
  const fields = toCurrentSchema(document, withOrphanedValues(document, stored, kept))
  // Start-up has settled which status counts; what the document says may be of a time before that.
  const statusKey = document.fields.find(({ field }) => field.type.role === 'status')?.key
  if (statusKey !== undefined && status) fields[statusKey] = status
  return withSystem(document, stored, fields)
}

/** Puts fields between the keys that every document of the kind has. */
export function withSystem(document: DocumentModel, system: Values, fields: Values): Values {
  const { before, after } = document.systemKeys
  const pick = (keys: readonly string[]): Values => Object.fromEntries(keys.map((key) => [key, system[key]]))
  return { ...pick(before), ...fields, ...pick(after) }
}

/** The JSON text that a reader gets of a stored document: as it is stored wherever that can be. */
export function present(document: DocumentModel, row: StoredDocument, projection: Projection): string {
  if (row.shape === document.schemaHash && projection.hidden.size === 0 && !projection.select) return row.doc
  return JSON.stringify(project(document, storedValues(document, row), projection))
}

/** The values that a reader may see and asked to see. */
export function project(document: DocumentModel, values: Values, { hidden, select }: Projection): Values {
  const shut = servedKeysOf(document, hidden)
  const isShown = (key: string): boolean => !shut.has(key) && (select === undefined || select.has(key))
  return Object.fromEntries(Object.entries(values).filter(([key]) => isShown(key)))
}

/** The tag of a document in a projection. */
export function tagOf(document: DocumentModel, revision: number, { hidden, select }: Projection): string {
  const isWhole = hidden.size === 0 && !select
  const variant = isWhole ? document.wholeVariant : variantOf(document.schemaHash, [...hidden], select && [...select])
  return documentTag(revision, variant)
}

/** A stored document as it is answered. */
export function toAnswer(
  document: DocumentModel,
  row: StoredDocument & Pick<EntryRow, 'seq'>,
  projection: Projection,
): Answer {
  return { json: present(document, row, projection), tag: tagOf(document, row.seq, projection), seq: row.seq }
}

/** A written entry as it is answered. */
export function toEntryAnswer(
  collection: CollectionModel,
  row: StoredDocument & Pick<EntryRow, 'id' | 'seq'> & { readonly slug: string | null },
  projection: Projection,
): EntryAnswer {
  return { ...toAnswer(collection, row, projection), id: row.id, address: row.slug ?? row.id }
}
