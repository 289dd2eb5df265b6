import type { QueryParams } from './query.ts'
import type { AnyWriteOptions, CallOptions, Send } from './request.ts'

/** What `GlobalClient` promises for every global, without its types. */
export class Global {
  readonly #send: Send
  readonly #path: readonly string[]

  constructor(send: Send, key: string) {
    this.#send = send
    this.#path = ['globals', key]
  }

  get(query: QueryParams = {}, options: CallOptions = {}): Promise<unknown> {
    return this.#send({ ...options, method: 'GET', path: this.#path, query })
  }

  update(data: unknown, { locale, dryRun, ...options }: AnyWriteOptions = {}): Promise<unknown> {
    return this.#send({ ...options, method: 'PUT', path: this.#path, query: { locale, dryRun }, body: data })
  }
}
