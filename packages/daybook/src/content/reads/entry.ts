import { DaybookError } from '../../errors.ts'
import type { CollectionModel } from '../../model/model.ts'
import { isStorableText } from '../../model/stored-text.ts'
import type { DraftQuery } from '../../query/draft-query.ts'
import { type DocumentQuery, readEntryQuery } from '../../query/entry-query.ts'
import { collectionsOf, type Selection } from '../../query/expansion.ts'
import type { Query } from '../../query/parameters.ts'
import { relatedCollections } from '../../query/where.ts'
import { isUuidShaped, MAX_SLUG_LENGTH } from '../../slugs.ts'
import type { SeenEntries } from '../../store/reads/entry-reader.ts'
import type { Reader } from '../../store/reads/read.ts'
import type { EntryRow } from '../../store/reads/rows.ts'
import type { Access } from '../access/access.ts'
import { type ReaderScope, readerScope } from '../access/reader-scope.ts'
import { type Answer, madeOf, type ReadPlan } from '../answer.ts'
import { isVisibleEntry, requireDraftSession } from '../drafts/draft-access.ts'
import { draftTag, putAbout } from '../drafts/draft-answer.ts'
import { readDrafts } from '../drafts/read-drafts.ts'
import type { Engine } from '../engine.ts'
import { inChosenLocale, inLocale, requireLocale } from '../locales/locale.ts'
import type { DraftView } from './answer-source.ts'
import { answerExpanded, planExpanded } from './expand.ts'
import { isOfOneRow, type Projection, present, tagOf, toAnswer } from './present.ts'

/**
 * Plans the read of one entry by its slug, or by its id where the segment has the form of one.
 *
 * @param known a revision whose answer is at hand: the entry's document is not read along with its revision
 * @throws NOT_FOUND when there is none that the caller may see; VALIDATION_ERROR, UNAUTHORIZED, FORBIDDEN
 */
export async function planEntry(
  engine: Engine,
  access: Access,
  { key }: CollectionModel,
  address: string,
  query: Query<DocumentQuery & DraftQuery>,
  known?: number,
): Promise<ReadPlan> {
  const choice = requireLocale(engine.model, query.partial, access)
  const collection = inLocale(engine.model, key, choice)
  const filter = await access.requireRead(collection)
  const own = { hidden: access.hidden(collection), hasPeople: access.seesPeople(collection) }
  const seen = { where: filter?.where, hasPeople: own.hasPeople, known }
  if (query.isEmpty) {
    const row = await requireVisible(engine, access, collection, address, seen)
    return planRow(engine, collection, row, own, () => madeOf(`${key}:${row.id}`, relatedCollections(filter?.where)))
  }
  const isDraft = requireDraftSession(access, collection, query.partial)
  const scope = await readerScope(access, choice)
  const selection = readEntryQuery(collection, query, scope)
  const found = await requireVisible(engine, access, collection, address, seen)
  if (isDraft) return answered(await answerDraft({ engine, access, scope, selection, own }, collection, found))
  const sources = (): readonly string[] => {
    const touched = collectionsOf(selection)
    return madeOf(`${key}:${found.id}`, [...touched, ...scope.filterDependencies([collection, ...touched])])
  }
  if (isOfOneRow(selection, choice))
    return planRow(engine, collection, found, { ...own, select: selection.select }, sources)
  const expanded = await planExpanded(engine, collection, found, selection, scope)
  const read = async (): Promise<string> => {
    const whole = await withDocument(engine, collection, found)
    const [row] = await inChosenLocale(engine, access, collection, [whole], choice)
    // It can have been deleted since it was found.
    if (!row) throw new DaybookError('NOT_FOUND')
    return expanded.present(row)
  }
  return { tag: expanded.tag, madeOf: sources, read }
}

/** The plan of an answer that one row says. */
function planRow(
  engine: Engine,
  collection: CollectionModel,
  row: EntryRow,
  projection: Projection,
  sources: ReadPlan['madeOf'],
): ReadPlan {
  const read = async (): Promise<string> =>
    present(collection, row.doc === '' ? await withDocument(engine, collection, row) : row, projection)
  return { tag: tagOf(collection, row.seq, projection), madeOf: sources, read }
}

/** The row with its document, which was left out where its revision was known. */
async function withDocument({ store }: Engine, collection: CollectionModel, row: EntryRow): Promise<EntryRow> {
  if (row.doc !== '') return row
  const found = await store.read.entries.byId(collection, row.id, { hasPeople: row.created_by !== undefined })
  if (!found) throw new DaybookError('NOT_FOUND')
  return found
}

/** The plan of what has been read already. No cache that purges by sources may keep a working copy. */
export const answered = ({ tag, json }: Pick<Answer, 'tag' | 'json'>): ReadPlan => ({
  tag,
  madeOf: () => NOTHING,
  read: async () => json,
})

const NOTHING: readonly string[] = []

/** How a working copy is asked for. */
interface DraftRead {
  readonly engine: Engine
  readonly access: Access
  readonly scope: ReaderScope
  readonly selection: Selection
  readonly own: Pick<Projection, 'hidden' | 'hasPeople'>
  /** See {@link AnswerSource}. */
  readonly showDrafts?: DraftView
}

/**
 * An entry as its working copy has it.
 *
 * @throws NOT_FOUND when it is gone
 */
export async function answerDraft(
  { engine, access, scope, selection, own, showDrafts }: DraftRead,
  collection: CollectionModel,
  found: Pick<EntryRow, 'id'>,
): Promise<Answer> {
  const { choice } = scope
  const [shown] = await readDrafts(engine, access, collection, [found], choice)
  if (!shown) throw new DaybookError('NOT_FOUND')
  const isPlain = selection.expansions.length === 0 && selection.lists.length === 0
  const { json, tag, seq } = isPlain
    ? toAnswer(collection, shown.row, { ...own, select: selection.select })
    : await answerExpanded(engine, collection, shown.row, selection, scope, showDrafts)
  return { json: putAbout(json, shown.about), tag: draftTag(tag, shown), seq }
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
  if (!row || !(await isVisibleEntry(access, store.read, collection, row))) throw new DaybookError('NOT_FOUND')
  return row
}

function findEntry(
  read: Reader,
  collection: CollectionModel,
  address: string,
  seen: SeenEntries,
): Promise<EntryRow | undefined> | undefined {
  if (isUuidShaped(address)) return read.entries.byId(collection, address.toLowerCase(), seen)
  if (!collection.slug || address.length > MAX_SLUG_LENGTH * 2 || !isStorableText(address)) return undefined
  return read.entries.bySlug(collection, address.normalize('NFC'), seen)
}
