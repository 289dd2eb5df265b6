import type { CorsConfig } from '../config/config.ts'
import type { Route } from './contract.ts'
import { corsHeaders } from './cors.ts'
import type { HttpRequest } from './request.ts'

const REQUEST_ID = /^[\w.-]{8,64}$/

/** The state of one request, from its first step to its last. Many may wait: what its answer needs is made with the answer. */
export class RequestScope {
  /** In milliseconds, as `performance.now()` has it. */
  readonly startedAt: number = performance.now()
  /** Once it is known. */
  route: Route | undefined
  readonly #request: HttpRequest
  readonly #cors: CorsConfig | undefined
  #requestId: string | undefined

  constructor(request: HttpRequest, cors: CorsConfig | undefined) {
    this.#request = request
    this.#cors = cors
  }

  get requestId(): string {
    this.#requestId ??= givenId(this.#request) ?? crypto.randomUUID()
    return this.#requestId
  }

  /** Headers that every answer to it carries. */
  get headers(): Readonly<Record<string, string>> {
    const common = { 'X-Request-Id': this.requestId, 'X-Content-Type-Options': 'nosniff' }
    return this.#cors ? { ...common, ...corsHeaders(this.#cors, this.#request.headers.get('origin')) } : common
  }
}

function givenId({ headers }: HttpRequest): string | undefined {
  const given = headers.get('x-request-id')
  return given !== null && REQUEST_ID.test(given) ? given : undefined
}
