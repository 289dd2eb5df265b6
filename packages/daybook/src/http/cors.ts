import type { AuthContext } from '../auth/adapter.ts'
import type { CorsConfig } from '../config/config.ts'
import { DaybookError } from '../errors.ts'

/** The methods for pages of allowed origins. */
const ALLOWED_METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE'
/** The request and response headers for pages; the second lines are those of files and resumable uploads (tus 1.0). */
const REQUEST_HEADERS =
  'Authorization, Content-Type, Daybook-Min-Seq, Daybook-Preview, If-Match, If-None-Match, Idempotency-Key, X-Request-Id, ' +
  'If-Range, Range, Tus-Resumable, Upload-Length, Upload-Metadata, Upload-Offset'
const EXPOSED_HEADERS =
  'ETag, Location, Daybook-Seq, Daybook-First-Seq, X-Request-Id, Retry-After, ' +
  'Accept-Ranges, Content-Range, Daybook-Asset, Tus-Resumable, Upload-Expires, Upload-Length, Upload-Offset'
/** The time for which browsers may cache a preflight response, in seconds. */
const MAX_AGE = '600'

/** Builds the headers for a page of another origin (Fetch standard); empty if the origin is not allowed. */
export function buildCorsHeaders(config: CorsConfig | undefined, origin: string | null): Record<string, string> {
  if (!config || origin === null || !config.origins.includes(origin)) return {}
  return {
    'Access-Control-Allow-Origin': origin,
    'Access-Control-Expose-Headers': EXPOSED_HEADERS,
    ...(config.credentials ? { 'Access-Control-Allow-Credentials': 'true' } : {}),
  }
}

export function buildPreflightHeaders(config: CorsConfig | undefined, origin: string | null): Record<string, string> {
  const corsHeaders = buildCorsHeaders(config, origin)
  if (Object.keys(corsHeaders).length === 0) return {}
  return {
    ...corsHeaders,
    'Access-Control-Allow-Methods': ALLOWED_METHODS,
    'Access-Control-Allow-Headers': REQUEST_HEADERS,
    'Access-Control-Max-Age': MAX_AGE,
  }
}

const REJECTION =
  "A page of another origin is not allowed to send this request with the browser's cookies. Add its origin to cors.origins."

/**
 * Rejects a request that a page of another origin makes a browser send, since browsers add cookies to it. Programs send
 * neither `Origin` nor `Sec-Fetch-Site` (Fetch Metadata), and are accepted.
 *
 * @throws FORBIDDEN
 */
export function requireSameOrigin({ headers, origin: serviceOrigin }: AuthContext, cors: CorsConfig | undefined): void {
  const origin = headers.get('origin')
  if (origin === null) {
    const site = headers.get('sec-fetch-site') ?? 'none'
    if (site !== 'same-origin' && site !== 'none') throw new DaybookError('FORBIDDEN', REJECTION)
    return
  }
  const isAllowed = cors?.credentials === true && cors.origins.includes(origin)
  // A proxy may terminate TLS without the service knowing, so schemes are not compared.
  if (!isAllowed && getHost(origin) !== getHost(serviceOrigin)) throw new DaybookError('FORBIDDEN', REJECTION)
}

/** `null`, the origin of sandboxed pages, has no host. */
const getHost = (origin: string): string | undefined => URL.parse(origin)?.host
