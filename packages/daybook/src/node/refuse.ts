import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { DaybookError, type ErrorCode } from '../errors.ts'
import { errorReply, type FinishedReply, finishReply } from '../http/respond.ts'

/** The most bytes that the head of a request has. */
export const MAX_HEADER_BYTES: number = 16 * 1024

/** Refuses a request before the service sees it, and closes its connection. */
export function refuse(response: ServerResponse, status: number, code: ErrorCode, message: string): void {
  const requestId = crypto.randomUUID()
  const { json } = errorReply(new DaybookError(code, message), requestId)
  response.writeHead(status, {
    'Content-Type': 'application/json',
    'X-Content-Type-Options': 'nosniff',
    'X-Request-Id': requestId,
    Connection: 'close',
  })
  response.end(json)
}

/** The answer to a request whose address cannot be read; its connection goes on. */
export function targetRefusal(): FinishedReply {
  const requestId = crypto.randomUUID()
  const error = new DaybookError('VALIDATION_ERROR', 'The request target or the Host header is not valid.')
  return finishReply(errorReply(error, requestId), {
    'X-Request-Id': requestId,
    'X-Content-Type-Options': 'nosniff',
  })
}

/** What a request that is no HTTP gets, by the parser's error code. */
const BROKEN: Readonly<Record<string, readonly [line: string, code: ErrorCode, message: string]>> = {
  HPE_HEADER_OVERFLOW: [
    '431 Request Header Fields Too Large',
    'VALIDATION_ERROR',
    `Headers and URL have at most ${MAX_HEADER_BYTES} bytes.`,
  ],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'VALIDATION_ERROR', 'The request took too long to arrive.'],
  HPE_INVALID_METHOD: ['501 Not Implemented', 'NOT_IMPLEMENTED', 'This method is not known.'],
}

/** Answers what the parser gave up on, on the bare socket, and closes it. */
export function refuseBroken(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  const [line, code, message] = BROKEN[error.code ?? ''] ?? [
    '400 Bad Request',
    'VALIDATION_ERROR',
    'This is not valid HTTP.',
  ]
  const requestId = crypto.randomUUID()
  const { json = '' } = errorReply(new DaybookError(code as ErrorCode, message), requestId)
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
