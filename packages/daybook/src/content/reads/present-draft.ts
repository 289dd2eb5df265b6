import { DRAFT_KEYS } from '../../fields/status.ts'
import type { CollectionModel, Model } from '../../model/model.ts'
import type { LocaleChoice } from '../../query/locale-parameters.ts'
import type { Reader } from '../../store/reads/reader.ts'
import type { ScheduledTime } from '../../store/records/schedules.ts'
import type { EntryRow, StoredEntry } from '../../store/rows.ts'
import type { Access } from '../access/access.ts'
import { findVisibleDrafts } from '../access/draft-access.ts'
import type { ContentContext } from '../context.ts'
import type { Values } from '../documents/document.ts'
import { getDraftRevision, toDraftCanonical } from '../documents/draft-row.ts'
import { mergeFields } from '../documents/prepare-fields.ts'
import { textOrNull, withSystemKeys } from '../documents/row.ts'
import { localizeValues } from '../locales/locale.ts'
import type { CanonicalDocument } from '../locales/localized.ts'
import { getPublishedLocales } from '../locales/published-locales.ts'
import { hashCacheKey } from './etags.ts'
import { type Projection, toEntryResponse } from './present.ts'
import type { EntryResponse } from './response.ts'

/** The draft of an entry in the requested locale, with the members that only drafts have. */
export interface PresentedDraft {
  readonly row: EntryRow & { readonly slug: string | null }
  /** By {@link DRAFT_KEYS}. */
  readonly draftInfo: Values
}

/** Presents the draft of an entry in a locale; an entry without a draft as it is. */
export function presentDraft(
  { model }: Pick<ContentContext, 'model'>,
  collection: CollectionModel,
  entry: StoredEntry,
  choice: LocaleChoice,
  times: readonly ScheduledTime[],
): PresentedDraft {
  const defaultCollection = model.collections.get(collection.key) ?? collection
  const revision = getDraftRevision(model, defaultCollection, entry)
  const canonical = toDraftCanonical(defaultCollection, revision)
  const fields = mergeFields(defaultCollection, {}, localizeValues(model, defaultCollection, canonical, choice))
  const { id, seq, created_by, updated_by } = revision.row
  const status = defaultCollection.status ? textOrNull(fields[defaultCollection.status.key]) : revision.row.status
  const slug = defaultCollection.slug && fields[defaultCollection.slug.key]
  const doc = JSON.stringify(withSystemKeys(defaultCollection, canonical.values, fields))
  const row = { id, seq, status, created_by, updated_by, schema_hash: collection.schemaHash, orphaned: null, doc }
  return {
    row: { ...row, slug: typeof slug === 'string' ? slug : null },
    draftInfo: getDraftInfo(model, defaultCollection, canonical, entry, times),
  }
}

function getDraftInfo(
  { locales }: Model,
  collection: CollectionModel,
  canonical: CanonicalDocument,
  { id, draft }: StoredEntry,
  times: readonly ScheduledTime[],
): Values {
  const getTime = (action: ScheduledTime['action']): string | null =>
    times.find((time) => time.id === id && time.action === action)?.at ?? null
  return {
    hasDraft: draft !== null,
    publishAt: getTime('publish'),
    unpublishAt: getTime('unpublish'),
    publishedLocales: locales ? getPublishedLocales(collection, canonical, locales) : null,
  }
}

/** Appends the members that only drafts have to the JSON text of an entry. */
export const appendDraftInfo = (text: string, draftInfo: Values): string =>
  `${text.slice(0, -1)},${JSON.stringify(draftInfo).slice(1)}`

/** Extends the tag of an entry by the members that only drafts have, and by the status, which changes without the draft. */
export function toDraftTag(tag: string, { row: { status }, draftInfo }: PresentedDraft): string {
  const [revision, etagPart] = tag.slice(1, -1).split('.')
  return `"${revision}.${hashCacheKey(etagPart, status, ...DRAFT_KEYS.map((key) => draftInfo[key]))}"`
}

export async function toDraftResponse(
  { content, locale }: { readonly content: ContentContext; readonly locale: string | undefined },
  read: Reader,
  collection: CollectionModel,
  entry: StoredEntry,
  projection: Projection,
): Promise<EntryResponse> {
  const choice = { locale, chain: undefined, isAll: false }
  const times = await read.schedules.timesByIds(collection.key, [entry.id])
  const shownCollection = (locale === undefined ? undefined : collection.byLocale.get(locale)) ?? collection
  const draft = presentDraft(content, shownCollection, entry, choice, times)
  const response = toEntryResponse(shownCollection, draft.row, projection)
  return { ...response, json: appendDraftInfo(response.json, draft.draftInfo), tag: toDraftTag(response.tag, draft) }
}

/**
 * Reads the drafts of entries in the same order, without entries that have been deleted. An entry whose draft the caller cannot see is
 * read as published.
 */
export async function readDrafts(
  context: ContentContext,
  access: Access,
  collection: CollectionModel,
  rows: readonly Pick<EntryRow, 'id'>[],
  choice: LocaleChoice,
): Promise<readonly PresentedDraft[]> {
  if (rows.length === 0) return []
  const { read } = context.store
  const ids = rows.map(({ id }) => id)
  const defaultCollection = context.model.collections.get(collection.key) ?? collection
  const storedById = new Map((await read.entries.storedByIds(defaultCollection, ids)).map((entry) => [entry.id, entry]))
  const times = await read.schedules.timesByIds(collection.key, ids)
  const visible = await findVisibleDrafts(access, read, collection, ids)
  return ids.flatMap((id) => {
    const entry = storedById.get(id)
    if (!entry) return []
    const isVisible = visible.has(id)
    return [
      presentDraft(context, collection, isVisible ? entry : { ...entry, draft: null }, choice, isVisible ? times : []),
    ]
  })
}
