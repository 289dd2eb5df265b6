import { METHODS, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { DaybookError, type ErrorCode } from '../errors.ts'
import { buildErrorResponse, type FinishedResponse, finishResponse } from '../http/response.ts'

export const MAX_HEADER_BYTES: number = 16 * 1024

/** Rejects a request before the service gets it, and closes its connection. */
export function rejectRequest(response: ServerResponse, status: number, code: ErrorCode, message: string): void {
  const requestId = crypto.randomUUID()
  const { json } = buildErrorResponse(new DaybookError(code, message), requestId)
  response.writeHead(status, {
    'Content-Type': 'application/json',
    'X-Content-Type-Options': 'nosniff',
    'X-Request-Id': requestId,
    Connection: 'close',
  })
  response.end(json)
}

/** Builds the response to a request with an invalid target; its connection stays open. */
export function buildTargetRejection(): FinishedResponse {
  const requestId = crypto.randomUUID()
  const error = new DaybookError('VALIDATION_ERROR', 'The request target or the Host header is not valid.')
  return finishResponse(buildErrorResponse(error, requestId), {
    'X-Request-Id': requestId,
    'X-Content-Type-Options': 'nosniff',
  })
}

/** The responses to malformed HTTP, by the parser's error code. */
const MALFORMED: Readonly<Record<string, readonly [line: string, code: ErrorCode, message: string]>> = {
  HPE_HEADER_OVERFLOW: [
    '431 Request Header Fields Too Large',
    'VALIDATION_ERROR',
    `Headers and URL must have at most ${MAX_HEADER_BYTES} bytes together.`,
  ],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'VALIDATION_ERROR', 'The request took too long to arrive.'],
}
const INVALID = ['400 Bad Request', 'VALIDATION_ERROR', 'The request is not valid HTTP.'] as const
const UNKNOWN_METHOD = ['501 Not Implemented', 'NOT_IMPLEMENTED', 'This method is unknown.'] as const

/** A request line (RFC 9112, section 3) with a method of reasonable length. */
const REQUEST_LINE = /^([\w!#$%&'*+.^`|~-]{1,64}) [\x21-\x7e]+ HTTP\/1\.[01]$/

/** The parser's error about a malformed request, with the bytes that it was reading. */
interface ParserError extends NodeJS.ErrnoException {
  readonly bytesParsed?: number
  readonly rawPacket?: Buffer
}

/** True for a well-formed request line with a method that the parser does not know. */
function isUnknownMethod({ rawPacket, bytesParsed = 0 }: ParserError): boolean {
  if (!rawPacket) return false
  const start = bytesParsed === 0 ? 0 : rawPacket.lastIndexOf('\n', bytesParsed - 1) + 1
  const end = rawPacket.indexOf('\r\n', bytesParsed)
  const method = REQUEST_LINE.exec(rawPacket.toString('latin1', start, Math.max(start, end)))?.[1]
  return method !== undefined && !METHODS.includes(method)
}

/** Rejects malformed HTTP on the bare socket, and closes it. */
export function rejectMalformed(error: ParserError, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  const [line, code, message] = MALFORMED[error.code ?? ''] ?? (isUnknownMethod(error) ? UNKNOWN_METHOD : INVALID)
  const requestId = crypto.randomUUID()
  const { json = '' } = buildErrorResponse(new DaybookError(code, message), requestId)
  const headers = [
    `HTTP/1.1 ${line}`,
    'Content-Type: application/json',
    'X-Content-Type-Options: nosniff',
    `X-Request-Id: ${requestId}`,
    `Content-Length: ${Buffer.byteLength(json)}`,
    'Connection: close',
  ]
  socket.end(`${headers.join('\r\n')}\r\n\r\n${json}`)
}
