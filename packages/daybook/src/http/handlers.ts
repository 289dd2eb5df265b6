import { isAuthenticated } from '../auth/adapter.ts'
import { type BatchResult, runBatch } from '../content/batch.ts'
import type { Answer, EntryAnswer, RunWrite } from '../content/engine.ts'
import { getEntry, listEntries } from '../content/entries.ts'
import { readGlobal, writeGlobal } from '../content/globals.ts'
import { type KeptReply, once, type Repeatable, type ShownEntry } from '../content/idempotency.ts'
import { listReferrers } from '../content/referrers.ts'
import { matchesTag, type Preconditions, requireMatch } from '../content/tags.ts'
import { createEntry, deleteEntry, updateEntry } from '../content/write-entries.ts'
import { DaybookError } from '../errors.ts'
import { isRecord } from '../fields/field.ts'
import type { CollectionModel, GlobalModel } from '../model/model.ts'
import { readNothing, readPage, readWrite } from '../query/entry-query.ts'
import type { Reply } from './respond.ts'

import type { RouteRequest } from './routes.ts'

/**
 * The collection that a path names.
 *
 * @throws NOT_FOUND
 */
export function collectionOf({ engine, path }: Pick<RouteRequest, 'engine' | 'path'>): CollectionModel {
  const collection = engine.model.collections.get(path.collection ?? '')
  if (!collection) throw new DaybookError('NOT_FOUND')
  return collection
}

/**
 * The global that a path names.
 *
 * @throws NOT_FOUND
 */
export function globalOf({ engine, path }: Pick<RouteRequest, 'engine' | 'path'>): GlobalModel {
  const global = engine.model.globals.get(path.key ?? '')
  if (!global) throw new DaybookError('NOT_FOUND')
  return global
}

const VARY = 'Authorization, Cookie, Origin'

function readHeaders({ caller, publicCacheControl }: RouteRequest, tag: string): Record<string, string> {
  return {
    ETag: tag,
    'Cache-Control': isAuthenticated(caller) ? 'private, no-store' : publicCacheControl,
    Vary: VARY,
  }
}

/**
 * Whether the client has the answer of this tag already.
 *
 * @throws PRECONDITION_FAILED when it asks for another one: `If-Match` comes first (RFC 9110, section 13.2.2)
 */
function isKnown({ ifMatch, ifNoneMatch }: RouteRequest, tag: string): boolean {
  requireMatch(ifMatch, tag)
  return ifNoneMatch !== undefined && matchesTag(ifNoneMatch, tag)
}

/** A document that was read: 200, 304 when the client has it, or 412 when it asked for another one. */
function readReply(
  request: RouteRequest,
  { json, tag }: Pick<Answer, 'tag'> & { readonly json: string | undefined },
): Reply {
  const headers = readHeaders(request, tag)
  return json === undefined || isKnown(request, tag) ? { status: 304, headers } : { status: 200, json, headers }
}

/** A document that was written. */
function writeReply(status: 200 | 201, { json, tag, seq }: Answer, headers: Record<string, string> = {}): Reply {
  const common = { ETag: tag, 'Daybook-Seq': String(seq), 'Cache-Control': 'private, no-store', Vary: VARY }
  return { status, json, headers: { ...common, ...headers } }
}

const preconditions = ({ ifMatch, ifNoneMatch }: RouteRequest): Preconditions => ({ ifMatch, ifNoneMatch })

const NO_STORE = { 'Cache-Control': 'no-store' }

export async function health({ query }: RouteRequest): Promise<Reply> {
  readNothing(query)
  return { status: 200, json: '{"status":"ok"}', headers: NO_STORE }
}

export async function ready({ query, isReady }: RouteRequest): Promise<Reply> {
  readNothing(query)
  if (await isReady()) return { status: 200, json: '{"status":"ready","checks":{"database":"ok"}}', headers: NO_STORE }
  throw new DaybookError('SERVICE_UNAVAILABLE', 'The service is not ready.', { checks: { database: 'failed' } })
}

export async function list(request: RouteRequest): Promise<Reply> {
  const { engine, query, caller } = request
  return readReply(
    request,
    await listEntries(engine, collectionOf(request), query, caller, (tag) => isKnown(request, tag)),
  )
}

export async function get(request: RouteRequest): Promise<Reply> {
  const { engine, path, query, caller } = request
  return readReply(request, await getEntry(engine, collectionOf(request), path.entry ?? '', query, caller))
}

/** Answers a POST; one with an `Idempotency-Key` is carried out once. */
async function repeatable<T>(
  request: RouteRequest,
  what: Omit<Repeatable, 'key'>,
  toReply: (result: T) => Reply,
  perform: (run?: RunWrite) => Promise<T>,
): Promise<Reply> {
  const { engine, caller, idempotencyKey: key } = request
  if (key === undefined) return toReply(await perform())
  const toKept = (result: T): KeptReply => {
    const { status, json = '', headers = {} } = toReply(result)
    return { status, headers, body: json }
  }
  const { reply, isReplay } = await once(engine, { key, ...what }, caller, async (run) =>
    toKept(await perform(run<T>(toKept))),
  )
  const headers = isReplay ? { ...reply.headers, 'Idempotency-Replayed': 'true' } : reply.headers
  return { status: reply.status, json: reply.body, headers }
}

