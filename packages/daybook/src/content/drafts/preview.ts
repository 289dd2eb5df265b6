import { createHash, randomBytes } from 'node:crypto'
import { type Caller, getSubject, SYSTEM } from '../../auth/adapter.ts'
import { DaybookError, validationErrorAt } from '../../errors.ts'
import { isRecord } from '../../fields/field.ts'
import { PUBLISHED } from '../../fields/status.ts'
import type { CollectionModel } from '../../model/model.ts'
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
import type { LazyResponse } from '../reads/response.ts'
import type { ReadRelatedDrafts } from '../reads/reverse.ts'
import { createWriteContext } from '../writes/context.ts'
import { EntryTarget } from '../writes/entry-target.ts'
import { loadEditableEntry } from './save-draft.ts'

/** The kind of the stored records of previews. */
export const PREVIEW = 'preview'

/** The default lifetime of a preview, in seconds. */
export const DEFAULT_PREVIEW_SECONDS = 3600
/** The maximum lifetime of a preview, in seconds. */
export const MAX_PREVIEW_SECONDS: number = 30 * 24 * 3600

/** A token that shows the draft of an entry. */
export interface Preview {
  readonly token: string
  /** ISO 8601. */
  readonly expiresAt: string
}

/** A valid preview. */
export interface ShownPreview {
  /** The id of the entry. */
  readonly entry: string
  /** The present access of its author. */
  readonly maker: Access
}

/**
 * Creates a token that shows the draft of an entry to everyone who has it, while its author may update the entry and see its draft.
 *
 * @param body `{ expiresIn }`, in seconds; optional
 * @throws VALIDATION_ERROR, UNAUTHORIZED, FORBIDDEN; NOT_FOUND if the entry does not exist for the caller
 */
export async function createPreview(
  engine: ContentContext,
  access: Access,
  collection: CollectionModel,
  id: string,
  body: unknown,
): Promise<Preview> {
  const seconds = readSeconds(body)
  const entry = await requirePreviewable(engine, access, collection, id)
  const token = randomBytes(32).toString('base64url')
  const until = Date.now() + seconds * 1000
  const record = { id: digestOf(token), collection: collection.key, entry, until, maker: access.storedCaller }
  const keys = { entry: nameOf(collection, entry), maker: getSubject(access.caller) ?? '' }
  await engine.store.records.transaction((records) => records.put(PREVIEW, record, { keys, until }))
  return { token, expiresAt: new Date(until).toISOString() }
}

/**
 * Revokes all previews of an entry.
 *
 * @throws UNAUTHORIZED, FORBIDDEN; NOT_FOUND if the entry does not exist for the caller
 */
export async function revokePreviews(
  engine: ContentContext,
  access: Access,
  collection: CollectionModel,
  id: string,
): Promise<void> {
  const entry = await requirePreviewable(engine, access, collection, id)
  await engine.store.records.transaction(async (records) => {
    for (const { id: token } of await records.find(PREVIEW, 'entry', nameOf(collection, entry)))
      await records.delete(PREVIEW, token)
  })
}

/**
 * Finds the preview of a token.
 *
 * @returns `undefined` if it belongs to another collection, has expired, or its author could no longer create it
 */
export async function findPreview(
  engine: ContentContext,
  collection: CollectionModel,
  token: string,
): Promise<ShownPreview | undefined> {
  const found = await engine.store.records.get(PREVIEW, digestOf(token))
  const isValid = found?.collection === collection.key && Number(found.until) > Date.now()
  if (!found || !isValid) return undefined
  const entry = String(found.entry)
  const maker = await makerAccess(engine, found.maker as Caller | null)
  if (!maker) return undefined
  try {
    await requirePreviewable(engine, maker, collection, entry)
    return { entry, maker }
  } catch (error) {
    if (error instanceof DaybookError && error.status < 500) return undefined
    throw error
  }
}

async function makerAccess(
  { model, refreshCaller: findPresent }: ContentContext,
  maker: Caller | null,
): Promise<Access | undefined> {
  if (maker === null) return new UnrestrictedAccess(model, SYSTEM)
  const present = await findPresent(maker)
  return present ? new Access(model, present) : undefined
}

/** Tokens are stored as digests, which are of no use to a reader of the database. */
const digestOf = (token: string): string => createHash('sha256').update(token).digest('base64url')

const nameOf = ({ key }: CollectionModel, id: string): string => `${key} ${id}`

/**
 * Returns the id of an entry that the caller may update, and whose draft the caller may see.
 *
 * @throws UNAUTHORIZED, FORBIDDEN, NOT_FOUND
 */
async function requirePreviewable(
  engine: ContentContext,
  access: Access,
  collection: CollectionModel,
  id: string,
): Promise<string> {
  authorizeDraftRequest(access, collection, { draft: 'true' })
  const context = await createWriteContext(engine, access)
  const target = new EntryTarget(context, collection, id)
  return (await loadEditableEntry(context, target, engine.store.read)).id
}

