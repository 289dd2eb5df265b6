import http, { type IncomingMessage } from 'node:http'
import https from 'node:https'
import { setTimeout as sleep } from 'node:timers/promises'
import type { RequestFilteringHttpAgent, RequestFilteringHttpsAgent } from 'request-filtering-agent'
import { DeliveryError } from '../../index.ts'

/** How much of an answer's body is read, in bytes; it is never kept. */
const MAX_BODY = 16 * 1024
/** How long the rest of an answer is waited for once its status is known, in milliseconds. */
const BODY_MS = 1000
const MAX_HEAD = 16 * 1024

/** One request to a receiver. */
export interface WebhookRequest {
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Connections that lead to addresses which were checked when the name was looked up, and to no others. */
export type FilteringAgent = RequestFilteringHttpAgent | RequestFilteringHttpsAgent

/**
 * Sends a message; resolves when the receiver has taken it: with a status of 2xx. Redirects are not followed.
 *
 * @param signal gives it up
 * @throws {DeliveryError} with the reason, which says nothing that the receiver wrote
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
  request.on('error', (error) => reject(new DeliveryError(reasonOf(error))))
  // Such as after an answer that switches protocols.
  request.on('close', () => reject(new DeliveryError('The receiver could not be reached: it closed the connection.')))
  request.end(body)
  const answer = await promise
  await drop(answer)
  const fault = statusFault(answer.statusCode ?? 0)
  if (fault) throw new DeliveryError(fault)
}

function statusFault(status: number): string | undefined {
  if (status >= 200 && status < 300) return undefined
  const isRedirect = status >= 300 && status < 400
  return `The receiver answered ${status}.${isRedirect ? ' Redirects are not followed; write the final address.' : ''}`
}

/** A reason in the words of the system; of an error that has no code, the agent has refused the address. */
function reasonOf(error: NodeJS.ErrnoException): string {
  if (error.name === 'AbortError') return 'The receiver did not answer in time.'
  if (error.code !== undefined) return `The receiver could not be reached: ${error.code}.`
  return 'The address is private, loopback or link-local; allowPrivate allows it.'
}

/** Reads an answer to its end, so that its connection can be used again; too long an answer ends the connection. */
async function drop(answer: IncomingMessage): Promise<void> {
  const { promise: ended, resolve } = Promise.withResolvers<void>()
  let bytes = 0
  answer.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > MAX_BODY) resolve()
  })
  // An answer that breaks off has its status all the same.
  answer.on('error', () => resolve())
  answer.on('close', () => resolve())
  const waiting = new AbortController()
  await Promise.race([ended, sleep(BODY_MS, undefined, { signal: waiting.signal, ref: false }).catch(() => {})])
  waiting.abort()
  if (!answer.complete) answer.destroy()
}
