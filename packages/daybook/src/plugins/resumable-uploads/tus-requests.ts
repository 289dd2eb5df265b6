import { type Locker, Server } from '@tus/server'
import { DaybookError, type ErrorCode, type PluginRequest } from '../../index.ts'
import { type SharedUploads, TusStore } from './tus-store.ts'

/** How long a request gets to store what has come, when its client begins another one, in milliseconds. */
const DRAIN_MS = 500

/** What the requests of all clients share. */
export interface TusParts extends SharedUploads {
  readonly path: string
  readonly locker: Locker
}

/**
 * Answers a request of the protocol (tus 1.0). Errors have the body of all errors.
 *
 * @throws VALIDATION_ERROR, NOT_FOUND, CONFLICT, PRECONDITION_FAILED, PAYLOAD_TOO_LARGE, NOT_IMPLEMENTED, and what storing a file throws
 */
export async function answerTus(parts: TusParts, request: PluginRequest): Promise<Response> {
  const store = new TusStore(parts, request)
  const faults: unknown[] = []
  const server = new Server({
    path: parts.path,
    datastore: store,
    maxSize: request.content.files.maxBytes,
    namingFunction: () => parts.unfinished.newId(),
    relativeLocation: true,
    locker: parts.locker,
    lockDrainTimeout: DRAIN_MS,
    onResponseError: (_request, error) => {
      faults.push(error)
      return undefined
    },
  })
  const response = await server.handleWeb(toTusRequest(request))
  if (response.status >= 400) throw toError(faults[0], response.status, await response.text())
  // Which origins may ask is the config's business, and there is no content.
  const isLeftOut = (name: string): boolean => name.startsWith('access-control-') || name === 'content-type'
  const answered = new Headers([...response.headers].filter(([name]) => !isLeftOut(name)))
  if (store.asset !== undefined) answered.set('Daybook-Asset', store.asset)
  return new Response(null, { status: response.status, headers: answered })
}

/** Reading is answered as `HEAD` is: the protocol has no answer to `GET`. */
function toTusRequest({ method, url, headers, stream }: PluginRequest): Request {
  if (!stream) return new Request(url, { method: method === 'GET' ? 'HEAD' : method, headers })
  return new Request(url, { method, headers, body: untilBroken(stream), duplex: 'half' })
}

/** A body that ends where its client breaks off: what has come until then is stored. */
function untilBroken(body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const next = await reader.read().catch(() => undefined)
      if (next?.value) controller.enqueue(next.value)
      else controller.close()
    },
    cancel: (reason) => reader.cancel(reason),
  })
}

/** The codes of what the protocol's library refuses, by its status. */
const CODES: Readonly<Record<number, ErrorCode>> = {
  400: 'VALIDATION_ERROR',
  // A header is missing.
  403: 'VALIDATION_ERROR',
  404: 'NOT_FOUND',
  409: 'CONFLICT',
  410: 'NOT_FOUND',
  412: 'PRECONDITION_FAILED',
  413: 'PAYLOAD_TOO_LARGE',
  501: 'NOT_IMPLEMENTED',
}

function toError(fault: unknown, status: number, text: string): unknown {
  if (fault instanceof Error) return fault
  const code = CODES[status] ?? 'SERVICE_UNAVAILABLE'
  const message = text.trim()
  if (code !== 'VALIDATION_ERROR') return new DaybookError(code, status < 500 ? message : undefined)
  return new DaybookError(code, undefined, { issues: [{ path: 'header', code: 'tus', message }] })
}
