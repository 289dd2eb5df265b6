import type { StudioClient } from '../../talk/client.ts'
import type { HistoryCalls } from '../history/versions.ts'
import type { Values } from '../saving/saved-field.ts'

/** What is asked about the languages of one document. */
export interface LanguageCalls {
  /** The document with its localized values as maps of locale to value; `null`: it is not there. */
  readAll(signal: AbortSignal): Promise<Values | null>
  /** Its history, in all languages; what asks for it is loaded with it. */
  history(): Promise<HistoryCalls>
}

interface EntryReads {
  findById(id: string, query: Values, options: { readonly signal: AbortSignal }): Promise<object | null>
}

interface GlobalReads {
  get(query: Values, options: { readonly signal: AbortSignal }): Promise<object>
}

const ALL: Values = { locale: 'all' }

/** The languages of an entry. */
export function entryLanguages(
  client: StudioClient,
  collection: string,
  id: string,
  hasDrafts: boolean,
): LanguageCalls {
  const calls = client.collections[collection] as unknown as EntryReads
  return {
    readAll: async (signal) =>
      (await calls.findById(id, hasDrafts ? { ...ALL, draft: true } : ALL, { signal })) as Values | null,
    history: async () => (await import('../history/history-calls.ts')).entryHistory(client, collection, id, 'all'),
  }
}

/** The languages of a global. */
export function globalLanguages(client: StudioClient, key: string): LanguageCalls {
  const calls = client.globals[key] as unknown as GlobalReads
  return {
    readAll: async (signal) => (await calls.get(ALL, { signal })) as Values,
    history: async () => (await import('../history/history-calls.ts')).globalHistory(client, key, [], 'all'),
  }
}
