import type { Caller } from '../auth/adapter.ts'
import { isAuthenticated } from '../auth/adapter.ts'
import type { AccessRule } from '../config/config.ts'
import { type BatchResult, runBatch } from '../content/batch.ts'
import type { Answer, Engine, EntryAnswer, RunWrite } from '../content/engine.ts'
import { getEntry, listEntries } from '../content/entries.ts'
import { readGlobal, writeGlobal } from '../content/globals.ts'
import { type KeptReply, once } from '../content/idempotency.ts'
import { listReferrers } from '../content/referrers.ts'
import { matchesTag, type Preconditions, type TagCondition } from '../content/tags.ts'
import { createEntry, deleteEntry, updateEntry } from '../content/write-entries.ts'
import { DaybookError } from '../errors.ts'
import type { CollectionModel, GlobalModel } from '../model/model.ts'
import { readNothing, readPage } from '../query/entry-query.ts'
import type { Params } from '../query/params.ts'
import type { Reply } from './respond.ts'

/** Methods that a route can have; HEAD and OPTIONS come from the others. */
export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** What a route is given. */
export interface RouteRequest {
  readonly engine: Engine
  readonly caller: Caller
  /** Path parameters, decoded: `collection` or `key`, and `entry` for a slug or id. */
  readonly path: Readonly<Record<string, string>>
  readonly query: Params
  readonly ifMatch: TagCondition | undefined
  readonly ifNoneMatch: TagCondition | undefined
  /** Of a POST that may be sent again. */
  readonly idempotencyKey: string | undefined
  /** Reads and parses the JSON body. */
  body(): Promise<unknown>
  /** `Cache-Control` of an answer to a reader without a session. */
  readonly publicCacheControl: string
  /** Whether the service still takes new work. */
  readonly isReady: () => Promise<boolean>
}

/** One row of the route table. */
export interface Route {
  readonly method: Method
  /** Hono's pattern syntax. */
  readonly path: string
  readonly operationId: string
  /** `session`: without one it is 401, unless the config has a rule of its own for the action. */
  readonly protection: 'public' | 'session'
  /** What of the config the path names; where there is none, there is no route. */
  readonly resource?: 'collection' | 'global'
  /** What a write does to it. */
  readonly action?: 'create' | 'update' | 'delete'
  readonly summary: string
  run(request: RouteRequest): Promise<Reply>
}

function collectionOf({ engine, path }: Pick<RouteRequest, 'engine' | 'path'>): CollectionModel {
  const collection = engine.model.collections.get(path.collection ?? '')
  if (!collection) throw new DaybookError('NOT_FOUND')
  return collection
}

function globalOf({ engine, path }: Pick<RouteRequest, 'engine' | 'path'>): GlobalModel {
  const global = engine.model.globals.get(path.key ?? '')
  if (!global) throw new DaybookError('NOT_FOUND')
  return global
}

/**
 * The rule that the config has for a route's action, if any.
 *
 * @throws NOT_FOUND when the path names nothing in the config
 */
export function ruleOf(
  { resource, action }: Route,
  request: Pick<RouteRequest, 'engine' | 'path'>,
): AccessRule | undefined {
  if (!resource) return undefined
  const { access } = resource === 'collection' ? collectionOf(request) : globalOf(request)
  return action && (access as Readonly<Record<string, AccessRule | undefined>>)[action]
}

const VARY = 'Authorization, Cookie, Origin'

function readHeaders({ caller, publicCacheControl }: RouteRequest, tag: string): Record<string, string> {
  return {
    ETag: tag,
    'Cache-Control': isAuthenticated(caller) ? 'private, no-store' : publicCacheControl,
    Vary: VARY,
  }
}

const isKnown = ({ ifNoneMatch }: RouteRequest, tag: string): boolean =>
  ifNoneMatch !== undefined && matchesTag(ifNoneMatch, tag)

/** A document that was read: 200, or 304 when the client has it. */
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

