import { createHash, randomBytes } from 'node:crypto'
import { type Caller, getSubject, SYSTEM } from '../../auth/adapter.ts'
import { DaybookError, validationErrorAt } from '../../errors.ts'
import { isRecord } from '../../fields/field.ts'
import { PUBLISHED } from '../../fields/status.ts'
import type { CollectionModel } from '../../model/model.ts'
import { unknownName } from '../../nearest.ts'
import { type DocumentQuery, readDocumentQuery } from '../../query/document-query.ts'
import { type DraftQuery, hasDrafts } from '../../query/draft-query.ts'
import type { LocaleChoice } from '../../query/locale-parameters.ts'
import type { Query } from '../../query/parameters.ts'
import { type EntryRow, parseDraft } from '../../store/rows.ts'
import { Access, type Visibility } from '../access/access.ts'
import { CallerScope } from '../access/caller-scope.ts'
import { authorizeDraftRequest, findVisibleDrafts } from '../access/draft-access.ts'
import { UnrestrictedAccess } from '../access/unrestricted-access.ts'
import type { ContentContext } from '../context.ts'
import { localizeRows, requireLocale, resolveCollection } from '../locales/locale.ts'
import { toLazyResponse } from '../reads/entry.ts'
import { hashCacheKey, toDocumentTag } from '../reads/etags.ts'
import { toExpandedResponse } from '../reads/expand.ts'
import { toDocumentResponse } from '../reads/present.ts'
import { readDrafts } from '../reads/present-draft.ts'
import { resolveLinks } from '../reads/resolve-links.ts'
import type { LazyResponse } from '../reads/response.ts'
import type { ReadRelatedDrafts } from '../reads/reverse.ts'
import { createWriteContext } from '../writes/context.ts'
import { EntryTarget } from '../writes/entry-target.ts'
import { loadEditableEntry } from './save-draft.ts'

/** The kind of the stored records of previews. */
export const PREVIEW = 'preview'

const DEFAULT_PREVIEW_SECONDS = 3600
export const MAX_PREVIEW_SECONDS: number = 30 * 24 * 3600

export interface Preview {
  readonly token: string
  /** ISO 8601. */
  readonly expiresAt: string
}

interface ValidPreview {
  readonly entry: string
  /** The present access of its author. */
  readonly author: Access
}

/**
 * Creates a token that shows the draft of an entry to everyone who has it, while its author may update the entry and see its draft.
 *
 * @param body `{ expiresIn }`, in seconds; optional
 * @throws VALIDATION_ERROR, UNAUTHORIZED, FORBIDDEN; NOT_FOUND if the entry does not exist for the caller
 */
export async function createPreview(
  context: ContentContext,
  access: Access,
  collection: CollectionModel,
  id: string,
  body: unknown,
): Promise<Preview> {
  const seconds = readSeconds(body)
  const entry = await authorizePreview(context, access, collection, id)
  const token = randomBytes(32).toString('base64url')
  const expiresAt = Date.now() + seconds * 1000
  const record = {
    id: hashToken(token),
    collection: collection.key,
    entry,
    until: expiresAt,
    maker: access.storedCaller,
  }
  const keys = { entry: toEntryKey(collection, entry), maker: getSubject(access.caller) ?? '' }
  await context.store.records.transaction((records) => records.put(PREVIEW, record, { keys, until: expiresAt }))
  return { token, expiresAt: new Date(expiresAt).toISOString() }
}

/**
 * Revokes all previews of an entry.
 *
 * @throws UNAUTHORIZED, FORBIDDEN; NOT_FOUND if the entry does not exist for the caller
 */
export async function revokePreviews(
  context: ContentContext,
  access: Access,
  collection: CollectionModel,
  id: string,
): Promise<void> {
  const entry = await authorizePreview(context, access, collection, id)
  await context.store.records.transaction(async (records) => {
    for (const { id: token } of await records.find(PREVIEW, 'entry', toEntryKey(collection, entry)))
      await records.delete(PREVIEW, token)
  })
}

