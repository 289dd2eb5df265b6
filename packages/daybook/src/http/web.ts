import type { Handle, HttpRequest } from './request.ts'
import { toResponse } from './respond.ts'

/** Answers a web-standard request. Never rejects. */
export type Fetch = (request: Request) => Promise<Response>

/** Makes the web-standard handler of a service. */
export function toFetch(handle: Handle): Fetch {
  return async (request) => toResponse(await handle(new WebRequest(request)), request.method)
}

/** A web-standard request. */
class WebRequest implements HttpRequest {
  readonly #request: Request
  readonly target: string

  constructor(request: Request) {
    this.#request = request
    this.target = request.url.slice(request.url.indexOf('/', request.url.indexOf(':') + 3))
  }

  get method(): string {
    return this.#request.method
  }

  get headers(): Headers {
    return this.#request.headers
  }

  async readBytes(limit: number): Promise<Uint8Array | undefined> {
    // A server hands over no more than the length that it was told; reading at once is several times as fast.
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

  toHeaders(): Headers {
    return this.#request.headers
  }

  toRequest(): Request {
    return this.#request
  }
}
