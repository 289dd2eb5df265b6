import { createHash } from 'node:crypto'
import { getClientNetwork } from '../auth/client-network.ts'
import type { Access } from '../content/access/access.ts'
import type { ContentContext } from '../content/context.ts'
import { IDEMPOTENCY_RECORD_LIFETIME_MS } from '../content/sweep.ts'
import type { Transact } from '../content/writes/index.ts'
import { DaybookError, type ErrorCode } from '../errors.ts'
import type { CollectionModel } from '../model/model.ts'
import { UniqueViolation } from '../store/database.ts'
import type { HttpRequest } from './request.ts'
import { getClientAddress } from './request.ts'
import type { HttpResponse, TextResponse } from './response.ts'

/** The additional errors of a route that accepts an `Idempotency-Key`. */
export const IDEMPOTENCY_ERRORS: readonly ErrorCode[] = ['IDEMPOTENCY_MISMATCH', 'CONFLICT', 'FORBIDDEN']

/** A response that can be replayed. */
interface StoredReply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** A write that a client may retry. */
interface Repeatable {
  /** The parts that identify the request. */
  readonly request: readonly unknown[]
  /** The collections that the write changes. */
  readonly collections: readonly CollectionModel[]
  /** Returns the entries in the body of a stored response. */
  listEntries(body: string): readonly ResponseEntry[]
}

/** An entry in a response. */
export interface ResponseEntry {
  /** A collection's key. */
  readonly collection: string
  readonly id: string
}

/** The caller of a write, and the key of its idempotency record. */
interface Repetition {
  readonly engine: ContentContext
  readonly access: Access
  /** The `Idempotency-Key`; without one, each request is executed. */
  readonly key: string | undefined
  readonly request: HttpRequest
  /** The number of proxies whose `X-Forwarded-For` is trusted. */
  readonly trustProxy: number
}

/**
 * Responds to a write. A write with an `Idempotency-Key` is executed once, however often it is sent: the transaction of the write
 * also stores the response, which later requests get.
 *
 * @param perform executes the write in the given transaction
 * @throws IDEMPOTENCY_MISMATCH if the key was used for another request; CONFLICT while the first one is running;
 * FORBIDDEN if the caller may no longer see the stored response
 */
export async function withIdempotency<T>(
  repetition: Repetition,
  what: Repeatable,
  toReply: (result: T) => TextResponse,
  perform: (transact: Transact) => Promise<T>,
): Promise<HttpResponse> {
  const { engine, access } = repetition
  const transact: Transact = (work, options) => engine.store.transaction(work, options)
  if (repetition.key === undefined) return toReply(await perform(transact))
  const key = recordKey(repetition)
  const digest = await requestDigest(what, access)
  const again = async (reply: StoredReply): Promise<HttpResponse> => {
    await requireShown(engine, what, access, reply)
    return { status: reply.status, json: reply.body, headers: { ...reply.headers, 'Idempotency-Replayed': 'true' } }
  }
  const known = await findReply(engine, key, digest)
  if (known) return again(known)
  return alone(engine, key, async () => {
    try {
      return toReply(await perform(storingReply(engine, { key, digest, toReply: (result) => toReply(result as T) })))
    } catch (error) {
      if (!(error instanceof UniqueViolation)) throw error
      // Another node has stored the record first.
      const first = await findReply(engine, key, digest)
      if (first) return again(first)
      throw inFlight()
    }
  })
}

/**
 * Runs work unless another request with the key is running on this node.
 *
 * @throws CONFLICT if one is running
 */
async function alone<T>(engine: ContentContext, key: string, work: () => Promise<T>): Promise<T> {
  const { pendingIdempotencyKeys: writesUnderWay } = engine
  if (writesUnderWay.has(key)) throw inFlight()
  writesUnderWay.add(key)
  try {
    return await work()
  } finally {
    writesUnderWay.delete(key)
  }
}

/**
 * The key of the idempotency record. Each caller has a separate set of keys, so that no caller can block or read the requests
 * of another. Anonymous callers are separated by network, because a key may be as simple as `1`.
 */
function recordKey({ access, key, request, trustProxy }: Repetition): string {
  const { identity } = access.caller
  const caller = identity
    ? [identity.provider, identity.subject]
    : [getClientNetwork(getClientAddress(request, trustProxy))]
  return createHash('sha256')
    .update(JSON.stringify([caller, key]))
    .digest('base64url')
}

/** Computes a digest that differs for another body, path or session, and for a caller with other access. */
async function requestDigest(repeatable: Repeatable, access: Access): Promise<string> {
  const { identity } = access.caller
  const who = [identity?.provider, identity?.subject, identity?.sessionId]
  const rights: unknown[] = []
  for (const collection of new Set(repeatable.collections)) {
    const visibility = await access.resolveVisibility(collection)
    const hidden = [...access.hidden(collection)]
    const people = typeof collection.authorRule === 'function' ? [access.canSeeAuthors(collection)] : []
    const seen = visibility && [visibility.filter ? 'some' : 'all', visibility.isPublishedOnly]
    rights.push([collection.key, seen, hidden, ...people])
  }
  return createHash('sha256')
    .update(JSON.stringify([who, repeatable.request, rights]))
    .digest('base64url')
}

/**
 * Makes sure that the caller may still see all entries of a stored response.
 *
 * @throws FORBIDDEN
 */
async function requireShown(
  { store }: ContentContext,
  repeatable: Repeatable,
  access: Access,
  { body }: StoredReply,
): Promise<void> {
  for (const collection of new Set(repeatable.collections)) {
    const ruling = await access.evaluateRead(collection)
    if (typeof ruling === 'boolean') continue
    const own = repeatable.listEntries(body).filter((one) => one.collection === collection.key)
    const ids = [...new Set(own.map(({ id }) => id))]
    const seen = await store.read.entries.statuses(collection, ids, ruling.where)
    if (seen.length < ids.length)
      throw new DaybookError('FORBIDDEN', 'This was done, but you may not read the answer any more.')
  }
}

const inFlight = (): DaybookError =>
  new DaybookError('CONFLICT', 'A request with this Idempotency-Key is under way; wait for its answer.')

async function findReply(engine: ContentContext, key: string, digest: string): Promise<StoredReply | undefined> {
  const stored = await engine.store.read.system.idempotencyRecord(key)
  if (!stored || stored.at < new Date(Date.now() - IDEMPOTENCY_RECORD_LIFETIME_MS).toISOString()) return undefined
  if (stored.request !== digest) throw new DaybookError('IDEMPOTENCY_MISMATCH')
  return { status: stored.status, headers: JSON.parse(stored.headers), body: stored.body }
}

/** The parts of the record that is stored with a write. */
interface ReplyPlan {
  readonly key: string
  readonly digest: string
  toReply(result: unknown): TextResponse
}

/** Returns a function that runs transactions, and stores the response to the write in them. */
function storingReply(engine: ContentContext, { key, digest, toReply }: ReplyPlan): Transact {
  return (work, options) =>
    engine.store.transaction(async (writer) => {
      const result = await work(writer)
      const { status, headers = {}, json: body = '' } = toReply(result)
      const now = Date.now()
      await writer.system.saveIdempotencyRecord(
        { key, request: digest, at: new Date(now).toISOString(), status, headers: JSON.stringify(headers), body },
        new Date(now - IDEMPOTENCY_RECORD_LIFETIME_MS).toISOString(),
      )
      return result
    }, options)
}
