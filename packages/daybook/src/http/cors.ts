import type { CorsConfig } from '../config/config.ts'

/** Methods that a page of an allowed origin may use. */
const ALLOWED_METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE'
/** Headers that a page may send and read; the second lines are those of files and of resumable uploads (tus 1.0). */
const REQUEST_HEADERS =
  'Authorization, Content-Type, Daybook-Min-Seq, Daybook-Preview, If-Match, If-None-Match, Idempotency-Key, X-Request-Id, ' +
  'If-Range, Range, Tus-Resumable, Upload-Length, Upload-Metadata, Upload-Offset'
const EXPOSED_HEADERS =
  'ETag, Location, Daybook-Seq, Daybook-First-Seq, X-Request-Id, Retry-After, ' +
  'Accept-Ranges, Content-Range, Daybook-Asset, Tus-Resumable, Upload-Expires, Upload-Length, Upload-Offset'
/** How long a browser may keep a preflight's answer, in seconds. */
const MAX_AGE = '600'

/** Headers for a page of another origin (Fetch standard); none when the origin is not allowed. */
export function corsHeaders(config: CorsConfig | undefined, origin: string | null): Record<string, string> {
  if (!config || origin === null || !config.origins.includes(origin)) return {}
  return {
    'Access-Control-Allow-Origin': origin,
    'Access-Control-Expose-Headers': EXPOSED_HEADERS,
    ...(config.credentials ? { 'Access-Control-Allow-Credentials': 'true' } : {}),
  }
}

/** Headers of the answer to a preflight. */
export function preflightHeaders(config: CorsConfig | undefined, origin: string | null): Record<string, string> {
  const allowed = corsHeaders(config, origin)
  if (Object.keys(allowed).length === 0) return {}
  return {
    ...allowed,
    'Access-Control-Allow-Methods': ALLOWED_METHODS,
    'Access-Control-Allow-Headers': REQUEST_HEADERS,
    'Access-Control-Max-Age': MAX_AGE,
  }
}
