import { DaybookError, ERRORS } from '../errors.ts'

/** What a route answers. */
export interface Reply {
  readonly status: number
  /** JSON text. */
  readonly json?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** A reply with all its headers, as it is sent but for those that depend on the connection. */
export interface FinishedReply extends Reply {
  readonly headers: Readonly<Record<string, string>>
}

/** Seconds after which a client may try again. */
const RETRY_AFTER = '1'

const FINISHING_HEADERS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  UNAUTHORIZED: { 'WWW-Authenticate': 'Bearer realm="daybook"' },
  SERVICE_UNAVAILABLE: { 'Retry-After': RETRY_AFTER },
  RATE_LIMITED: { 'Retry-After': RETRY_AFTER },
}

/** Adds to a reply what every answer carries. */
export function finishReply({ status, json, headers }: Reply, common: Readonly<Record<string, string>>): FinishedReply {
  const all: Record<string, string> = { ...common, ...headers }
  if (json === undefined) return { status, headers: all }
  all['Content-Type'] = 'application/json'
  return { status, headers: all, json }
}

/** The Response of a reply; the only place that makes one. */
export function toResponse({ status, json, headers }: FinishedReply, method: string): Response {
  return new Response(method === 'HEAD' || json === undefined ? null : json, { status, headers })
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
