import { ERRORS } from 'daybook'
import { expect } from 'vitest'
import { requireMatch, requireSame } from './require.ts'
import type { TestResponse } from './transports.ts'

/** A text in every hidden field and draft of the tests. No response without a session may contain it. */
export const CANARY = 'zqcanaryqz'

/** The content types of responses that are not errors. */
const CONTENT_TYPES =
  /^(?:application\/(?:json|x-ndjson)|text\/html; charset=utf-8|text\/event-stream|image\/(?:avif|webp|jpeg|png))$/
const JSON_ALONE = /^application\/json$/
/** Statuses of the HTTP parser that are not in the table of errors. */
const PARSER_STATUS: Readonly<Record<number, string>> = {
  408: 'VALIDATION_ERROR',
  414: 'VALIDATION_ERROR',
  417: 'VALIDATION_ERROR',
  431: 'VALIDATION_ERROR',
}

/** The error code of a status. */
const CODES: ReadonlyMap<number, string> = new Map([
  ...Object.entries(PARSER_STATUS).map(([status, code]) => [Number(status), code] as const),
  ...Object.entries(ERRORS).map(([code, { status }]) => [status, code] as const),
])

/** Texts that must never leave the service: stack frames, SQL, table names, paths of this machine. */
const INTERNALS: readonly RegExp[] = [
  /\n\s+at /,
  /node:internal|node_modules|file:\/\//,
  /SQLITE|better-sqlite3|no such (?:table|column)|syntax error|fts5|datatype mismatch/i,
  /\b(?:SELECT|INSERT INTO|json_extract|MATCH|bm25)\b/,
  /daybook\$|\$search|\$by\$|\$unique\$/,
  /(?:^|[\s"'(])\/(?:work|tmp|home|usr|var|root|Users)\//,
  /TypeError|RangeError|ReferenceError|SyntaxError/,
]

/** Checks the invariants of every response: security headers, request id, content type and the envelope of errors. */
export function expectSane(response: TestResponse, method = 'GET'): void {
  const { status, headers, text } = response
  requireSame(headers.get('x-content-type-options'), 'nosniff', 'nosniff')
  requireMatch(headers.get('x-request-id'), /^[\w.-]{8,64}$/, 'X-Request-Id')
  if (status === 204 || status === 304 || method === 'HEAD') requireSame(text, '', 'the body')
  else requireMatch(headers.get('content-type'), status < 400 ? CONTENT_TYPES : JSON_ALONE, 'Content-Type')
  if (status >= 400) expectErrorHeaders(response)
  if (status >= 400 && method !== 'HEAD') expectEnvelope(response)
}

function expectErrorHeaders({ status, headers }: TestResponse): void {
  requireSame(headers.get('etag'), null, 'ETag, which no error has')
  if (status === 401) requireMatch(headers.get('www-authenticate'), /^Bearer/, 'WWW-Authenticate')
  if (status === 405) requireMatch(headers.get('allow'), /^[A-Z, ]+$/, 'Allow')
  if (status === 503) requireMatch(headers.get('retry-after'), /^\d+$/, 'Retry-After')
}

/** Checks the envelope of an error: `{ code, message, details, requestId }`, without internals. */
function expectEnvelope({ status, headers, text }: TestResponse): void {
  const body = JSON.parse(text)
  requireSame(Object.keys(body).sort().join(), 'code,details,message,requestId', 'keys of an error')
  requireSame(body.code, CODES.get(status), `code of ${status}`)
  requireMatch(body.message, /\S/, 'the message')
  requireSame(isObject(body.details), true, 'details are an object')
  requireSame(body.requestId, headers.get('x-request-id'), 'the id of the request')
  const issues = body.details.issues ?? []
  for (const issue of issues) requireSame(isIssue(issue), true, `an issue: ${JSON.stringify(issue)}`)
  requireSame(issues.length <= 100, true, 'at most 100 issues')
  for (const pattern of INTERNALS) requireSame(pattern.exec(text)?.[0], undefined, `internals in ${text}`)
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** True for `{ path, code, params?, message }`: three texts, and params that are not empty. */
function isIssue(value: unknown): boolean {
  if (!isObject(value)) return false
  const { params, ...texts } = value as { readonly params?: unknown }
  const hasParams = params === undefined || (isObject(params) && Object.keys(params).length > 0)
  const areTexts = Object.values(texts).every((text) => typeof text === 'string')
  return hasParams && areTexts && Object.keys(texts).join() === 'path,code,message'
}

/** Checks that a response without a session contains no hidden content. */
export function expectNoCanary({ headers, text }: TestResponse): void {
  expect(text.toLowerCase()).not.toContain(CANARY)
  expect(JSON.stringify([...headers]).toLowerCase()).not.toContain(CANARY)
}

const unhandled: unknown[] = []
process.on('unhandledRejection', (reason) => unhandled.push(reason))

/** Checks that the process has no unhandled rejection. */
export async function expectQuietProcess(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve))
  expect(unhandled.splice(0)).toEqual([])
}
