import type { DocumentModel, LocalesModel } from '../model/model.ts'
import { readShape, SHAPE_PARAMS, type Shape } from './expansion.ts'
import { readWriteLocale } from './locale.ts'
import { ParamReader, type Params } from './params.ts'
import type { QueryScope } from './where.ts'

const KNOWN = new Set(SHAPE_PARAMS)

/**
 * Reads the parameters of one entry or global.
 *
 * @throws VALIDATION_ERROR with one issue for each fault
 */
export function readEntryQuery(document: DocumentModel, params: Params, scope: QueryScope): Shape {
  const reader = new ParamReader(params, KNOWN)
  const shape = readShape(reader, document, scope)
  reader.finish()
  return shape
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

const SINCE: ReadonlySet<string> = new Set(['since'])

/**
 * Reads the number of the journal behind which changes are asked for.
 *
 * @returns `undefined` when everything is asked for
 * @throws VALIDATION_ERROR when it is no number, or there are other parameters
 */
export function readSince(params: Params): number | undefined {
  const reader = new ParamReader(params, SINCE)
  const since = reader.count('since')
  reader.finish()
  return since
}

const LOCALE: ReadonlySet<string> = new Set(['locale'])

/**
 * Reads the locale that is written, the one parameter that a write takes.
 *
 * @returns `undefined` when the config names no locales
 * @throws VALIDATION_ERROR when it is no configured locale, or there are others
 */
export function readWrite(params: Params, locales: LocalesModel | undefined): string | undefined {
  const reader = new ParamReader(params, LOCALE)
  const locale = reader.one('locale')
  reader.finish()
  return readWriteLocale(locale, locales)
}

/**
 * Reads the parameters of an address that takes none.
 *
 * @throws VALIDATION_ERROR when there are any
 */
export function readNothing(params: Params): void {
  new ParamReader(params, NONE).finish()
}
