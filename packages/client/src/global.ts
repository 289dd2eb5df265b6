import type { JsonObject } from './answer.ts'
import type { QueryParams } from './query.ts'
import type { CallOptions, Send } from './request.ts'

interface Options extends CallOptions {
  readonly locale?: string
  readonly ifMatch?: string
  readonly ifNoneMatch?: '*'
  readonly idempotencyKey?: string
}

/** What `GlobalClient` promises for every global, without its types. */
export class Global {
  readonly #send: Send
  readonly #path: readonly string[]

  constructor(send: Send, key: string) {
    this.#send = send
    this.#path = ['globals', key]
  }

  get(query: QueryParams = {}, options: CallOptions = {}): Promise<JsonObject | undefined> {
    return this.#send({ ...options, method: 'GET', path: this.#path, query })
  }

  update(data: unknown, { locale, ...options }: Options = {}): Promise<JsonObject | undefined> {
    return this.#send({ ...options, method: 'PUT', path: this.#path, query: { locale }, body: data })
  }
}
