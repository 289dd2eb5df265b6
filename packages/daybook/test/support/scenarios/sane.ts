import { ERRORS } from 'daybook'
import { expect } from 'vitest'
import type { Answer } from './transports.ts'

/** Stands in every hidden field and draft of the tests; no reader without a session may ever be sent it. */
export const CANARY = 'zqcanaryqz'

/** What answers are in that are no errors. */
const CONTENT_TYPES = ['application/json', 'application/x-ndjson', 'text/html; charset=utf-8']
/** Statuses that the HTTP parser answers with, beside those of contract.md, section 6. */
const PARSER_STATUS: Readonly<Record<number, string>> = {
  408: 'VALIDATION_ERROR',
  414: 'VALIDATION_ERROR',
  417: 'VALIDATION_ERROR',
  431: 'VALIDATION_ERROR',
}

/** The code that belongs to a status. */
const CODES: ReadonlyMap<number, string> = new Map([
  ...Object.entries(PARSER_STATUS).map(([status, code]) => [Number(status), code] as const),
  ...Object.entries(ERRORS).map(([code, { status }]) => [status, code] as const),
])

/** What must never leave the service: stack frames, SQL, table names, paths of this machine. */
const INTERNALS: readonly RegExp[] = [
  /\n\s+at /,
  /node:internal|node_modules|file:\/\//,
  /SQLITE|better-sqlite3|no such (?:table|column)|syntax error|fts5|datatype mismatch/i,
  /\b(?:SELECT|INSERT INTO|json_extract|MATCH|bm25)\b/,
  /daybook\$|\$search|\$by\$|\$unique\$/,
  /(?:^|[\s"'(])\/(?:work|tmp|home|usr|var|root|Users)\//,
  /TypeError|RangeError|ReferenceError|SyntaxError/,
]

/** What holds for every answer, whatever was asked (reliability.md, I2, I3, I8). */
export function expectSane(answer: Answer, method = 'GET'): void {
  const { status, headers, text } = answer
  expect(headers.get('x-content-type-options'), 'nosniff').toBe('nosniff')
  expect(headers.get('x-request-id'), 'X-Request-Id').toMatch(/^[\w.-]{8,64}$/)
  if (status === 204 || status === 304 || method === 'HEAD') expect(text).toBe('')
  else expect(status < 400 ? CONTENT_TYPES : ['application/json']).toContain(headers.get('content-type'))
  if (status >= 400) expectErrorHeaders(answer)
  if (status >= 400 && method !== 'HEAD') expectEnvelope(answer)
}

function expectErrorHeaders({ status, headers }: Answer): void {
  expect(headers.get('etag'), 'an error has no ETag').toBeNull()
  if (status === 401) expect(headers.get('www-authenticate')).toMatch(/^Bearer/)
  if (status === 405) expect(headers.get('allow')).toMatch(/^[A-Z, ]+$/)
  if (status === 503) expect(headers.get('retry-after')).toMatch(/^\d+$/)
}

/** `{ code, message, details, requestId }`, and nothing internal in it. */
function expectEnvelope({ status, headers, text }: Answer): void {
  const body = JSON.parse(text)
  expect(Object.keys(body).sort()).toEqual(['code', 'details', 'message', 'requestId'])
  expect(body.code, `code of ${status}`).toBe(CODES.get(status))
  expect(body.message).toEqual(expect.stringMatching(/\S/))
  expect(body.details).toBeTypeOf('object')
  expect(Array.isArray(body.details)).toBe(false)
  expect(body.requestId).toBe(headers.get('x-request-id'))
  for (const issue of body.details.issues ?? []) {
    expect(issue).toEqual({ path: expect.any(String), code: expect.any(String), message: expect.any(String) })
  }
  expect((body.details.issues ?? []).length).toBeLessThanOrEqual(100)
  for (const pattern of INTERNALS) expect(text).not.toMatch(pattern)
}

/** No reader without a session is sent what is hidden from them (I5). */
export function expectNoCanary({ headers, text }: Answer): void {
  expect(text.toLowerCase()).not.toContain(CANARY)
  expect(JSON.stringify([...headers]).toLowerCase()).not.toContain(CANARY)
}

const unhandled: unknown[] = []
process.on('unhandledRejection', (reason) => unhandled.push(reason))

/** The process goes on without an unhandled rejection (I1). */
export async function expectQuietProcess(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve))
  expect(unhandled.splice(0)).toEqual([])
}
