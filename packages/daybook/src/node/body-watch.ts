import type { IncomingMessage } from 'node:http'
import type { NodeRequest } from './request.ts'

/** The least that has to arrive of a streamed body between two looks at it, in bytes. */
const STEADY_BYTES = 64 * 1024

/** Whether a request announces a body (RFC 9112, section 6.3). */
export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined

/**
 * Sees that the body of a request arrives in time: as a whole, or where the service streams it, steadily.
 *
 * @param limitMs for the whole of a body, and between two looks at one that is streamed
 * @param expire called once, when it takes too long
 */
export function watchBody(incoming: IncomingMessage, request: NodeRequest, limitMs: number, expire: () => void): void {
  const { socket } = incoming
  let seen = socket.bytesRead
  const look = (): void => {
    if (incoming.complete) return
    const isSteady = request.isStreamed && socket.bytesRead - seen >= STEADY_BYTES
    seen = socket.bytesRead
    if (isSteady) timer = setTimeout(look, limitMs).unref()
    else expire()
  }
  let timer = setTimeout(look, limitMs).unref()
  incoming.once('close', () => clearTimeout(timer))
}
