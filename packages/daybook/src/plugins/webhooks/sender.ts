import http, { type IncomingMessage } from 'node:http'
import https from 'node:https'
import type { RequestFilteringHttpAgent, RequestFilteringHttpsAgent } from 'request-filtering-agent'
import { DeliveryError } from '../../index.ts'

/** The longest head of a response, in bytes. */
const MAX_HEAD = 16 * 1024
/** The longest body of a response that is read to keep the connection, in bytes. */
const MAX_BODY = 16 * 1024
/** The maximum wait for the body of a response, in milliseconds. */
const BODY_MS = 1000

export interface WebhookRequest {
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** An agent that connects only to IP addresses which it has checked. */
export type FilteringAgent = RequestFilteringHttpAgent | RequestFilteringHttpsAgent

/**
 * Sends a message; resolves when the receiver responds with a status of 2xx. Redirects are not followed.
 *
 * @param signal aborts the request
 * @throws {DeliveryError} with the reason, which contains nothing that the receiver wrote
 */
export async function sendMessage(
  { url, headers, body }: WebhookRequest,
  agent: FilteringAgent,
  signal: AbortSignal,
): Promise<void> {
  const { request: open } = url.protocol === 'https:' ? https : http
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const length = String(Buffer.byteLength(body))
  const request = open(url, {
    method: 'POST',
    agent,
    signal,
    maxHeaderSize: MAX_HEAD,
    headers: { ...headers, 'Content-Type': 'application/json', 'Content-Length': length },
  })
  request.on('response', resolve)
  request.on('error', (error) => reject(new DeliveryError(describeError(error))))
  // A receiver that switches protocols causes neither a response nor an error.
  request.on('close', () => reject(new DeliveryError('The receiver could not be reached: it closed the connection.')))
  request.end(body)
  const response = await promise
  await discardBody(response)
  const { statusCode: status = 0 } = response
  if (status >= 200 && status < 300) return
  const advice = status >= 300 && status < 400 ? ' Redirects are not followed; write the final address.' : ''
  throw new DeliveryError(`The receiver responded with ${status}.${advice}`)
}

/** Describes an error of the request. An error without a code comes from the agent, which has refused the address. */
function describeError(error: NodeJS.ErrnoException): string {
  if (error.name === 'AbortError') return 'The receiver did not respond in time.'
  if (error.code !== undefined) return `The receiver could not be reached: ${error.code}.`
  return 'The address is private, loopback or link-local; allowPrivate allows it.'
}

/** Reads a body to its end, so that the connection can be used again. Closes the connection if the body is too long or slow. */
async function discardBody(response: IncomingMessage): Promise<void> {
  const { promise: ended, resolve } = Promise.withResolvers<void>()
  let bytes = 0
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > MAX_BODY) resolve()
  })
  // The status of a response that breaks off counts.
  response.on('error', () => resolve())
  response.on('close', () => resolve())
  const timer = setTimeout(resolve, BODY_MS)
  await ended
  clearTimeout(timer)
  if (!response.complete) response.destroy()
}