function readSeconds(body: unknown): number {
  if (body === undefined) return DEFAULT_PREVIEW_SECONDS
  if (!isRecord(body))
    throw validationErrorAt('/', 'type', 'must be an object with expiresIn, or left out', { types: ['object'] })
  const unknown = Object.keys(body).find((key) => key !== 'expiresIn')
  if (unknown !== undefined)
    throw validationErrorAt(`/${unknown.slice(0, 64)}`, 'unknown_field', 'there is no such field; write expiresIn', {
      values: ['expiresIn'],
    })
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
  engine: ContentContext,
  access: Access,
  { key }: CollectionModel,
  address: string,
  query: Query<DocumentQuery & DraftQuery>,
  token: string,
): Promise<LazyResponse | undefined> {
  const choice = requireLocale(engine.model, query.partial, access)
  const collection = resolveCollection(engine.model, key, choice)
  const preview = await findPreview(engine, collection, token)
  if (!preview || !(await isAddressOf(engine, collection, preview.entry, address))) return undefined
  const { entry: id, maker } = preview
  const scope = await publishedScope(access, choice)
  const selection = readDocumentQuery(collection, query, scope)
  const [shown] = await readDrafts(engine, maker, collection, [{ id }], choice)
  if (!shown) return undefined
  const showDrafts: ReadRelatedDrafts = (to, rows) => readRelated(engine, maker, to, rows, choice)
  const projection = {
    hidden: scope.hiddenFields(collection),
    hasAuthors: scope.canSeeAuthors(collection),
    select: selection.select,
  }
  const isPlain = selection.expansions.length === 0 && selection.reverses.length === 0
  const { json, seq } = isPlain
    ? toDocumentResponse(collection, shown.row, projection)
    : await toExpandedResponse(engine, collection, shown.row, selection, scope, showDrafts)
  // Included entries may change without a new revision of this entry, so the tag is derived from the response itself.
  return toLazyResponse({ json, tag: toDocumentTag(seq, hashCacheKey('preview', json)) })
}

/** Returns the scope of published entries that the caller may read: only the rights of the preview's author add drafts. */
async function publishedScope(access: Access, choice: LocaleChoice): Promise<CallerScope> {
  const visibilities = new Map<string, Visibility | false>()
  for (const collection of access.model.collections.values()) {
    const ruling = await access.evaluateRead(collection)
    const filter = typeof ruling === 'object' ? ruling : undefined
    visibilities.set(collection.key, ruling !== false && { filter, isPublishedOnly: collection.status !== undefined })
  }
  return new CallerScope(access, choice, visibilities)
}

/** Reads the related entries of a preview: their drafts if the author of the preview may see them, else as they are published. */
async function readRelated(
  engine: ContentContext,
  maker: Access,
  to: CollectionModel,
  rows: readonly EntryRow[],
  choice: LocaleChoice,
): Promise<readonly EntryRow[]> {
  if (!hasDrafts(to)) return localizeRows(engine, maker, to, rows, choice)
  const { read } = engine.store
  const stored = engine.model.collections.get(to.key) ?? to
  const ids = rows.map(({ id }) => id)
  const ruling = await maker.evaluateRead(stored)
  const readable =
    ruling === false ? [] : await read.entries.statuses(stored, ids, ruling === true ? undefined : ruling.where)
  const visible = await findVisibleDrafts(
    maker,
    read,
    stored,
    readable.map(({ id }) => id),
  )
  const drafts = await readDrafts(
    engine,
    maker,
    to,
    rows.filter(({ id }) => visible.has(id)),
    choice,
  )
  const others = rows.filter(({ id, status }) => !visible.has(id) && status === PUBLISHED)
  return [...drafts.map(({ row }) => row), ...(await localizeRows(engine, maker, to, others, choice))]
}

async function isAddressOf(
  { store, model }: ContentContext,
  collection: CollectionModel,
  id: string,
  address: string,
): Promise<boolean> {
  if (address.toLowerCase() === id) return true
  const own = model.collections.get(collection.key) ?? collection
  const { slug } = own
  const entry = slug && (await store.read.entries.stored(own, id))
  if (!slug || !entry) return false
  const name = address.normalize('NFC')
  const copy = parseDraft(entry)
  const texts = [entry.doc, entry.locales, copy?.doc, copy?.locales].filter((text) => typeof text === 'string')
  return entry.slug === name || texts.some((text) => namesSlug(JSON.parse(text), slug.key, name))
}

/** Returns true if a document, or one of its translations, has this slug. */
function namesSlug(said: Readonly<Record<string, unknown>>, key: string, name: string): boolean {
  if (said[key] === name) return true
  return Object.values(said).some((one) => typeof one === 'object' && one !== null && Reflect.get(one, key) === name)
}
