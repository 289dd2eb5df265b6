import type { QueryParams } from './query.ts'
import type { CallOptions, Send } from './request.ts'

type ListAcross = (query?: CallOptions & QueryParams) => Promise<unknown>

/** What is listed of all collections at once, without its types. */
export function acrossCollections(
  send: Send,
): Readonly<Record<'journal' | 'search' | 'drafts' | 'schedules', ListAcross>> {
  const list =
    (name: string): ListAcross =>
    ({ signal, timeout, retry, ...query } = {}) => {
      const options = { signal, timeout, retry } as CallOptions
      return send({ ...options, method: 'GET', path: ['api', 'cms', name], query, holds: 'items' })
    }
  return { journal: list('journal'), search: list('search'), drafts: list('drafts'), schedules: list('schedules') }
}
