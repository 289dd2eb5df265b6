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
import { isVisibleEntry, requireDraftSession } from '../access/draft-access.ts'
import { type ReaderScope, readerScope } from '../access/reader-scope.ts'
import type { Engine } from '../engine.ts'
import { inChosenLocale, inLocale, requireLocale } from '../locales/locale.ts'
import { type Answer, type LazyResponse, toSurrogateKeys } from './answer.ts'
import { draftTag, putAbout } from './draft-answer.ts'
import { answerExpanded, expandedTag, openExpansion, presentExpanded } from './expand.ts'
import { isOfOneRow, type Projection, present, tagOf, toAnswer } from './present.ts'
import { readDrafts } from './read-drafts.ts'

/** The selection of a request without parameters. */
const WHOLE: Selection = { select: undefined, expansions: [], lists: [] }

/**
 * Reads one entry by its slug, or by its id where the address has the form of one. The rest of the content is read by `read`, which is not
 * called if the client or the response cache has the response with this tag (`http/cache.ts`).
 *
 * @param knownRevision a revision whose response is available: the document of the entry is not read along with this revision
 * @throws NOT_FOUND if there is none that the caller may see; VALIDATION_ERROR, UNAUTHORIZED, FORBIDDEN
 */
export async function readEntry(
  engine: Engine,
  access: Access,
  { key }: CollectionModel,
  address: string,
  query: Query<DocumentQuery & DraftQuery>,
  knownRevision?: number,
): Promise<LazyResponse> {
  const choice = requireLocale(engine.model, query.partial, access)
  const collection = inLocale(engine.model, key, choice)
  const filter = await access.requireRead(collection)
  const visible = { hidden: access.hidden(collection), hasPeople: access.seesPeople(collection) }
  const isDraft = requireDraftSession(access, collection, query.partial)
  // Without parameters, the entry alone is shown, and the access rules of other collections are not evaluated.
  const scope = query.isEmpty ? undefined : await readerScope(access, choice)
  const selection = scope ? readEntryQuery(collection, query, scope) : WHOLE
  const projection = { ...visible, select: selection.select }
  const row = await requireVisible(engine, access, collection, address, {
    where: filter?.where,
    hasPeople: visible.hasPeople,
    known: knownRevision,
  })
  if (scope && isDraft) return readDraft(engine, access, collection, row, selection, scope, projection)
  const expansion = scope && !isOfOneRow(selection, choice) ? await openExpansion(engine, selection, scope) : undefined
  return {
    tag: expansion ? expandedTag(expansion, collection, row.seq, selection) : tagOf(collection, row.seq, projection),
    surrogateKeys: () => {
      const related = collectionsOf(selection)
      const ofRules = scope?.filterDependencies([collection, ...related]) ?? relatedCollections(filter?.where)
      return toSurrogateKeys(`${key}:${row.id}`, [...related, ...ofRules])
    },
    read: async () => {
      // The document was left out if its revision was known.
      const whole = row.doc === '' ? await readWhole(engine, collection, row) : row
      if (!expansion) return present(collection, whole, projection)
      const [shown] = await inChosenLocale(engine, access, collection, [whole], choice)
      // The entry can have been deleted since it was found.
      if (!shown) throw new DaybookError('NOT_FOUND')
      const [json = ''] = await presentExpanded(expansion, collection, [shown], selection)
      return json
    },
  }
}

async function readWhole({ store }: Engine, collection: CollectionModel, row: EntryRow): Promise<EntryRow> {
  const whole = await store.read.entries.byId(collection, row.id, { hasPeople: row.created_by !== undefined })
  if (!whole) throw new DaybookError('NOT_FOUND')
  return whole
}

/**
 * Reads an entry as its draft is.
 *
 * @throws NOT_FOUND if it has been deleted
 */
async function readDraft(
  engine: Engine,
  access: Access,
  collection: CollectionModel,
  row: EntryRow,
  selection: Selection,
  scope: ReaderScope,
  projection: Projection,
): Promise<LazyResponse> {
  const [draft] = await readDrafts(engine, access, collection, [row], scope.choice)
  if (!draft) throw new DaybookError('NOT_FOUND')
  const isPlain = selection.expansions.length === 0 && selection.lists.length === 0
  const { json, tag } = isPlain
    ? toAnswer(collection, draft.row, projection)
    : await answerExpanded(engine, collection, draft.row, selection, scope)
  return draftResponse({ json: putAbout(json, draft.about), tag: draftTag(tag, draft) })
}

/** A response that shows a draft. It has no surrogate keys, since no CDN may store it. */
export const draftResponse = ({ json, tag }: Pick<Answer, 'tag' | 'json'>): LazyResponse => ({
  tag,
  surrogateKeys: () => [],
  read: async () => json,
})

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
