import { createHash, randomBytes } from 'node:crypto'
import { type Caller, getSubject, SYSTEM } from '../../auth/adapter.ts'
import { DaybookError, invalidAt } from '../../errors.ts'
import { isRecord } from '../../fields/field.ts'
import type { CollectionModel } from '../../model/model.ts'
import { Access } from '../access/access.ts'
import { requireDraftSession } from '../access/draft-access.ts'
import { UnrestrictedAccess } from '../access/unrestricted-access.ts'
import type { Engine } from '../engine.ts'
import { writeContext } from '../writes/context.ts'
import { EntryTarget } from '../writes/entry-target.ts'
import { requireEditableDraft } from './entry-work.ts'

/** The kind of the records that hold previews. */
export const PREVIEW = 'preview'

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

/** A preview that is shown. */
export interface ShownPreview {
  /** The id of the entry. */
  readonly entry: string
  /** What its maker may see now. */
  readonly maker: Access
}

/**
 * Makes a token that shows the draft of an entry to all who have it, while its maker may change the entry and see its draft.
 *
 * @param body `{ expiresIn }`, in seconds; may be absent
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
  const entry = await requirePreviewable(engine, access, collection, id)
  const token = randomBytes(32).toString('base64url')
  const until = Date.now() + seconds * 1000
  const record = { id: digestOf(token), collection: collection.key, entry, until, maker: access.author }
  const keys = { entry: nameOf(collection, entry), maker: getSubject(access.caller) ?? '' }
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
  const entry = await requirePreviewable(engine, access, collection, id)
  await engine.store.records.transaction(async (records) => {
    for (const { id: token } of await records.find(PREVIEW, 'entry', nameOf(collection, entry)))
      await records.delete(PREVIEW, token)
  })
}

/**
 * Finds the preview of a token.
 *
 * @returns `undefined` when it is of another collection, or has ended: by its time, or because its maker could not make it any more
 */
export async function findPreview(
  engine: Engine,
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

async function makerAccess({ model, findPresent }: Engine, maker: Caller | null): Promise<Access | undefined> {
  if (maker === null) return new UnrestrictedAccess(model, SYSTEM)
  const present = await findPresent(maker)
  return present ? new Access(model, present) : undefined
}

/** A token is stored as its digest: a reader of the database has no use for it. */
const digestOf = (token: string): string => createHash('sha256').update(token).digest('base64url')

const nameOf = ({ key }: CollectionModel, id: string): string => `${key} ${id}`

/** The id of an entry that the caller may change, and whose draft the caller sees. */
async function requirePreviewable(
  engine: Engine,
  access: Access,
  collection: CollectionModel,
  id: string,
): Promise<string> {
  requireDraftSession(access, collection, { draft: 'true' })
  const context = await writeContext(engine, access)
  const target = new EntryTarget(context, collection, id)
  return (await requireEditableDraft(context, target, engine.store.read)).id
}

function readSeconds(body: unknown): number {
  if (body === undefined) return DEFAULT_PREVIEW_SECONDS
  if (!isRecord(body))
    throw invalidAt('/', 'type', 'must be an object with expiresIn, or left out', { types: ['object'] })
  const unknown = Object.keys(body).find((key) => key !== 'expiresIn')
  if (unknown !== undefined)
    throw invalidAt(`/${unknown.slice(0, 64)}`, 'unknown_field', 'there is no such field; write expiresIn', {
      values: ['expiresIn'],
    })
  const { expiresIn = DEFAULT_PREVIEW_SECONDS } = body
  const isInRange = Number.isInteger(expiresIn) && Number(expiresIn) > 0 && Number(expiresIn) <= MAX_PREVIEW_SECONDS
  if (!isInRange)
    throw invalidAt('/expiresIn', 'range', `must be a whole number of seconds from 1 to ${MAX_PREVIEW_SECONDS}`, {
      minimum: 1,
      maximum: MAX_PREVIEW_SECONDS,
    })
  return Number(expiresIn)
}
