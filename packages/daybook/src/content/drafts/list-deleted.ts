import type { CollectionModel } from '../../model/model.ts'
import { type DeletedPage, encodeDeletedCursor } from '../../query/journal-query.ts'
import type { Condition } from '../../query/where.ts'
import type { DeletedRow } from '../../store/reads/history-reader.ts'
import type { Reader } from '../../store/reads/reader.ts'
import type { StoredEntry } from '../../store/rows.ts'
import type { Access } from '../access/access.ts'
import { canSeeDeleted, requireSession } from '../access/draft-access.ts'
import { type AccessResult, refuseCaller } from '../access/rules.ts'
import { isRestorable } from '../assets/deleted-files.ts'
import { type ContentContext, getActor, toAuthor } from '../context.ts'
import { readFormerState } from '../documents/migrate-document.ts'
import { readStoredValues } from '../documents/row.ts'
import type { CanonicalDocument } from '../locales/localized.ts'
import { type TitledEntry, valuesToTitledEntry } from '../reads/titled-entry.ts'
import { dropDanglingReferences } from '../writes/references.ts'
import type { CursorPage } from './list-drafts.ts'
import { type EntryState, listRelated, matchesWhere } from './match-where.ts'
import { getCreator, toRestoredContent } from './restore-entry.ts'

/** The maximum number of reads for one page: restored entries and access rules leave gaps between the listed deletions. */
const MAX_READS = 10

/** A deleted entry, as it was before the deletion. */
export interface DeletedEntry extends TitledEntry {
  /** ISO 8601 in UTC. */
  readonly deletedAt: string
  /** The subject of the actor; `null` if it is unknown. Absent if the caller may not see authors. */
  readonly deletedBy?: string | null
}

interface Restorable {
  readonly row: DeletedRow
  readonly content: CanonicalDocument
}

/**
 * Lists the deleted entries of a collection that the caller may restore, the last deletion first.
 *
 * @returns a page, which may have fewer items than the limit if it has a cursor
 * @throws UNAUTHORIZED; FORBIDDEN for callers who may restore no entry of the collection; INTERNAL_ERROR if a rule fails
 */
export async function listDeleted(
  context: ContentContext,
  access: Access,
  collection: CollectionModel,
  { limit, before }: DeletedPage,
): Promise<CursorPage<DeletedEntry>> {
  await authorizeRestore(access, collection)
  const { read } = context.store
  const items: DeletedEntry[] = []
  let position = before
  for (let reads = 0; reads < MAX_READS; reads += 1) {
    const deletions = await read.history.deletions(collection.key, position, limit + 1)
    const from = deletions.at(-1)
    if (from === undefined) return { items, nextCursor: null }
    const rows = await read.history.deletedEntries(collection.key, { from, before: position })
    const recent = rows.filter((row) => isRestorable(collection, row))
    const restorable = await findRestorable(context, access, collection, recent)
    const listed = restorable.slice(0, limit - items.length)
    items.push(...listed.map((item) => toListed(access, collection, item)))
    const isCut = listed.length < restorable.length
    // Earlier deletions are older than one that is too old.
    const isLast = deletions.length <= limit || recent.length < rows.length
    if (!isCut && isLast) return { items, nextCursor: null }
    position = (isCut ? listed.at(-1)?.row.seq : from) ?? from
    if (items.length === limit) break
  }
  return { items, nextCursor: encodeDeletedCursor(collection, position) }
}

/** @throws UNAUTHORIZED, FORBIDDEN for callers who may restore no entry of the collection */
async function authorizeRestore(access: Access, collection: CollectionModel): Promise<void> {
  requireSession(access, collection)
  await access.authorizeRead(collection)
  await access.authorizeSomeWrite(collection, 'create')
  await access.authorizeSomeWrite(collection, 'update')
  if (await canSeeDeleted(access, collection)) return
  refuseCaller(access.caller, `the access rules do not allow you to see all entries and drafts of ${collection.key}`)
}

/** Returns the deleted entries that the rules for creating and updating allow the caller to store again. */
async function findRestorable(
  context: ContentContext,
  access: Access,
  collection: CollectionModel,
  rows: readonly DeletedRow[],
): Promise<readonly Restorable[]> {
  const create = await access.evaluateWrite(collection, 'create')
  const restorable: Restorable[] = []
  for (const row of rows) {
    const content = readFormerState(collection, row.text)
    const { values } = toRestoredContent(collection, content)
    const authors = { createdBy: getCreator(row), updatedBy: toAuthor(getActor(access.caller)) }
    const update = await access.evaluateWrite(
      collection,
      'update',
      collection.access.update && { ...values, ...authors },
    )
    if (await areRulesMet(context, collection, [create, update], { collection, values, ...authors }))
      restorable.push({ row, content })
  }
  return restorable
}

/** Returns true if all rules allow an entry as it would be restored: without references to deleted entries. */
async function areRulesMet(
  context: ContentContext,
  collection: CollectionModel,
  results: readonly AccessResult[],
  entry: EntryState,
): Promise<boolean> {
  if (results.includes(false)) return false
  const filters = results.flatMap((result) => (typeof result === 'object' ? [result.where] : []))
  if (filters.length === 0) return true
  const { read } = context.store
  const document = { canonical: { values: entry.values, translations: {} }, patch: {} }
  const keys = new Set(collection.fields.map(({ key }) => key))
  const isItself = (target: { readonly id: string }): boolean => target.id === entry.values.id
  const { canonical } = await dropDanglingReferences(context, read, collection, document, keys, isItself)
  const restored: EntryState = { ...entry, values: { ...canonical.values, updatedAt: new Date().toISOString() } }
  const related = await readRelated(read, filters, restored)
  const findState = (to: CollectionModel, id: string): EntryState | null =>
    id === restored.values.id ? restored : (related.get(`${to.key} ${id}`) ?? null)
  return filters.every((where) => matchesWhere(where, restored, findState) === true)
}

/** Reads the entries that filters evaluate through relations, by collection and id. */
async function readRelated(
  read: Reader,
  filters: readonly Condition[],
  entry: EntryState,
): Promise<ReadonlyMap<string, EntryState>> {
  const related = new Map<string, EntryState>()
  const targets = filters.flatMap((where) => listRelated(where, entry))
  for (const [to, references] of Map.groupBy(targets, (target) => target.to)) {
    const ids = [...new Set(references.map(({ id }) => id))]
    for (const storedEntry of await read.entries.storedByIds(to, ids))
      related.set(`${to.key} ${storedEntry.id}`, toState(to, storedEntry))
  }
  return related
}

const toState = (collection: CollectionModel, entry: StoredEntry): EntryState => ({
  collection,
  values: readStoredValues(collection, entry),
  createdBy: entry.created_by,
  updatedBy: entry.updated_by,
})

function toListed(access: Access, collection: CollectionModel, { row, content }: Restorable): DeletedEntry {
  return {
    ...valuesToTitledEntry(collection, row.id, content.values, access.hidden(collection)),
    deletedAt: row.at,
    ...(access.canSeeAuthors(collection) ? { deletedBy: toAuthor(row.actor) } : {}),
  }
}
