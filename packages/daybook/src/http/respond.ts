import { DaybookError, ERRORS } from '../errors.ts'

/** What a route answers, before it becomes a Response. */
export interface Reply {
  readonly status: number
  /** JSON text. */
  readonly json?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** Seconds after which a client may try again. */
const RETRY_AFTER = '1'

const FINISHING_HEADERS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  UNAUTHORIZED: { 'WWW-Authenticate': 'Bearer realm="daybook"' },
  SERVICE_UNAVAILABLE: { 'Retry-After': RETRY_AFTER },
  RATE_LIMITED: { 'Retry-After': RETRY_AFTER },
}

/** The Response of a reply; the only place that makes one. */
export function toResponse({ status, json, headers }: Reply, common: Record<string, string>): Response {
  const all = headers ? Object.assign(common, headers) : common
  if (json === undefined) return new Response(null, { status, headers: all })
  all['Content-Type'] = 'application/json'
  return new Response(json, { status, headers: all })
}

/** The reply of an error; of one that was not thrown on purpose, nothing but that it happened. */
export function errorReply(error: unknown, requestId: string): Reply {
  const known = error instanceof DaybookError ? error : new DaybookError('INTERNAL_ERROR')
  const { code, message, details } = known
  return {
    status: ERRORS[code].status,
    json: JSON.stringify({ code, message, details, requestId }),
    headers: { 'Cache-Control': 'no-store', ...FINISHING_HEADERS[code] },
  }
}
