import { DaybookError } from '../../errors.ts'
import { isStorableText } from '../../fields/text.ts'
import type { CollectionModel } from '../../model/model.ts'
import { type DocumentQuery, readDocumentQuery } from '../../query/document-query.ts'
import type { DraftQuery } from '../../query/draft-query.ts'
import { listExpandedCollections, type Selection } from '../../query/expansion.ts'
import type { Query } from '../../query/parameters.ts'
import { relatedCollections } from '../../query/where.ts'
import { isUuidShaped, MAX_SLUG_LENGTH } from '../../slugs.ts'
import type { EntryReadOptions } from '../../store/reads/entry-reader.ts'
import type { Reader } from '../../store/reads/reader.ts'
import type { EntryRow } from '../../store/rows.ts'
import { hasLinks } from '../../store/tables/tables.ts'
import type { Access } from '../access/access.ts'
import { type CallerScope, resolveCallerScope } from '../access/caller-scope.ts'
import { authorizeDraftRequest, canSeeEntry } from '../access/draft-access.ts'
import type { ContentContext } from '../context.ts'
import { localizeRows, requireLocale, resolveCollection } from '../locales/locale.ts'
import { withLinksPart } from './etags.ts'
import { openExpansion, presentExpanded, toExpandedResponse, toExpandedTag } from './expand.ts'
import { isSelfContained, type Projection, present, toDocumentResponse, toProjectionTag } from './present.ts'
import { appendDraftInfo, readDrafts, toDraftTag } from './present-draft.ts'
import { linkableCollections, resolveLinks, toLinksPart } from './resolve-links.ts'
import { type DocumentResponse, type LazyResponse, toSurrogateKeys } from './response.ts'

/** The selection of a request without parameters. */
const EVERYTHING: Selection = { select: undefined, expansions: [], reverses: [] }

/**
 * Reads one entry by its id if the address has the form of one, otherwise by its slug. Its content is read by `read`, which is not
 * called if the client or the response cache has the response with this tag (`http/cache.ts`).
 *
 * @param knownRevision a revision whose response is available, so that its document need not be read
 * @throws NOT_FOUND if there is none that the caller may see; VALIDATION_ERROR, UNAUTHORIZED, FORBIDDEN
 */
export async function readEntry(
  context: ContentContext,
  access: Access,
  { key }: CollectionModel,
  address: string,
  query: Query<DocumentQuery & DraftQuery>,
  knownRevision?: number,
): Promise<LazyResponse> {
  const choice = requireLocale(context.model, query.partial, access)
  const collection = resolveCollection(context.model, key, choice)
  const filter = await access.authorizeRead(collection)
  const visible = { hidden: access.hidden(collection), hasAuthors: access.canSeeAuthors(collection) }
  const isDraft = authorizeDraftRequest(access, collection, query.partial)
  // Without parameters nothing is included, so the access rules of other collections need not be evaluated.
  const scope = query.isEmpty ? undefined : await resolveCallerScope(access, choice)
  const selection = scope ? readDocumentQuery(collection, query, scope) : EVERYTHING
  const projection = { ...visible, select: selection.select }
  const row = await requireVisible(context, access, collection, address, {
    where: filter?.where,
    hasAuthors: visible.hasAuthors,
    knownRevision,
  })
  if (scope && isDraft) return readDraft(context, access, collection, row, selection, scope, projection)
  const linkScope = hasLinks(row) ? (scope ?? (await resolveCallerScope(access, choice))) : undefined
  const linksPart = linkScope && (await toLinksPart(linkScope, context.store.read.counters.current()))
  const expansion =
    scope && !isSelfContained(selection, choice) ? await openExpansion(context, selection, scope) : undefined
  const tag = expansion
    ? toExpandedTag(expansion, collection, row.seq, selection)
    : toProjectionTag(collection, row.seq, projection)
  return {
    tag: withLinksPart(tag, linksPart),
    surrogateKeys: () => {
      const related = [...listExpandedCollections(selection), ...(linkScope ? linkableCollections(linkScope) : [])]
      const ruleCollections = scope?.getRuleCollections([collection, ...related]) ?? relatedCollections(filter?.where)
      return toSurrogateKeys(`${key}:${row.id}`, [...related, ...ruleCollections])
    },
    read: async () => {
      // The document has not been read if its revision was known.
      const fullRow = row.doc === '' ? await readFullRow(context, collection, row) : row
      if (!expansion) {
        const [shownRow = fullRow] = linkScope
          ? await resolveLinks(context, linkScope, collection, [fullRow])
          : [fullRow]
        return present(collection, shownRow, projection)
      }
      const [localizedRow] = await localizeRows(context, access, collection, [fullRow], choice)
      // The entry may have been deleted since.
      if (!localizedRow) throw new DaybookError('NOT_FOUND')
      const [json = ''] = await presentExpanded(expansion, collection, [localizedRow], selection)
      return json
    },
  }
}

