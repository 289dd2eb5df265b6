import type { Fetch } from './request.ts'

/** What this package uses of the `XMLHttpRequest` of browsers. */
interface Xhr {
  readonly upload: { onprogress?: (event: { readonly loaded: number }) => void }
  readonly status: number
  readonly responseText: string
  readonly responseURL: string
  withCredentials: boolean
  onload?: () => void
  onerror?: () => void
  open(method: string, url: string): void
  setRequestHeader(name: string, value: string): void
  getAllResponseHeaders(): string
  send(body: unknown): void
  abort(): void
}

/** With and without the types of a browser. */
const xhrClass = (): (new () => Xhr) | undefined =>
  (globalThis as unknown as { readonly XMLHttpRequest?: new () => Xhr }).XMLHttpRequest

/** Whether requests can tell how much of their body was sent, as those of browsers do. */
export const hasXhr = (): boolean => xhrClass() !== undefined

/** `fetch` in browsers, which tells how many bytes of a body were sent. */
export const xhrFetch =
  (onProgress: (sent: number) => void): Fetch =>
  (url, { method = 'GET', headers, body, signal, credentials }) =>
    new Promise((resolve, reject) => {
      const xhr = new (xhrClass() as new () => Xhr)()
      xhr.open(method, url)
      xhr.withCredentials = credentials === 'include'
      for (const [name, value] of new Headers(headers)) xhr.setRequestHeader(name, value)
      xhr.upload.onprogress = ({ loaded }) => onProgress(loaded)
      xhr.onload = () => resolve(toResponse(xhr, url))
      xhr.onerror = () => reject(new TypeError('the connection failed'))
      signal?.addEventListener('abort', () => xhr.abort())
      xhr.send(body)
    })

function toResponse(xhr: Xhr, url: string): Response {
  const lines = xhr.getAllResponseHeaders().trim().split('\r\n')
  const headers = lines.map((line) => line.split(/: ?(.*)/, 2) as [string, string])
  const response = new Response(xhr.responseText || null, {
    status: xhr.status,
    headers: headers.filter(([name]) => name),
  })
  return Object.defineProperty(response, 'redirected', { value: xhr.responseURL !== url })
}
