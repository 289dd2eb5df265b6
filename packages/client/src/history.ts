import type { UndoRange } from 'daybook'
import type { QueryParams } from './query.ts'
import type { CallOptions, Send } from './request.ts'
import type { ComparedVersions, UndoOptions } from './types/history.ts'

/** The versions of documents below an address. */
export class History {
  readonly #send: Send

  constructor(send: Send) {
    this.#send = send
  }

  list(path: readonly string[], query: QueryParams, options: CallOptions): Promise<unknown> {
    return this.#send({ ...options, method: 'GET', path: [...path, 'versions'], query, holds: 'items' })
  }

  one(path: readonly string[], revision: number, query: QueryParams, options: CallOptions): Promise<unknown> {
    return this.#send({ ...options, method: 'GET', path: [...path, 'versions', String(revision)], query })
  }

  difference(
    path: readonly string[],
    { revision, against }: ComparedVersions,
    query: QueryParams,
    options: CallOptions,
  ): Promise<unknown> {
    return this.one(path, revision, { ...query, against }, options)
  }

  undo(range: UndoRange, { dryRun, ...options }: UndoOptions = {}): Promise<unknown> {
    return this.#send({ ...options, method: 'POST', path: ['api', 'cms', 'undo'], query: { dryRun }, body: range })
  }
}