async function health({ query }: RouteRequest): Promise<Reply> {
  readNothing(query)
  return { status: 200, json: '{"status":"ok"}', headers: NO_STORE }
}

async function ready({ query, isReady }: RouteRequest): Promise<Reply> {
  readNothing(query)
  if (await isReady()) return { status: 200, json: '{"status":"ready","checks":{"database":"ok"}}', headers: NO_STORE }
  throw new DaybookError('SERVICE_UNAVAILABLE', 'The service is not ready.', { checks: { database: 'failed' } })
}

async function list(request: RouteRequest): Promise<Reply> {
  const { engine, query, caller } = request
  return readReply(
    request,
    await listEntries(engine, collectionOf(request), query, caller, (tag) => isKnown(request, tag)),
  )
}

async function get(request: RouteRequest): Promise<Reply> {
  const { engine, path, query, caller } = request
  return readReply(request, await getEntry(engine, collectionOf(request), path.entry ?? '', query, caller))
}

/** Answers a POST; one with an `Idempotency-Key` is carried out once. */
async function repeatable<T>(
  request: RouteRequest,
  what: readonly unknown[],
  toReply: (result: T) => Reply,
  perform: (run?: RunWrite) => Promise<T>,
): Promise<Reply> {
  const { engine, caller, idempotencyKey: key } = request
  if (key === undefined) return toReply(await perform())
  const toKept = (result: T): KeptReply => {
    const { status, json = '', headers = {} } = toReply(result)
    return { status, headers, body: json }
  }
  const { reply, isReplay } = await once(engine, { key, request: what }, caller, async (run) =>
    toKept(await perform(run<T>(toKept))),
  )
  const headers = isReplay ? { ...reply.headers, 'Idempotency-Replayed': 'true' } : reply.headers
  return { status: reply.status, json: reply.body, headers }
}

async function create(request: RouteRequest): Promise<Reply> {
  const { engine, query, caller } = request
  const collection = collectionOf(request)
  readNothing(query)
  const body = await request.body()
  return repeatable<EntryAnswer>(
    request,
    [collection.key, body],
    (entry) => writeReply(201, entry, { Location: `/api/${collection.key}/${encodeURIComponent(entry.address)}` }),
    (run) => createEntry(engine, collection, body, caller, preconditions(request), run),
  )
}

async function update(request: RouteRequest): Promise<Reply> {
  return change(request, false)
}

async function patch(request: RouteRequest): Promise<Reply> {
  return change(request, true)
}

async function change(request: RouteRequest, isMerge: boolean): Promise<Reply> {
  const { engine, path, query, caller } = request
  const collection = collectionOf(request)
  readNothing(query)
  const body = await request.body()
  const options = { ...preconditions(request), isMerge }
  return writeReply(200, await updateEntry(engine, collection, path.entry ?? '', body, caller, options))
}

async function references(request: RouteRequest): Promise<Reply> {
  const { engine, path, query } = request
  const answer = await listReferrers(engine, collectionOf(request), path.entry ?? '', readPage(query))
  return { status: 200, json: JSON.stringify(answer), headers: { 'Cache-Control': 'private, no-store', Vary: VARY } }
}

async function batch(request: RouteRequest): Promise<Reply> {
  const { engine, query, caller } = request
  readNothing(query)
  const body = await request.body()
  const run: RunWrite = (work) => engine.store.transaction(work)
  return repeatable(request, ['batch', body], batchReply, (kept = run) => runBatch(engine, body, caller, kept))
}

function batchReply(results: readonly BatchResult[]): Reply {
  const parts = results.map(({ op, collection, id, answer }) => {
    const entry = answer ? `,"etag":${JSON.stringify(answer.tag)},"entry":${answer.json}` : ''
    return `{"op":"${op}","collection":"${collection}","id":"${id}"${entry}}`
  })
  const seq = results.at(-1)?.seq
  const headers = { 'Cache-Control': 'private, no-store', Vary: VARY }
  return {
    status: 200,
    json: `{"results":[${parts.join(',')}]}`,
    headers: seq === undefined ? headers : { ...headers, 'Daybook-Seq': String(seq) },
  }
}

