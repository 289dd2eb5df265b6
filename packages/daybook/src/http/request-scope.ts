import type { CorsConfig } from '../config/config.ts'
import type { Route } from './contract.ts'
import { corsHeaders } from './cors.ts'
import type { HttpRequest } from './request.ts'

const REQUEST_ID = /^[\w.-]{8,64}$/

/** The state of a request. Many requests may wait, so the parts of a response are made with the response. */
export class RequestScope {
  /** The time of its arrival, as `performance.now()` has it. */
  readonly startedAt: number = performance.now()
  /** `undefined` until the router has found it, and if there is none. */
  route: Route | undefined
  readonly #request: HttpRequest
  readonly #cors: CorsConfig | undefined
  #requestId: string | undefined

  constructor(request: HttpRequest, cors: CorsConfig | undefined) {
    this.#request = request
    this.#cors = cors
  }

  get requestId(): string {
    this.#requestId ??= clientRequestId(this.#request) ?? crypto.randomUUID()
    return this.#requestId
  }

  /** The headers of every response. */
  get headers(): Readonly<Record<string, string>> {
    const common = { 'X-Request-Id': this.requestId, 'X-Content-Type-Options': 'nosniff' }
    return this.#cors ? { ...common, ...corsHeaders(this.#cors, this.#request.headers.get('origin')) } : common
  }
}

/** The id that the client sent, if it is usable. */
function clientRequestId({ headers }: HttpRequest): string | undefined {
  const id = headers.get('x-request-id')
  return id !== null && REQUEST_ID.test(id) ? id : undefined
}
