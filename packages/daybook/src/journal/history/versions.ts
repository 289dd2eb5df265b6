import type { Access } from '../../content/access/access.ts'
import { type ContentContext, toAuthor } from '../../content/context.ts'
import type { Values } from '../../content/documents/document.ts'
import { getDraftRevision, toDraftCanonical } from '../../content/documents/draft-row.ts'
import { readFormerState } from '../../content/documents/migrate-document.ts'
import { mergeFields } from '../../content/documents/prepare-fields.ts'
import { getAuthors, StoredRevision, withSystemKeys } from '../../content/documents/row.ts'
import { localizeValues, requireLocale } from '../../content/locales/locale.ts'
import { type CanonicalDocument, getLocaleStatus } from '../../content/locales/localized.ts'
import { dropUnpublishedLocales } from '../../content/locales/published-locales.ts'
import { hashCacheKey, project, toDocumentTag } from '../../content/reads/index.ts'
import { DaybookError, validationErrorAt } from '../../errors.ts'
import { PUBLISHED } from '../../fields/status.ts'
import type { CollectionModel, GlobalModel } from '../../model/model.ts'
import { decodeCursor, encodeCursor } from '../../query/cursor.ts'
import type { VersionQuery } from '../../query/journal-query.ts'
import type { LocaleChoice } from '../../query/locale-parameters.ts'
import type { StateAction } from '../../store/journal-actions.ts'
import type { VersionRecord, VersionRow } from '../../store/reads/history-reader.ts'
import type { Reader } from '../../store/reads/reader.ts'
import type { StoredEntry } from '../../store/rows.ts'
import type { AuthorColumns } from '../../store/tables/tables.ts'
import { getCurrentRevisions, getRequiredStatusKey, type HistoryTarget, requireHistory } from './history-target.ts'
import { createPatch, type PatchOperation } from './json-patch.ts'

const DEFAULT_PAGE = 20
const MAX_PAGE = 100

/** A version of a document: its state after a change. */
export interface Version {
  /** The number of the change in the journal. */
  readonly revision: number
  /** ISO 8601. */
  readonly at: string
  /** The subject of the actor; absent if the caller may not see authors. */
  readonly actor?: string
  readonly action: StateAction | 'draft'
  /** True for a saved draft. */
  readonly isDraft: boolean
  /** Present if its content was erased. */
  readonly erased?: true
}

export interface VersionList {
  readonly items: readonly Version[]
  /** The `cursor` of the next page; `null` on the last one. */
  readonly nextCursor: string | null
}

export interface VersionPageQuery {
  /** At most 100. @default 20 */
  readonly limit?: number | undefined
  /** `nextCursor` of the previous page. */
  readonly cursor?: string | undefined
}

/**
 * Lists the versions of a document that the caller may see, newest first. A page reads only the records that it returns, and those of
 * replaced autosaves.
 *
 * @param id the id of an entry, or the key of a global
 * @throws NOT_FOUND, UNAUTHORIZED, FORBIDDEN; VALIDATION_ERROR for a cursor of another list
 */
export async function listVersions(
  { store: { read } }: ContentContext,
  access: Access,
  document: CollectionModel | GlobalModel,
  id: string,
  query: VersionPageQuery,
): Promise<VersionList> {
  // Later changes are not listed, since they would shift the pages.
  const head = await read.journal.head()
  const target = await requireHistory(read, access, document, id)
  const name = `${target.collection} ${target.id}`
  const before = query.cursor === undefined ? head + 1 : readCursor(query.cursor, name)
  const limit = Math.min(query.limit ?? DEFAULT_PAGE, MAX_PAGE)
  const { collection } = target
  const page = { collection, id: target.id, before, limit: limit + 1, ...getCurrentRevisions(target) }
  const statusKey = getRequiredStatusKey(target)
  const records = await (statusKey === undefined
    ? read.history.versions(page)
    : read.history.publishedVersions({ ...page, statusKey }))
  if (records.length === 0 && query.cursor === undefined && document.kind === 'collection' && !target.current) {
    throw new DaybookError('NOT_FOUND')
  }
  const hasAuthors = access.canSeeAuthors(document)
  const items = records.slice(0, limit).map((record) => toVersion(record, hasAuthors))
  const last = records.length > limit ? items.at(-1) : undefined
  return { items, nextCursor: last ? encodeCursor(name, [last.revision]) : null }
}

function readCursor(cursor: string, name: string): number {
  const position = decodeCursor(cursor, name, [])
  if (typeof position === 'string') throw validationErrorAt('cursor', 'cursor', position)
  return Number(position[0])
}

function toVersion({ seq, at, actor, action, erased }: VersionRecord, hasAuthors: boolean): Version {
  return {
    revision: seq,
    at,
    ...(hasAuthors ? { actor } : {}),
    action: action as Version['action'],
    isDraft: action === 'draft',
    ...(erased === 1 ? { erased: true } : {}),
  }
}

