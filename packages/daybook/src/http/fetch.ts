import { Readable } from 'node:stream'
import type { HttpRequest, RequestHandler } from './request.ts'
import { type FinishedResponse, toWebResponse } from './response.ts'

/** Facts about a request that only the code which calls `fetch` knows. */
export interface FetchOptions {
  /** The client's IP address, by which sign-ins are limited. @default unknown: all clients share one limit */
  readonly address?: string
}

/** Handles a web-standard request. Never rejects. */
export type Fetch = (request: Request, options?: FetchOptions) => Promise<Response>

export function toFetch(handle: RequestHandler): Fetch {
  return async (request, { address = null } = {}) => {
    const { promise, resolve } = Promise.withResolvers<FinishedResponse>()
    handle(new WebRequest(request, address), resolve)
    return toWebResponse(await promise, request.method)
  }
}

class WebRequest implements HttpRequest {
  readonly #request: Request
  readonly target: string
  readonly origin: string
  readonly address: string | null

  constructor(request: Request, address: string | null) {
    this.#request = request
    const path = request.url.indexOf('/', request.url.indexOf(':') + 3)
    this.origin = request.url.slice(0, path)
    this.target = request.url.slice(path)
    this.address = address
  }

  get method(): string {
    return this.#request.method
  }

  get headers(): Headers {
    return this.#request.headers
  }

  get isAborted(): boolean {
    return this.#request.signal.aborted
  }

  async readBytes(limit: number): Promise<Uint8Array | undefined> {
    // A server passes on at most `Content-Length` bytes, and reading them at once is several times as fast.
    if (this.headers.has('content-length')) {
      const bytes = new Uint8Array(await this.#request.arrayBuffer())
      return bytes.length > limit ? undefined : bytes
    }
    const chunks: Uint8Array[] = []
    let size = 0
    for await (const chunk of this.#request.body ?? []) {
      size += chunk.length
      if (size > limit) return undefined
      chunks.push(chunk)
    }
    return chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)
  }

  toStream(): Readable {
    const { body } = this.#request
    return body ? Readable.fromWeb(body) : Readable.from([])
  }

  onAbort(listener: () => void): () => void {
    const { signal } = this.#request
    signal.addEventListener('abort', listener)
    return () => signal.removeEventListener('abort', listener)
  }

  toHeaders(): Headers {
    return new Headers(this.#request.headers)
  }

  toRequest(): Request {
    return this.#request
  }
}
