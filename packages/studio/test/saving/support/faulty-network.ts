export type Fault =
  /** The request never reaches the service. */
  | { readonly kind: 'request-lost' }
  /** The service executes the request, but the response is lost. */
  | { readonly kind: 'answer-lost' }
  /** A gateway responds instead of the service. */
  | { readonly kind: 'answered'; readonly status: number; readonly code: string; readonly retryAfter?: number }
  /** A proxy responds with an HTML page. */
  | { readonly kind: 'page'; readonly status: number }
  /** The request is delayed until the promise resolves. */
  | { readonly kind: 'held'; readonly until: Promise<void> }

type Send = (request: Request) => Promise<Response>

/** The network between one editor and the service. */
export class FaultyNetwork {
  readonly #send: Send
  readonly #faults: { readonly fault: Fault; readonly method: string | undefined }[] = []
  /** Methods and paths of the requests, in order. */
  readonly requests: string[] = []
  /** Bodies of the writes, in order. */
  readonly bodies: unknown[] = []
  isOffline = false

  constructor(send: Send) {
    this.#send = send
  }

  /** Sets the fate of the next request, or of the next one with a method. */
  next(fault: Fault, method?: string): void {
    this.#faults.push({ fault, method })
  }

  heal(): void {
    this.#faults.length = 0
    this.isOffline = false
  }

  /** Delays the next request. @returns a function that releases it */
  hold(method?: string): () => void {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.next({ kind: 'held', until: promise }, method)
    return resolve
  }

  readonly fetch = async (url: string, init: RequestInit): Promise<Response> => {
    const method = init.method ?? 'GET'
    this.requests.push(`${method} ${new URL(url).pathname}`)
    if (typeof init.body === 'string') this.bodies.push(JSON.parse(init.body))
    if (this.isOffline) throw new TypeError('The network is gone.')
    const index = this.#faults.findIndex((fault) => fault.method === undefined || fault.method === method)
    const [next] = index < 0 ? [] : this.#faults.splice(index, 1)
    const forward = (): Promise<Response> => this.#send(new Request(url, { ...init, signal: null }))
    return next ? this.#apply(next.fault, forward) : forward()
  }

  async #apply(fault: Fault, forward: () => Promise<Response>): Promise<Response> {
    if (fault.kind === 'held') {
      await fault.until
      return forward()
    }
    if (fault.kind === 'answered') return createResponse(fault)
    if (fault.kind === 'page') return new Response('<h1>Gateway</h1>', { status: fault.status })
    if (fault.kind === 'answer-lost') await forward()
    throw new TypeError('The connection was cut.')
  }
}

function createResponse({ status, code, retryAfter }: Extract<Fault, { kind: 'answered' }>): Response {
  const headers = retryAfter === undefined ? {} : { 'Retry-After': String(retryAfter) }
  const details = status === 409 ? { field: 'code' } : {}
  return Response.json(
    { code, message: `The response is ${status}.`, details, requestId: 'gateway' },
    { status, headers },
  )
}
