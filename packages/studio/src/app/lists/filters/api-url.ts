import { toQueryString } from '@daybook/client'

/** The address of a list in the API, for programs. */
export const apiUrl = (origin: string, collection: string, query: Readonly<Record<string, unknown>>): string =>
  `${origin}/api/${encodeURIComponent(collection)}${toQueryString(query)}`
