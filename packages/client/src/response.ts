import { DaybookError, NetworkError } from './errors.ts'
import { readRetryAfter } from './retry.ts'

/** The content of an answer: an object by default; one with a list of this name; or anything, also nothing. */
export type ResponseContent = 'items' | 'results' | 'events' | 'present' | 'anything' | undefined

const isJsonObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * What a service answered; documents remember their tag.
 *
 * @param request method and address, for errors
 * @throws {DaybookError} when it is no success, or no answer of a Daybook service
 * @throws {NetworkError} when it ends too early
 */
export async function readResponse(request: string, response: Response, holds: ResponseContent): Promise<unknown> {
  const text = await response.text().catch((cause: unknown) => {
    throw new NetworkError(request, 'was cut off in the middle of its answer', cause)
  })
  const body = parseAnswer(text)
  if (!response.ok) throw errorOfAnswer(request, response, body, text)
  // A redirect turns a POST into a GET (Fetch standard), whose answer would pass for that of the POST.
  if (response.redirected && request.startsWith('POST ')) throw unexpected(request, response, 'after a redirect')
  if (!isHeld(body, text, holds)) throw unexpected(request, response, describeAnswer(text))
  if (isJsonObject(body)) {
    rememberTag(body, response.headers.get('ETag'))
    rememberChanges(holds === 'results' ? (body.results as object) : body, response.headers)
  }
  return body
}

function isHeld(body: unknown, text: string, holds: ResponseContent): boolean {
  if (holds === 'anything') return body !== undefined || text === ''
  return isJsonObject(body) && (holds === undefined || Array.isArray(body[holds]))
}

function parseAnswer(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function errorOfAnswer(request: string, response: Response, body: unknown, text: string): DaybookError {
  const { code, message, details, requestId } = isJsonObject(body) ? body : {}
  if (typeof code !== 'string' || typeof message !== 'string')
    return unexpected(request, response, describeAnswer(text))
  return new DaybookError(request, {
    ...common(response),
    code,
    message,
    details: isJsonObject(details) ? details : {},
    ...(typeof requestId === 'string' ? { requestId } : {}),
  })
}

/** An answer that no Daybook service gives. */
function unexpected(request: string, response: Pick<Response, 'status' | 'headers'>, what: string): DaybookError {
  const message = `${request} answered ${response.status} ${what}: is this the address of a Daybook service, and is it up?`
  return new DaybookError(request, { ...common(response), code: 'UNEXPECTED_ANSWER', message, details: {} })
}

const common = ({ status, headers }: Pick<Response, 'status' | 'headers'>) => ({
  status,
  requestId: headers.get('X-Request-Id') ?? '',
  retryAfter: readRetryAfter(headers.get('Retry-After')),
})

function describeAnswer(text: string): string {
  if (text.trim() === '') return 'without a body'
  if (/^\s*</.test(text)) return 'with HTML'
  return parseAnswer(text) === undefined ? 'with what is no JSON, or not all of it' : 'with JSON of another kind'
}

const changesOfAnswers = new WeakMap<object, { readonly from: number; readonly to: number }>()

/** Remembers which changes a write of many documents made. One that changed nothing answers an older number, and no first one. */
function rememberChanges(answer: object, headers: Pick<Headers, 'get'>): void {
  const from = Number(headers.get('Daybook-First-Seq'))
  if (from > 0) changesOfAnswers.set(answer, { from, to: Number(headers.get('Daybook-Seq')) })
}

/**
 * The changes that a write of many documents made, by their numbers in the journal: what `undo` takes back.
 *
 * @param answer what `batch`, `updateMany`, `deleteMany` or `undo` gave
 * @returns `undefined` when nothing has changed, and for a copy of an answer
 *
 * @example
 * ```ts
 * const changes = changesOf(await client.collections.posts.updateMany({ category: { eq: 'news' } }, { category: null }))
 * if (changes) await client.undo(changes)
 * ```
 */
export const changesOf = (answer: object): { readonly from: number; readonly to: number } | undefined =>
  changesOfAnswers.get(answer)

const etagsOfDocuments = new WeakMap<object, string>()

/**
 * Remembers the tag that a document came with. Proxies that compress an answer mark its tag as weak (RFC 9110, section
 * 8.8.3.3); the version that it names is the same.
 */
export function rememberTag(document: object, tag: string | null): void {
  if (tag !== null) etagsOfDocuments.set(document, tag.replace(/^W\//, ''))
}

/**
 * The entity tag that a document came with, for `ifMatch`.
 *
 * @throws {TypeError} for an item of a list, for a copy, and for anything else that did not come by itself: without a tag a
 * change would be made on no condition at all
 *
 * @example
 * ```ts
 * const post = await client.collections.posts.findBySlug('hello')
 * if (post) await client.collections.posts.update(post.id, { title: 'Hello!' }, { ifMatch: etagOf(post) })
 * ```
 */
export function etagOf(document: object): string {
  const tag = etagsOfDocuments.get(document)
  if (tag !== undefined) return tag
  throw new TypeError('This document came without a tag, or is a copy. Read it by itself, with findById or findBySlug.')
}