async function readFullRow({ store }: ContentContext, collection: CollectionModel, row: EntryRow): Promise<EntryRow> {
  const fullRow = await store.read.entries.byId(collection, row.id, { hasAuthors: row.created_by !== undefined })
  if (!fullRow) throw new DaybookError('NOT_FOUND')
  return fullRow
}

/**
 * Reads the draft of an entry.
 *
 * @throws NOT_FOUND if it has been deleted
 */
async function readDraft(
  context: ContentContext,
  access: Access,
  collection: CollectionModel,
  row: EntryRow,
  selection: Selection,
  scope: CallerScope,
  projection: Projection,
): Promise<LazyResponse> {
  const [draft] = await readDrafts(context, access, collection, [row], scope.localeChoice)
  if (!draft) throw new DaybookError('NOT_FOUND')
  const hasNoIncludes = selection.expansions.length === 0 && selection.reverses.length === 0
  const linksPart = hasLinks(draft.row) ? await toLinksPart(scope, context.store.read.counters.current()) : undefined
  const [shownRow = draft.row] = await resolveLinks(context, scope, collection, [draft.row])
  const { json, tag } = hasNoIncludes
    ? toDocumentResponse(collection, shownRow, projection)
    : await toExpandedResponse(context, collection, shownRow, selection, scope)
  const draftTag = withLinksPart(toDraftTag(tag, draft), linksPart)
  return toLazyResponse({ json: appendDraftInfo(json, draft.draftInfo), tag: draftTag })
}

/** Wraps a draft as a response. It has no surrogate keys, since no CDN may store it. */
export const toLazyResponse = ({ json, tag }: Pick<DocumentResponse, 'tag' | 'json'>): LazyResponse => ({
  tag,
  surrogateKeys: () => [],
  read: async () => json,
})

/**
 * Authorizes the read of an entry, and returns its id in lower case.
 *
 * @throws NOT_FOUND, UNAUTHORIZED, FORBIDDEN
 */
export async function authorizeEntryRead(
  context: ContentContext,
  access: Access,
  collection: CollectionModel,
  id: string,
): Promise<string> {
  const filter = await access.authorizeRead(collection)
  if (!isUuidShaped(id)) throw new DaybookError('NOT_FOUND')
  return (await requireVisible(context, access, collection, id, { where: filter?.where })).id
}

async function requireVisible(
  { store }: ContentContext,
  access: Access,
  collection: CollectionModel,
  address: string,
  options: EntryReadOptions,
): Promise<EntryRow> {
  const row = await findEntry(store.read, collection, address, options)
  if (!row || !(await canSeeEntry(access, store.read, collection, row))) throw new DaybookError('NOT_FOUND')
  return row
}

function findEntry(
  read: Reader,
  collection: CollectionModel,
  address: string,
  options: EntryReadOptions,
): Promise<EntryRow | undefined> | undefined {
  if (isUuidShaped(address)) return read.entries.byId(collection, address.toLowerCase(), options)
  if (!collection.slug || address.length > MAX_SLUG_LENGTH * 2 || !isStorableText(address)) return undefined
  return read.entries.bySlug(collection, address.normalize('NFC'), options)
}
