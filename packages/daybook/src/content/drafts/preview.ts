import { createHash, randomBytes } from 'node:crypto'
import { DaybookError, invalidAt } from '../../errors.ts'
import { isRecord } from '../../fields/field.ts'
import { isUuidShaped } from '../../fields/slug.ts'
import type { CollectionModel } from '../../model/model.ts'
import type { Access } from '../access/access.ts'
import type { Engine } from '../engine.ts'
import { requireDraftSession } from './draft-access.ts'

/** The kind of the records that hold previews. */
const PREVIEW = 'preview'

/** How long a preview lasts that says nothing of it, in seconds. */
export const DEFAULT_PREVIEW_SECONDS = 3600
/** The longest that one lasts, in seconds. */
export const MAX_PREVIEW_SECONDS: number = 30 * 24 * 3600

/** A token that shows the working copy of an entry. */
export interface Preview {
  readonly token: string
  /** ISO 8601. */
  readonly expiresAt: string
}

/**
 * Makes a token that shows the working copy of an entry to all who have it.
 *
 * @param body `{ expiresIn }`, in seconds; there need not be one
 * @throws VALIDATION_ERROR, UNAUTHORIZED, FORBIDDEN; NOT_FOUND where there is no entry that the caller may see
 */
export async function createPreview(
  engine: Engine,
  access: Access,
  collection: CollectionModel,
  id: string,
  body: unknown,
): Promise<Preview> {
  const seconds = readSeconds(body)
  const entry = await requireEntry(engine, access, collection, id)
  const token = randomBytes(32).toString('base64url')
  const until = Date.now() + seconds * 1000
  const record = { id: digestOf(token), collection: collection.key, entry, until }
  const keys = { entry: nameOf(collection, entry) }
  await engine.store.records.transaction((records) => records.put(PREVIEW, record, { keys, until }))
  return { token, expiresAt: new Date(until).toISOString() }
}

/**
 * Ends all previews of an entry.
 *
 * @throws UNAUTHORIZED, FORBIDDEN; NOT_FOUND where there is no entry that the caller may see
 */
export async function revokePreviews(
  engine: Engine,
  access: Access,
  collection: CollectionModel,
  id: string,
): Promise<void> {
  const entry = await requireEntry(engine, access, collection, id)
  await engine.store.records.transaction(async (records) => {
    for (const { id: token } of await records.find(PREVIEW, 'entry', nameOf(collection, entry)))
      await records.delete(PREVIEW, token)
  })
}

/** The id of the entry whose working copy a token shows; `undefined`: none of this collection, or no longer. */
export async function previewedEntry(
  { store }: Engine,
  collection: CollectionModel,
  token: string,
): Promise<string | undefined> {
  const found = await store.records.get(PREVIEW, digestOf(token))
  const isValid = found?.collection === collection.key && Number(found.until) > Date.now()
  return isValid ? String(found.entry) : undefined
}

/** A token is stored as its digest: a reader of the database has no use for it. */
const digestOf = (token: string): string => createHash('sha256').update(token).digest('base64url')

const nameOf = ({ key }: CollectionModel, id: string): string => `${key} ${id}`

async function requireEntry(
  { store }: Engine,
  access: Access,
  collection: CollectionModel,
  id: string,
): Promise<string> {
  requireDraftSession(access, collection, { draft: 'true' })
  const filter = await access.requireRead(collection)
  const found = isUuidShaped(id) ? await store.read.entries.statuses(collection, [id.toLowerCase()], filter?.where) : []
  if (found.length === 0) throw new DaybookError('NOT_FOUND')
  return id.toLowerCase()
}

function readSeconds(body: unknown): number {
  if (body === undefined) return DEFAULT_PREVIEW_SECONDS
  if (!isRecord(body)) throw invalidAt('/', 'type', 'must be an object with expiresIn, or left out')
  const unknown = Object.keys(body).find((key) => key !== 'expiresIn')
  if (unknown !== undefined)
    throw invalidAt(`/${unknown.slice(0, 64)}`, 'unknown_field', 'there is no such field; write expiresIn')
  const { expiresIn = DEFAULT_PREVIEW_SECONDS } = body
  const isInRange = Number.isInteger(expiresIn) && Number(expiresIn) > 0 && Number(expiresIn) <= MAX_PREVIEW_SECONDS
  if (!isInRange)
    throw invalidAt('/expiresIn', 'range', `must be a whole number of seconds from 1 to ${MAX_PREVIEW_SECONDS}`)
  return Number(expiresIn)
}
