import { createHash } from 'node:crypto'
import { getClientNetwork } from '../auth/client-network.ts'
import type { Access } from '../content/access/access.ts'
import type { ContentContext } from '../content/context.ts'
import { IDEMPOTENCY_RECORD_LIFETIME_MS } from '../content/sweep.ts'
import type { Transact } from '../content/writes/index.ts'
import { DaybookError, type ErrorCode } from '../errors.ts'
import type { CollectionModel } from '../model/model.ts'
import { UniqueViolation } from '../store/database.ts'
import { getClientAddress, type HttpRequest } from './request.ts'
import type { HttpResponse, TextResponse } from './response.ts'

/** The additional errors of a route that accepts an `Idempotency-Key`. */
export const IDEMPOTENCY_ERRORS: readonly ErrorCode[] = ['IDEMPOTENCY_MISMATCH', 'CONFLICT', 'FORBIDDEN']

interface StoredResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** A write that a client may retry. */
interface IdempotentWrite {
  /** The parts that identify the request. */
  readonly request: readonly unknown[]
  readonly collections: readonly CollectionModel[]
  listEntries(body: string): readonly ResponseEntry[]
}

export interface ResponseEntry {
  /** A collection's key. */
  readonly collection: string
  readonly id: string
}

/** The caller of a write, and the key of its idempotency record. */
interface IdempotencyOptions {
  readonly context: ContentContext
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
  options: IdempotencyOptions,
  write: IdempotentWrite,
  toResponse: (result: T) => TextResponse,
  perform: (transact: Transact) => Promise<T>,
): Promise<HttpResponse> {
  const { context, access } = options
  const transact: Transact = (work, transactionOptions) => context.store.transaction(work, transactionOptions)
  if (options.key === undefined) return toResponse(await perform(transact))
  const key = computeRecordKey(options)
  const digest = await computeRequestDigest(write, access)
  const replay = async (response: StoredResponse): Promise<HttpResponse> => {
    await requireVisibleEntries(context, write, access, response)
    const { status, headers, body } = response
    return { status, json: body, headers: { ...headers, 'Idempotency-Replayed': 'true' } }
  }
  const storedResponse = await findStoredResponse(context, key, digest)
  if (storedResponse) return replay(storedResponse)
  return runExclusively(context, key, async () => {
    try {
      const plan: RecordPlan = { key, digest, toResponse: (result) => toResponse(result as T) }
      return toResponse(await perform(makeStoringTransact(context, plan)))
    } catch (error) {
      if (!(error instanceof UniqueViolation)) throw error
      // Another node has stored the record first.
      const firstResponse = await findStoredResponse(context, key, digest)
      if (firstResponse) return replay(firstResponse)
      throw makePendingError()
    }
  })
}

/**
 * Runs work unless another request with the key is running on this node.
 *
 * @throws CONFLICT if one is running
 */
async function runExclusively<T>(context: ContentContext, key: string, work: () => Promise<T>): Promise<T> {
  const { pendingIdempotencyKeys } = context
  if (pendingIdempotencyKeys.has(key)) throw makePendingError()
  pendingIdempotencyKeys.add(key)
  try {
    return await work()
  } finally {
    pendingIdempotencyKeys.delete(key)
  }
}

/**
 * Computes the key of the idempotency record. Each caller has a separate set of keys, so that no caller can block or read the requests
 * of another. Anonymous callers are separated by network, because a key may be as simple as `1`.
 */
function computeRecordKey({ access, key, request, trustProxy }: IdempotencyOptions): string {
  const { identity } = access.caller
  const caller = identity
    ? [identity.provider, identity.subject]
    : [getClientNetwork(getClientAddress(request, trustProxy))]
  return createHash('sha256')
    .update(JSON.stringify([caller, key]))
    .digest('base64url')
}

/** Computes a digest that differs for another body, path or session, and for a caller with other access. */
async function computeRequestDigest(write: IdempotentWrite, access: Access): Promise<string> {
  const { identity } = access.caller
  const callerKeys = [identity?.provider, identity?.subject, identity?.sessionId]
  const rights: unknown[] = []
  for (const collection of new Set(write.collections)) {
    const visibility = await access.resolveVisibility(collection)
    const hidden = [...access.hidden(collection)]
    const authors = typeof collection.authorRule === 'function' ? [access.canSeeAuthors(collection)] : []
    const scope = visibility && [visibility.filter ? 'some' : 'all', visibility.isPublishedOnly]
    rights.push([collection.key, scope, hidden, ...authors])
  }
  return createHash('sha256')
    .update(JSON.stringify([callerKeys, write.request, rights]))
    .digest('base64url')
}

/**
 * Makes sure that the caller may still see all entries of a stored response.
 *
 * @throws FORBIDDEN
 */
async function requireVisibleEntries(
  { store }: ContentContext,
  write: IdempotentWrite,
  access: Access,
  { body }: StoredResponse,
): Promise<void> {
  for (const collection of new Set(write.collections)) {
    const readAccess = await access.evaluateRead(collection)
    if (typeof readAccess === 'boolean') continue
    const entries = write.listEntries(body).filter((entry) => entry.collection === collection.key)
    const ids = [...new Set(entries.map(({ id }) => id))]
    const visibleRows = await store.read.entries.statuses(collection, ids, readAccess.where)
    if (visibleRows.length < ids.length)
      throw new DaybookError(
        'FORBIDDEN',
        'The request was executed, but you are no longer allowed to read its response.',
      )
  }
}

const makePendingError = (): DaybookError =>
  new DaybookError(
    'CONFLICT',
    'A request with this Idempotency-Key is still running. Wait for its response, and retry.',
  )

async function findStoredResponse(
  context: ContentContext,
  key: string,
  digest: string,
): Promise<StoredResponse | undefined> {
  const record = await context.store.read.system.idempotencyRecord(key)
  if (!record || record.at < new Date(Date.now() - IDEMPOTENCY_RECORD_LIFETIME_MS).toISOString()) return undefined
  if (record.request !== digest) throw new DaybookError('IDEMPOTENCY_MISMATCH')
  return { status: record.status, headers: JSON.parse(record.headers), body: record.body }
}

/** The parts of the record that is stored with a write. */
interface RecordPlan {
  readonly key: string
  readonly digest: string
  toResponse(result: unknown): TextResponse
}

/** Returns a function that runs transactions, and stores the response to the write in them. */
function makeStoringTransact(context: ContentContext, { key, digest, toResponse }: RecordPlan): Transact {
  return (work, options) =>
    context.store.transaction(async (writer) => {
      const result = await work(writer)
      const { status, headers = {}, json: body = '' } = toResponse(result)
      const now = Date.now()
      await writer.system.saveIdempotencyRecord(
        { key, request: digest, at: new Date(now).toISOString(), status, headers: JSON.stringify(headers), body },
        new Date(now - IDEMPOTENCY_RECORD_LIFETIME_MS).toISOString(),
      )
      return result
    }, options)
}