/**
 * Finds the preview of a token.
 *
 * @returns `undefined` if it belongs to another collection, has expired, or its author could no longer create it
 */
async function findPreview(
  context: ContentContext,
  collection: CollectionModel,
  token: string,
): Promise<ValidPreview | undefined> {
  const record = await context.store.records.get(PREVIEW, hashToken(token))
  const isValid = record?.collection === collection.key && Number(record.until) > Date.now()
  if (!record || !isValid) return undefined
  const entry = String(record.entry)
  const author = await resolveAuthorAccess(context, record.maker as Caller | null)
  if (!author) return undefined
  try {
    await authorizePreview(context, author, collection, entry)
    return { entry, author }
  } catch (error) {
    if (error instanceof DaybookError && error.status < 500) return undefined
    throw error
  }
}

async function resolveAuthorAccess(
  { model, refreshCaller }: ContentContext,
  author: Caller | null,
): Promise<Access | undefined> {
  if (author === null) return new UnrestrictedAccess(model, SYSTEM)
  const caller = await refreshCaller(author)
  return caller ? new Access(model, caller) : undefined
}

/** Tokens are stored as digests, which are of no use to a reader of the database. */
const hashToken = (token: string): string => createHash('sha256').update(token).digest('base64url')

const toEntryKey = ({ key }: CollectionModel, id: string): string => `${key} ${id}`

/**
 * Returns the id of an entry that the caller may update, and whose draft the caller may see.
 *
 * @throws UNAUTHORIZED, FORBIDDEN, NOT_FOUND
 */
async function authorizePreview(
  context: ContentContext,
  access: Access,
  collection: CollectionModel,
  id: string,
): Promise<string> {
  authorizeDraftRequest(access, collection, { draft: 'true' })
  const writeContext = await createWriteContext(context, access)
  const target = new EntryTarget(writeContext, collection, id)
  return (await loadEditableEntry(writeContext, target, context.store.read)).id
}

function readSeconds(body: unknown): number {
  if (body === undefined) return DEFAULT_PREVIEW_SECONDS
  if (!isRecord(body))
    throw validationErrorAt('/', 'type', 'must be an object with expiresIn, or empty', { types: ['object'] })
  const unknown = Object.keys(body).find((key) => key !== 'expiresIn')
  if (unknown !== undefined)
    throw validationErrorAt(
      `/${unknown.slice(0, 64)}`,
      'unknown_field',
      `${unknownName('field', unknown.slice(0, 64))} Use expiresIn.`,
      {
        values: ['expiresIn'],
      },
    )
  const { expiresIn = DEFAULT_PREVIEW_SECONDS } = body
  const isInRange = Number.isInteger(expiresIn) && Number(expiresIn) > 0 && Number(expiresIn) <= MAX_PREVIEW_SECONDS
  if (!isInRange)
    throw validationErrorAt(
      '/expiresIn',
      'range',
      `must be a whole number of seconds from 1 to ${MAX_PREVIEW_SECONDS}`,
      {
        minimum: 1,
        maximum: MAX_PREVIEW_SECONDS,
      },
    )
  return Number(expiresIn)
}

/**
 * Reads the draft of a previewed entry, together with the drafts of related entries that the author of the preview may see. No rule of the
 * collection is evaluated for the caller: the token is the right to see the entry. Fields that the caller may not read stay hidden.
 *
 * @param address the id, the slug, or the slug of the draft
 * @returns `undefined` if the token is not valid for the entry at that address
 * @throws VALIDATION_ERROR
 */