async function remove(request: RouteRequest): Promise<Reply> {
  const { engine, path, query, caller } = request
  readNothing(query)
  const collection = collectionOf(request)
  const { seq } = await deleteEntry(engine, collection, path.entry ?? '', caller, preconditions(request))
  return { status: 204, headers: { 'Daybook-Seq': String(seq), 'Cache-Control': 'private, no-store' } }
}

async function getGlobal(request: RouteRequest): Promise<Reply> {
  readNothing(request.query)
  return readReply(request, await readGlobal(request.engine, globalOf(request), request.caller))
}

async function putGlobal(request: RouteRequest): Promise<Reply> {
  const { engine, query, caller } = request
  const global = globalOf(request)
  readNothing(query)
  return writeReply(200, await writeGlobal(engine, global, await request.body(), caller, preconditions(request)))
}

/**
 * Everything that the service answers. The router, `Allow` headers and the docs are made from this table;
 * where two patterns fit, the earlier one counts.
 */
export const ROUTES: readonly Route[] = [
  {
    method: 'GET',
    path: '/api/health',
    operationId: 'getHealth',
    protection: 'public',
    summary: 'Says that the process runs.',
    run: health,
  },
  {
    method: 'GET',
    path: '/api/ready',
    operationId: 'getReady',
    protection: 'public',
    summary: 'Says whether the service can do its work.',
    run: ready,
  },
  {
    method: 'GET',
    path: '/api/globals/:key',
    operationId: 'getGlobal',
    resource: 'global',
    protection: 'public',
    summary: 'Reads a global.',
    run: getGlobal,
  },
  {
    method: 'PUT',
    path: '/api/globals/:key',
    operationId: 'putGlobal',
    resource: 'global',
    protection: 'session',
    action: 'update',
    summary: 'Changes the fields of a global that the body names.',
    run: putGlobal,
  },
  {
    method: 'POST',
    path: '/api/batch',
    operationId: 'runBatch',
    protection: 'session',
    summary: 'Creates, changes and deletes entries in one transaction.',
    run: batch,
  },
  {
    method: 'GET',
    path: '/api/:collection',
    operationId: 'listEntries',
    resource: 'collection',
    protection: 'public',
    summary: 'Lists entries, one page at a time.',
    run: list,
  },
  {
    method: 'POST',
    path: '/api/:collection',
    operationId: 'createEntry',
    resource: 'collection',
    protection: 'session',
    action: 'create',
    summary: 'Creates an entry.',
    run: create,
  },
  {
    method: 'GET',
    path: '/api/:collection/:slug',
    operationId: 'getEntry',
    resource: 'collection',
    protection: 'public',
    summary: 'Reads an entry by its slug or id.',
    run: get,
  },
  {
    method: 'PUT',
    path: '/api/:collection/:id',
    operationId: 'updateEntry',
    resource: 'collection',
    protection: 'session',
    action: 'update',
    summary: 'Changes the fields of an entry that the body names.',
    run: update,
  },
  {
    method: 'PATCH',
    path: '/api/:collection/:id',
    operationId: 'patchEntry',
    resource: 'collection',
    protection: 'session',
    action: 'update',
    summary: 'Merges the body into an entry (RFC 7396).',
    run: patch,
  },
  {
    method: 'GET',
    path: '/api/:collection/:id/references',
    operationId: 'listReferences',
    resource: 'collection',
    protection: 'session',
    summary: 'Lists who refers to an entry.',
    run: references,
  },
  {
    method: 'DELETE',
    path: '/api/:collection/:id',
    operationId: 'deleteEntry',
    resource: 'collection',
    protection: 'session',
    action: 'delete',
    summary: 'Deletes an entry.',
    run: remove,
  },
]