export async function create(request: RouteRequest): Promise<Reply> {
  const { engine, query, caller } = request
  const collection = collectionOf(request)
  const locale = readWrite(query, engine.model.locales)
  const body = await request.body()
  return repeatable<EntryAnswer>(
    request,
    {
      request: [collection.key, body, ...(locale === undefined ? [] : [locale])],
      collections: [collection],
      shown: (kept) => [{ collection: collection.key, id: JSON.parse(kept).id }],
    },
    (entry) => writeReply(201, entry, { Location: locationOf(request, collection.key, entry) }),
    (run) => createEntry(engine, collection, body, caller, { ...preconditions(request), locale }, run),
  )
}

/** Where a new entry is read, in the locale that it was written in. */
function locationOf({ query }: RouteRequest, collection: string, { address }: EntryAnswer): string {
  const [locale] = query.get('locale') ?? []
  return `/api/${collection}/${encodeURIComponent(address)}${locale === undefined ? '' : `?locale=${locale}`}`
}

export async function update(request: RouteRequest): Promise<Reply> {
  return change(request, false)
}

export async function patch(request: RouteRequest): Promise<Reply> {
  return change(request, true)
}

async function change(request: RouteRequest, isMerge: boolean): Promise<Reply> {
  const { engine, path, query, caller } = request
  const collection = collectionOf(request)
  const locale = readWrite(query, engine.model.locales)
  const body = await request.body()
  const options = { ...preconditions(request), isMerge, locale }
  return writeReply(200, await updateEntry(engine, collection, path.entry ?? '', body, caller, options))
}

export async function references(request: RouteRequest): Promise<Reply> {
  const { engine, path, query } = request
  const answer = await listReferrers(engine, collectionOf(request), path.entry ?? '', readPage(query), request.caller)
  return { status: 200, json: JSON.stringify(answer), headers: { 'Cache-Control': 'private, no-store', Vary: VARY } }
}

export async function batch(request: RouteRequest): Promise<Reply> {
  const { engine, query, caller } = request
  const locale = readWrite(query, engine.model.locales)
  const body = await request.body()
  const run: RunWrite = (work) => engine.store.transaction(work)
  const names = namedIn(body)
  const what = {
    request: ['batch', body, ...(locale === undefined ? [] : [locale])],
    collections: [...engine.model.collections.values()].filter(({ key }) => names.includes(key)),
    shown: shownIn,
  }
  return repeatable(request, what, batchReply, (kept = run) => runBatch(engine, body, caller, kept, locale))
}

/** The collections that the operations of a batch name, whether it is well-formed or not. */
function namedIn(body: unknown): readonly unknown[] {
  const operations = isRecord(body) && Array.isArray(body.operations) ? body.operations : []
  return operations.map((one) => (isRecord(one) ? one.collection : undefined))
}

function shownIn(kept: string): readonly ShownEntry[] {
  const { results }: { results: readonly (ShownEntry & { readonly entry?: unknown })[] } = JSON.parse(kept)
  return results.filter(({ entry }) => entry !== undefined)
}

function batchReply(results: readonly BatchResult[]): Reply {
  const parts = results.map(({ op, collection, id, answer }) => {
    const entry = answer ? `,"etag":${JSON.stringify(answer.tag)},"entry":${answer.json}` : ''
    return `{"op":"${op}","collection":"${collection}","id":"${id}"${entry}}`
  })
  const seq = Math.max(0, ...results.map((result) => result.seq))
  const headers = { 'Cache-Control': 'private, no-store', Vary: VARY }
  return {
    status: 200,
    json: `{"results":[${parts.join(',')}]}`,
    headers: seq === 0 ? headers : { ...headers, 'Daybook-Seq': String(seq) },
  }
}

export async function remove(request: RouteRequest): Promise<Reply> {
  const { engine, path, query, caller } = request
  readNothing(query)
  const collection = collectionOf(request)
  const { seq } = await deleteEntry(engine, collection, path.entry ?? '', caller, preconditions(request))
  return { status: 204, headers: { 'Daybook-Seq': String(seq), 'Cache-Control': 'private, no-store' } }
}

export async function getGlobal(request: RouteRequest): Promise<Reply> {
  const { engine, query, caller } = request
  return readReply(request, await readGlobal(engine, globalOf(request), query, caller))
}

export async function putGlobal(request: RouteRequest): Promise<Reply> {
  const { engine, query, caller } = request
  const global = globalOf(request)
  const locale = readWrite(query, engine.model.locales)
  const options = { ...preconditions(request), locale }
  return writeReply(200, await writeGlobal(engine, global, await request.body(), caller, options))
}
