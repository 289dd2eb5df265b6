import type { QueryParams } from './query.ts'
import type { CallOptions, Send } from './request.ts'

/** What is listed of all collections at once, without its types. */
export function acrossCollections(send: Send) {
  const list =
    (name: string) =>
    ({ signal, timeout, retry, ...query }: CallOptions & QueryParams = {}): Promise<unknown> => {
      const options = { signal, timeout, retry } as CallOptions
      return send({ ...options, method: 'GET', path: ['cms', name], query, holds: 'items' })
    }
  return { journal: list('journal'), search: list('search'), drafts: list('drafts'), schedules: list('schedules') }
}
