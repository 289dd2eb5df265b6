import { DaybookError, NetworkError } from './errors.ts'
import { readRetryAfter } from './retry.ts'

/** The expected content of a response: by default an object; an object with a list of this name; or anything, even nothing. */
export type ResponseContent = 'items' | 'results' | 'events' | 'present' | 'anything' | undefined

const isJsonObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * Reads and checks the response of a service, and remembers the tag of a document.
 *
 * @param request method and URL, for errors
 * @throws {DaybookError} for an error, and for a response of another server
 * @throws {NetworkError} if the response is truncated
 */
export async function readResponse(request: string, response: Response, expects: ResponseContent): Promise<unknown> {
  const text = await response.text().catch((cause: unknown) => {
    throw new NetworkError(request, 'was interrupted.', cause)
  })
  const body = parseJson(text)
  if (!response.ok) throw createError(request, response, body, text)
  // A redirect turns a POST into a GET (Fetch standard), whose response could be mistaken for that of the POST.
  if (response.redirected && request.startsWith('POST '))
    throw createUnexpectedError(request, response, 'after a redirect')
  if (!isExpected(body, text, expects)) throw createUnexpectedError(request, response, describeContent(text))
  if (isJsonObject(body)) {
    rememberTag(body, response.headers.get('ETag'))
    rememberChanges(expects === 'results' ? (body.results as object) : body, response.headers)
  }
  return body
}

function isExpected(body: unknown, text: string, expects: ResponseContent): boolean {
  if (expects === 'anything') return body !== undefined || text === ''
  return isJsonObject(body) && (expects === undefined || Array.isArray(body[expects]))
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function createError(request: string, response: Response, body: unknown, text: string): DaybookError {
  const { code, message, details, requestId } = isJsonObject(body) ? body : {}
  if (typeof code !== 'string' || typeof message !== 'string')
    return createUnexpectedError(request, response, describeContent(text))
  return new DaybookError(request, {
    ...getErrorParts(response),
    code,
    message,
    details: isJsonObject(details) ? details : {},
    ...(typeof requestId === 'string' ? { requestId } : {}),
  })
}

/** Creates the error for a response that no Daybook service sends. */
function createUnexpectedError(
  request: string,
  response: Pick<Response, 'status' | 'headers'>,
  what: string,
): DaybookError {
  const message = `${request} received the response ${response.status} ${what}. Check the address, and whether the service runs.`
  return new DaybookError(request, { ...getErrorParts(response), code: 'UNEXPECTED_ANSWER', message, details: {} })
}

const getErrorParts = ({ status, headers }: Pick<Response, 'status' | 'headers'>) => ({
  status,
  requestId: headers.get('X-Request-Id') ?? '',
  retryAfter: readRetryAfter(headers.get('Retry-After')),
})

function describeContent(text: string): string {
  if (text.trim() === '') return 'without a body'
  if (/^\s*</.test(text)) return 'with HTML'
  return parseJson(text) === undefined ? 'with invalid or incomplete JSON' : 'with JSON of another kind'
}

const changesByResult = new WeakMap<object, { readonly from: number; readonly to: number }>()

/** Remembers the range of changes of a bulk write. A write without changes has no `Daybook-First-Seq`. */
function rememberChanges(result: object, headers: Pick<Headers, 'get'>): void {
  const from = Number(headers.get('Daybook-First-Seq'))
  if (from > 0) changesByResult.set(result, { from, to: Number(headers.get('Daybook-Seq')) })
}

/**
 * Returns the range of changes in the journal that a bulk write made, for `undo`.
 *
 * @param result the result of `batch`, `updateMany`, `deleteMany` or `undo`
 * @returns `undefined` if nothing has changed, and for a copy of the result
 *
 * @example
 * ```ts
 * const changes = changesOf(await client.collections.posts.updateMany({ category: { eq: 'news' } }, { category: null }))
 * if (changes) await client.undo(changes)
 * ```
 */
export const changesOf = (result: object): { readonly from: number; readonly to: number } | undefined =>
  changesByResult.get(result)

const etagsByDocument = new WeakMap<object, string>()

/**
 * Remembers the tag of a document. Proxies that compress a response mark its tag as weak (RFC 9110, section 8.8.3.3), but the
 * version is the same.
 */
export function rememberTag(document: object, tag: string | null): void {
  if (tag !== null) etagsByDocument.set(document, tag.replace(/^W\//, ''))
}

/**
 * Returns the entity tag of a document for `ifMatch`.
 *
 * @throws {TypeError} for an item of a list, a copy, and anything else without a tag, since an update would be unconditional
 *
 * @example
 * ```ts
 * const post = await client.collections.posts.findBySlug('hello')
 * if (post) await client.collections.posts.update(post.id, { title: 'Hello!' }, { ifMatch: etagOf(post) })
 * ```
 */
export function etagOf(document: object): string {
  const tag = etagsByDocument.get(document)
  if (tag !== undefined) return tag
  throw new TypeError('This document has no tag, or is a copy. Read it with findById or findBySlug.')
}
