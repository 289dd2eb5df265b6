import type { IncomingMessage, ServerResponse } from 'node:http'
import { pipeline, Readable } from 'node:stream'
import type { Handle } from '../http/request.ts'
import type { FinishedReply } from '../http/respond.ts'
import { refuse, targetRefusal } from './refuse.ts'
import { NodeRequest } from './request.ts'
import { readTarget } from './target.ts'

const MAX_HEADERS = 200
/** How long the rest of a body that nobody wants may take to arrive, in milliseconds. */
const UNREAD_BODY_MS = 500

type Listener = (incoming: IncomingMessage, response: ServerResponse) => void

/** Makes what answers a `request` event of Node's HTTP server. */
export function toListener(handle: Handle, state: { readonly isStopping: boolean }): Listener {
  return (incoming, response) => {
    if (state.isStopping) response.setHeader('Connection', 'close')
    if (incoming.rawHeaders.length > MAX_HEADERS * 2) {
      return refuse(response, 431, 'VALIDATION_ERROR', `A request has at most ${MAX_HEADERS} headers.`)
    }
    // RFC 9112, section 3.2; Node's own answer would lack our envelope.
    if (incoming.httpVersion === '1.1' && incoming.headers.host === undefined) {
      return refuse(response, 400, 'VALIDATION_ERROR', 'A request needs a Host header.')
    }
    void answer(handle, incoming, response)
  }
}

async function answer(handle: Handle, incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  const target = readTarget(incoming)
  try {
    send(response, target === undefined ? targetRefusal() : await handle(new NodeRequest(incoming, target)))
    if (!incoming.complete) boundRest(incoming)
  } catch {
    // A log that fails, or a header that cannot be sent. Without an answer the client learns as much.
    response.destroy()
  }
}

/** Sends head and content at once, so that they leave in one segment. Node leaves the content of HEAD out. */
function send(response: ServerResponse, { status, headers, json, content, cookies }: FinishedReply): void {
  if (cookies?.length) response.setHeader('Set-Cookie', cookies)
  if (content) stream(response.writeHead(status, headers), content)
  else if (json === undefined) response.writeHead(status, headers).end()
  else response.writeHead(status, { ...headers, 'Content-Length': Buffer.byteLength(json) }).end(json)
}

/** Sends content as it comes. When it breaks off, so does the answer: the client must not take a part for the whole. */
function stream(response: ServerResponse, content: ReadableStream<Uint8Array>): void {
  if (response.req.method === 'HEAD') {
    response.end()
    void content.cancel()
    return
  }
  pipeline(Readable.fromWeb(content), response, () => {})
}

/**
 * Node lets go of what comes of a body after its answer, so that the connection can be used again. Clients that send
 * on and on are hung up on.
 */
function boundRest(incoming: IncomingMessage): void {
  const timer = setTimeout(() => incoming.socket.destroySoon(), UNREAD_BODY_MS).unref()
  incoming.once('end', () => clearTimeout(timer))
}