interface VersionWithContent extends Version {
  /** The document as this caller may read it; `null` if the change deleted it, or the content was erased. */
  readonly data: Values | null
}

export interface VersionDifference {
  readonly revision: number
  /** The version to which the patch applies. */
  readonly against: number
  /** JSON Patch (RFC 6902). */
  readonly patch: readonly PatchOperation[]
}

interface VersionResponse {
  readonly json: string
  /** Strong entity tag, with its quotes. */
  readonly tag: string
}

/**
 * Reads one version of a document, or the difference to another one. Fields that the caller may not read are absent, and values of
 * renamed fields have their current keys.
 *
 * @param id the id of an entry, or the key of a global
 * @throws NOT_FOUND, UNAUTHORIZED, FORBIDDEN, VALIDATION_ERROR
 */
export async function readVersion(
  { model, store: { read } }: ContentContext,
  access: Access,
  document: CollectionModel | GlobalModel,
  { id, revision }: { readonly id: string; readonly revision: number },
  { against, ...locale }: VersionQuery,
): Promise<VersionResponse> {
  const choice = requireLocale(model, locale, access)
  const load = async (seq: number): Promise<VersionWithContent> => {
    const target = await requireHistory(read, access, document, id)
    return loadVersion({ model, read, access, target, choice }, seq)
  }
  const version = await load(revision)
  const content = against === undefined ? version : toDifference(version, await load(against))
  const json = JSON.stringify(content)
  return { json, tag: toDocumentTag(revision, hashCacheKey(json)) }
}

/** @throws NOT_FOUND if the content of a version was erased */
function toDifference(version: VersionWithContent, other: VersionWithContent): VersionDifference {
  const erased = [version, other].find((candidate) => candidate.erased)
  if (erased) throw new DaybookError('NOT_FOUND', `The content of version ${erased.revision} was erased.`)
  return { revision: version.revision, against: other.revision, patch: createPatch(other.data, version.data) }
}

interface VersionRead extends Pick<ContentContext, 'model'> {
  readonly read: Reader
  readonly access: Access
  readonly target: HistoryTarget
  readonly choice: LocaleChoice
}

async function loadVersion(source: VersionRead, seq: number): Promise<VersionWithContent> {
  const { read, access, target } = source
  const notFound = (): DaybookError =>
    new DaybookError('NOT_FOUND', `Version ${seq} of this document does not exist, or you are not allowed to read it.`)
  const row = await read.history.version(target, seq)
  if (!row) throw notFound()
  const hasAuthors = access.canSeeAuthors(target.document)
  const version = toVersion(row, hasAuthors)
  const statusKey = getRequiredStatusKey(target)
  if (row.erased === 1 || row.action === 'delete') {
    if (statusKey !== undefined) throw notFound()
    return { ...version, data: null }
  }
  const canonical = findContent(source, row)
  const isVisible = statusKey === undefined || (row.action !== 'draft' && isPublished(source, canonical))
  if (!isVisible) throw notFound()
  if (!canonical) throw new DaybookError('NOT_FOUND', `The content of version ${seq} is no longer kept.`)
  const { locales } = source.model
  const publishedOnly = statusKey !== undefined && locales !== undefined
  const data = toReadableValues(
    source,
    publishedOnly ? dropUnpublishedLocales(target.document, canonical, locales) : canonical,
  )
  return { ...version, data: hasAuthors ? { ...data, ...getAuthors(await findAuthors(source, row)) } : data }
}

const isPublished = (
  { target: { document }, choice }: VersionRead,
  canonical: CanonicalDocument | undefined,
): boolean => canonical !== undefined && getLocaleStatus(document, canonical, choice.locale) === PUBLISHED

/** Finds the content of a version in all locales; `undefined` if it is no longer stored. */
function findContent({ model, target }: VersionRead, { seq, text }: VersionRow): CanonicalDocument | undefined {
  const { document, current } = target
  if (text !== null) return readFormerState(document, text)
  const revisions = getCurrentRevisions(target)
  if (current && seq === revisions.currentRevision) return new StoredRevision(model, document, current).canonical
  if (document.kind === 'global' || seq !== revisions.draftRevision) return undefined
  return toDraftCanonical(document, getDraftRevision(model, document, current as StoredEntry))
}

/** Returns the values of a version in the requested locale that the caller may read. */
function toReadableValues(
  { model, access, target: { document }, choice }: VersionRead,
  canonical: CanonicalDocument,
): Values {
  const fields = mergeFields(document, {}, localizeValues(model, document, canonical, choice))
  return project(document, withSystemKeys(document, canonical.values, fields), { hidden: access.hidden(document) })
}

async function findAuthors({ read, target }: VersionRead, { seq, actor }: VersionRow): Promise<AuthorColumns> {
  const { current } = target
  const isCurrent = current?.seq === seq
  const creation = current ? undefined : await read.history.creation(target, seq)
  const created_by = current ? current.created_by : creation ? toAuthor(creation.actor) : null
  return { created_by, updated_by: isCurrent ? current.updated_by : toAuthor(actor) }
}