export async function readPreview(
  context: ContentContext,
  access: Access,
  { key }: CollectionModel,
  address: string,
  query: Query<DocumentQuery & DraftQuery>,
  token: string,
): Promise<LazyResponse | undefined> {
  const choice = requireLocale(context.model, query.partial, access)
  const collection = resolveCollection(context.model, key, choice)
  const preview = await findPreview(context, collection, token)
  if (!preview || !(await isAddressedBy(context, collection, preview.entry, address))) return undefined
  const { entry: id, author } = preview
  const scope = await resolvePublishedScope(access, choice)
  const selection = readDocumentQuery(collection, query, scope)
  const [shownDraft] = await readDrafts(context, author, collection, [{ id }], choice)
  if (!shownDraft) return undefined
  const readRelatedDrafts: ReadRelatedDrafts = (to, rows) => readRelated(context, author, to, rows, choice)
  const projection = {
    hidden: scope.hiddenFields(collection),
    hasAuthors: scope.canSeeAuthors(collection),
    select: selection.select,
  }
  const isPlain = selection.expansions.length === 0 && selection.reverses.length === 0
  const [row = shownDraft.row] = await resolveLinks(context, scope, collection, [shownDraft.row])
  const { json, seq } = isPlain
    ? toDocumentResponse(collection, row, projection)
    : await toExpandedResponse(context, collection, row, selection, scope, readRelatedDrafts)
  // Included entries may change without a new revision of this entry, so the tag is derived from the response itself.
  return toLazyResponse({ json, tag: toDocumentTag(seq, hashCacheKey('preview', json)) })
}

/** Returns the scope of published entries that the caller may read: only the rights of the preview's author add drafts. */
async function resolvePublishedScope(access: Access, choice: LocaleChoice): Promise<CallerScope> {
  const visibilities = new Map<string, Visibility | false>()
  for (const collection of access.model.collections.values()) {
    const result = await access.evaluateRead(collection)
    const filter = typeof result === 'object' ? result : undefined
    visibilities.set(collection.key, result !== false && { filter, isPublishedOnly: collection.status !== undefined })
  }
  return new CallerScope(access, choice, visibilities)
}

/** Reads the related entries of a preview: their drafts if the author of the preview may see them, else as they are published. */
async function readRelated(
  context: ContentContext,
  author: Access,
  to: CollectionModel,
  rows: readonly EntryRow[],
  choice: LocaleChoice,
): Promise<readonly EntryRow[]> {
  if (!hasDrafts(to)) return localizeRows(context, author, to, rows, choice)
  const { read } = context.store
  const stored = context.model.collections.get(to.key) ?? to
  const ids = rows.map(({ id }) => id)
  const result = await author.evaluateRead(stored)
  const readable =
    result === false ? [] : await read.entries.statuses(stored, ids, result === true ? undefined : result.where)
  const visible = await findVisibleDrafts(
    author,
    read,
    stored,
    readable.map(({ id }) => id),
  )
  const drafts = await readDrafts(
    context,
    author,
    to,
    rows.filter(({ id }) => visible.has(id)),
    choice,
  )
  const published = rows.filter(({ id, status }) => !visible.has(id) && status === PUBLISHED)
  return [...drafts.map(({ row }) => row), ...(await localizeRows(context, author, to, published, choice))]
}

async function isAddressedBy(
  { store, model }: ContentContext,
  collection: CollectionModel,
  id: string,
  address: string,
): Promise<boolean> {
  if (address.toLowerCase() === id) return true
  const defaultCollection = model.collections.get(collection.key) ?? collection
  const { slug } = defaultCollection
  const entry = slug && (await store.read.entries.stored(defaultCollection, id))
  if (!slug || !entry) return false
  const requestedSlug = address.normalize('NFC')
  const draft = parseDraft(entry)
  const texts = [entry.doc, entry.locales, draft?.doc, draft?.locales].filter((text) => typeof text === 'string')
  return entry.slug === requestedSlug || texts.some((text) => hasSlug(JSON.parse(text), slug.key, requestedSlug))
}

/** Returns true if a document, or one of its translations, has this slug. */
function hasSlug(values: Readonly<Record<string, unknown>>, key: string, slug: string): boolean {
  if (values[key] === slug) return true
  return Object.values(values).some(
    (translation) => typeof translation === 'object' && translation !== null && Reflect.get(translation, key) === slug,
  )
}
