import { hash } from 'node:crypto'
import { isStorableText, UNSTORABLE } from '../fields/stored-text.ts'
import type { CollectionModel, Comparable } from '../model/model.ts'
import { type CursorPosition, decodeCursor } from './cursor.ts'
import { readShape, SHAPE_PARAMS, type Shape } from './expansion.ts'
import { ParamReader, type Params } from './params.ts'
import { type Condition, isWhereParam, type QueryScope, readWhere } from './where.ts'

/** The page size of a request that names none. */
export const DEFAULT_LIMIT = 20
/** The longest `q`, in characters. */
export const MAX_SEARCH_LENGTH = 256
/** The most keys of one sort order. */
export const MAX_SORT_KEYS = 5

/** One key of a sort order. */
export interface SortBy {
  readonly by: Comparable
  readonly descending: boolean
}

/** A list request, checked against the model. */
export interface ListQuery {
  readonly limit: number
  readonly offset: number
  /** Always ends with the id, so that no two entries are equal. Empty: by relevance. */
  readonly sort: readonly SortBy[]
  readonly q: string | undefined
  /** The statuses asked for; `undefined`: any that the reader may see. */
  readonly statuses: readonly string[] | undefined
  /** What of each entry is answered. */
  readonly shape: Shape
  /** What entries must hold. */
  readonly where: Condition | undefined
  /** Where the page before ended. */
  readonly after: CursorPosition | undefined
  /** Names what is listed, whatever page of it: cursors hold it. */
  readonly fingerprint: string
}

const KNOWN = ['limit', 'offset', 'cursor', 'sort', 'q', 'status', ...SHAPE_PARAMS]

const TAKEN = [...KNOWN, 'where[field][operator]']

/**
 * Reads the parameters of a list.
 *
 * @param scope what the reader may ask about; fields outside of it answer as unknown ones do
 * @throws VALIDATION_ERROR with one issue for each fault
 */
export function readListQuery(collection: CollectionModel, params: Params, scope: QueryScope): ListQuery {
  const hidden = scope.hidden(collection)
  const filters = [...params.keys()].filter(isWhereParam)
  const reader = new ParamReader(params, new Set([...KNOWN, ...filters]), TAKEN)
  const where = readWhere(reader, params, collection, scope)
  const q = readSearch(reader)
  const statuses = readStatuses(reader, collection)
  const sort = readSort(reader, collection, hidden, q !== undefined)
  const order = sort.map(({ by, descending }) => `${descending ? '-' : ''}${by.path}`)
  const fingerprint = hash(
    'sha256',
    JSON.stringify([collection.table, order, q, statuses, filters.map((name) => [name, params.get(name)])]),
    'base64url',
  ).slice(0, 12)
  const query: ListQuery = {
    limit: Math.min(reader.count('limit') ?? Math.min(DEFAULT_LIMIT, collection.maxLimit), collection.maxLimit),
    offset: reader.count('offset') ?? 0,
    sort,
    q,
    statuses,
    shape: readShape(reader, collection, scope),
    where,
    after: readCursor(reader, params, fingerprint, sort),
    fingerprint,
  }
  reader.finish()
  return Object.freeze(query)
}

function readSearch(reader: ParamReader): string | undefined {
  const q = reader.one('q')
  if (q !== undefined && q.length > MAX_SEARCH_LENGTH) {
    reader.fault('q', 'maxLength', `must have at most ${MAX_SEARCH_LENGTH} characters`)
  }
  if (q !== undefined && !isStorableText(q)) reader.fault('q', 'character', UNSTORABLE)
  return q === undefined || q.trim() === '' ? undefined : q
}

function readStatuses(reader: ParamReader, { status }: CollectionModel): readonly string[] | undefined {
  const statuses = reader.list('status')
  if (!statuses) return undefined
  if (!status) reader.fault('status', 'unknown_param', 'this collection has no status')
  for (const one of statuses) {
    if (status && !status.values.includes(one)) {
      reader.fault('status', 'enum', `must be one of: ${status.values.join(', ')}`)
      break
    }
  }
  return [...new Set(statuses)].sort()
}

function readSort(
  reader: ParamReader,
  { comparables }: CollectionModel,
  hidden: ReadonlySet<string>,
  isSearch: boolean,
): readonly SortBy[] {
  const names = reader.list('sort')
  if (!names && isSearch) return []
  const keys: SortBy[] = []
  for (const name of names ?? ['-createdAt']) {
    const path = name.replace(/^-/, '')
    const by = comparables.get(path)
    if (!by || hidden.has(by.owner)) reader.fault('sort', 'unknown_field', `cannot sort by "${path.slice(0, 64)}"`)
    else if (keys.some((key) => key.by === by)) reader.fault('sort', 'repeated', `names "${path}" twice`)
    else keys.push({ by, descending: name.startsWith('-') })
  }
  if (keys.length > MAX_SORT_KEYS) reader.fault('sort', 'maxItems', `must have at most ${MAX_SORT_KEYS} keys`)
  return withTieBreak(keys, comparables)
}

/**
 * Ends a sort order with the id, in the direction of its last key, so that an index serves both. An id begins with the
 * millisecond of `createdAt`: order of creation is order of ids, and every index that ends with the id serves it.
 */
function withTieBreak(keys: readonly SortBy[], comparables: CollectionModel['comparables']): readonly SortBy[] {
  const id = comparables.get('id') as Comparable
  const last = keys.at(-1)
  if (!last || keys.some(({ by }) => by === id)) return keys
  const ending = { by: id, descending: last.descending }
  return keys.length === 1 && last.by.column === 'created_at' ? [ending] : [...keys, ending]
}

function readCursor(
  reader: ParamReader,
  params: Params,
  fingerprint: string,
  sort: readonly SortBy[],
): ListQuery['after'] {
  const text = reader.one('cursor')
  if (text === undefined) return undefined
  if (params.has('offset'))
    reader.fault('cursor', 'exclusive', 'leave offset out: a cursor already says where to go on')
  const keys = sort.map(({ by }) => by)
  const position = decodeCursor(text, fingerprint, keys)
  if (typeof position !== 'string') return position
  reader.fault('cursor', 'cursor', position)
  return undefined
}
