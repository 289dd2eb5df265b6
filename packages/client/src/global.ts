import { History } from './history.ts'
import type { QueryParams } from './query.ts'
import type { AnyWriteOptions, CallOptions, Send } from './request.ts'
import type { ComparedVersions } from './types/history.ts'

/** What `GlobalClient` promises for every global, without its types. */
export class Global {
  readonly #send: Send
  readonly #path: readonly string[]
  readonly #history: History

  constructor(send: Send, key: string) {
    this.#send = send
    this.#path = ['api', 'globals', key]
    this.#history = new History(send)
  }

  get(query: QueryParams = {}, options: CallOptions = {}): Promise<unknown> {
    return this.#send({ ...options, method: 'GET', path: this.#path, query })
  }

  update(data: unknown, { locale, dryRun, ...options }: AnyWriteOptions = {}): Promise<unknown> {
    return this.#send({ ...options, method: 'PUT', path: this.#path, query: { locale, dryRun }, body: data })
  }

  versions(query: QueryParams = {}, options: CallOptions = {}): Promise<unknown> {
    return this.#history.list(this.#path, query, options)
  }

  version(revision: number, query: QueryParams = {}, options: CallOptions = {}): Promise<unknown> {
    return this.#history.one(this.#path, revision, query, options)
  }

  difference(versions: ComparedVersions, query: QueryParams = {}, options: CallOptions = {}): Promise<unknown> {
    return this.#history.difference(this.#path, versions, query, options)
  }
}
