/** Shared by the three clients: the address of the service, the token, and the query strings that Daybook takes. */
export const { DAYBOOK_URL = 'http://localhost:3000', DAYBOOK_SERVICE_TOKEN } = process.env

/** The query string of an operation: lists joined by commas, `where` and `reverse` with brackets as deep as they go. */
export function toQueryString(query: object = {}): string {
  const search = new URLSearchParams()
  const add = (name: string, value: unknown): void => {
    if (value === undefined || value === null) return
    const isList = Array.isArray(value) && value.every((item) => typeof item !== 'object')
    if (typeof value !== 'object' || isList) search.append(name, String(value))
    else for (const [key, inner] of Object.entries(value)) add(`${name}[${key}]`, inner)
  }
  for (const [name, value] of Object.entries(query)) add(name, value)
  return search.toString()
}

/** Sends the requests of the client that orval makes. */
export async function daybookFetch<Response>(path: string, init: RequestInit): Promise<Response> {
  const headers = new Headers(init.headers)
  headers.set('Authorization', `Bearer ${DAYBOOK_SERVICE_TOKEN}`)
  const response = await fetch(new URL(path, DAYBOOK_URL), { ...init, headers })
  const text = await response.text()
  return {
    status: response.status,
    data: text === '' ? undefined : JSON.parse(text),
    headers: response.headers,
  } as Response
}
