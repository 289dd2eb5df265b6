import { DaybookError } from '../../errors.ts'
import { isUuidShaped, MAX_SLUG_LENGTH } from '../../fields/slug.ts'
import type { CollectionModel } from '../../model/model.ts'
import { isStorableText } from '../../model/stored-text.ts'
import { type DocumentQuery, readEntryQuery } from '../../query/entry-query.ts'
import type { Query } from '../../query/parameters.ts'
import type { SeenEntries } from '../../store/reads/entry-reader.ts'
import type { Reader } from '../../store/reads/read.ts'
import type { EntryRow } from '../../store/reads/rows.ts'
import type { Access } from '../access/access.ts'
import { readerScope } from '../access/reader-scope.ts'
import type { Answer } from '../answer.ts'
import type { Engine } from '../engine.ts'
import { inChosenLocale, inLocale, requireLocale } from '../locales/locale.ts'
import { answerExpanded } from './expand.ts'
import { isOfOneRow, toAnswer } from './present.ts'

/**
 * Reads one entry by its slug, or by its id where the segment has the form of one.
 *
 * @throws NOT_FOUND when there is none that the caller may see; VALIDATION_ERROR, UNAUTHORIZED, FORBIDDEN
 */
export async function getEntry(
  engine: Engine,
  access: Access,
  { key }: CollectionModel,
  address: string,
  query: Query<DocumentQuery>,
): Promise<Answer> {
  const choice = requireLocale(engine.model, query.partial, access)
  const collection = inLocale(engine.model, key, choice)
  const filter = await access.requireRead(collection)
  const own = { hidden: access.hidden(collection), hasPeople: access.seesPeople(collection) }
  const seen = { where: filter?.where, hasPeople: own.hasPeople }
  if (query.isEmpty) {
    return toAnswer(collection, await requireVisible(engine, access, collection, address, seen), own)
  }
  const scope = await readerScope(access, choice)
  const selection = readEntryQuery(collection, query, scope)
  const found = await requireVisible(engine, access, collection, address, seen)
  if (isOfOneRow(selection, choice)) return toAnswer(collection, found, { ...own, select: selection.select })
  const [row] = await inChosenLocale(engine, collection, [found], choice)
  // It can have been deleted since it was found.
  if (!row) throw new DaybookError('NOT_FOUND')
  return answerExpanded(engine, collection, row, selection, scope)
}

/**
 * The id of an entry that the caller may read.
 *
 * @throws NOT_FOUND, UNAUTHORIZED, FORBIDDEN
 */
export async function requireReadable(
  engine: Engine,
  access: Access,
  collection: CollectionModel,
  id: string,
): Promise<string> {
  const filter = await access.requireRead(collection)
  if (!isUuidShaped(id)) throw new DaybookError('NOT_FOUND')
  return (await requireVisible(engine, access, collection, id, { where: filter?.where })).id
}

async function requireVisible(
  { store }: Engine,
  access: Access,
  collection: CollectionModel,
  address: string,
  seen: SeenEntries,
): Promise<EntryRow> {
  const row = await findEntry(store.read, collection, address, seen)
  if (!row || !access.isVisible(collection, row.status)) throw new DaybookError('NOT_FOUND')
  return row
}

async function findEntry(
  read: Reader,
  collection: CollectionModel,
  address: string,
  seen: SeenEntries,
): Promise<EntryRow | undefined> {
  if (isUuidShaped(address)) return read.entries.byId(collection, address.toLowerCase(), seen)
  if (!collection.slug || address.length > MAX_SLUG_LENGTH * 2 || !isStorableText(address)) return undefined
  return read.entries.bySlug(collection, address.normalize('NFC'), seen)
}
