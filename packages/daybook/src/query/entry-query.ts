import type { CollectionModel, DocumentModel } from '../model/model.ts'
import { ParamReader, type Params } from './params.ts'

/** The most names in one `select`. */
const MAX_SELECTED = 200

const SYSTEM = ['id', 'createdAt', 'updatedAt']

/** Reads `select`: the served keys to answer with, the id always among them. */
export function readSelect(
  reader: ParamReader,
  document: DocumentModel,
  hidden: ReadonlySet<string>,
): ReadonlySet<string> | undefined {
  const names = reader.list('select')
  if (!names) return undefined
  const visible = document.fields.filter(({ key }) => !hidden.has(key)).flatMap(({ servedKeys }) => servedKeys)
  const known = new Set([...SYSTEM, ...visible])
  if (names.length > MAX_SELECTED) reader.fault('select', 'maxItems', `must have at most ${MAX_SELECTED} names`)
  const unknown = names.find((name) => !known.has(name))
  if (unknown !== undefined && unknown !== '') {
    reader.fault('select', 'unknown_field', `there is no field "${unknown.slice(0, 64)}"`)
  }
  return new Set(['id', ...names])
}

/** What one entry is asked for. */
export interface EntryQuery {
  readonly select: ReadonlySet<string> | undefined
}

const KNOWN = new Set(['select'])

/**
 * Reads the parameters of one entry.
 *
 * @throws VALIDATION_ERROR with one issue for each fault
 */
export function readEntryQuery(collection: CollectionModel, params: Params, hidden: ReadonlySet<string>): EntryQuery {
  const reader = new ParamReader(params, KNOWN)
  const select = readSelect(reader, collection, hidden)
  reader.finish()
  return { select }
}

const PAGE = new Set(['limit', 'offset'])
/** The page size of plain lists, and the most on one page. */
const PAGE_LIMITS = { usual: 20, most: 100 } as const

/**
 * Reads the parameters of a plain list.
 *
 * @throws VALIDATION_ERROR with one issue for each fault
 */
export function readPage(params: Params): { readonly limit: number; readonly offset: number } {
  const reader = new ParamReader(params, PAGE)
  const limit = Math.min(reader.count('limit') ?? PAGE_LIMITS.usual, PAGE_LIMITS.most)
  const offset = reader.count('offset') ?? 0
  reader.finish()
  return { limit, offset }
}

const NONE: ReadonlySet<string> = new Set()

/**
 * Reads the parameters of an address that takes none.
 *
 * @throws VALIDATION_ERROR when there are any
 */
export function readNothing(params: Params): void {
  new ParamReader(params, NONE).finish()
}
