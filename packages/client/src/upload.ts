import type { AnyWriteOptions, Fetch, RequestForm } from './request.ts'

/** A file: a `File` or a `Blob`, or a stream of its bytes, such as one of Node's. */
export type UploadSource = Blob | AsyncIterable<Uint8Array> | ReadableStream<Uint8Array>

/** How much of a file is on its way. */
export interface UploadProgress {
  /** The bytes of the file that the network has taken. */
  readonly sent: number
  /** The length of the file in bytes; `undefined` of a stream. */
  readonly total: number | undefined
}

/** What an upload takes, whatever the config. */
export interface AnyUploadOptions extends Omit<AnyWriteOptions, 'ifMatch' | 'ifNoneMatch'> {
  readonly name?: string
  readonly filename?: string
  readonly directory?: string
  readonly alt?: string
  readonly onProgress?: (progress: UploadProgress) => void
}

/** A file as it is sent. */
interface NamedFile {
  readonly source: UploadSource
  readonly name: string
  /** What the form says besides. */
  readonly texts: readonly (readonly [field: string, text: string])[]
  readonly onProgress: AnyUploadOptions['onProgress']
}

/**
 * The form of an upload. A browser takes a stream in first, as it streams over HTTP/2 alone, and keeps long blobs on the disk. Elsewhere,
 * what is a stream, or is to be counted, is read while it is sent.
 */
export function toUploadForm(source: UploadSource, options: AnyUploadOptions): RequestForm {
  const { filename, directory, alt, onProgress } = options
  const name = options.name ?? (source as Partial<File>).name ?? filename ?? 'file'
  const texts = Object.entries({ filename, directory, alt }).flatMap(([field, text]) =>
    text === undefined ? [] : [[field, text] as const],
  )
  const file = { source, name, texts, onProgress }
  if (!hasXhr()) {
    const isStreamed = onProgress !== undefined || !(source instanceof Blob)
    return { open: async (signal) => (isStreamed ? toStreamedForm(file, signal) : toFormData(file, source)) }
  }
  return {
    open: async (signal) => toFormData(file, await toBlob(source, signal)),
    ...(onProgress && { fetch: (url, init) => xhrFetch(report({ ...file, source: fileIn(init) }))(url, init) }),
  }
}

const toBlob = async (source: UploadSource, signal: AbortSignal): Promise<Blob> =>
  source instanceof Blob ? source : new Response(toStream(bytesOf(source, signal), signal)).blob()

function toFormData({ name, texts }: NamedFile, blob: Blob): RequestInit {
  const body = new FormData()
  for (const [field, text] of texts) body.set(field, text)
  body.set('file', blob, name)
  return { body }
}

const fileIn = ({ body }: RequestInit): Blob => (body as FormData).get('file') as Blob

/** A form whose file is read while it is sent (RFC 7578). */
function toStreamedForm(file: NamedFile, signal: AbortSignal): RequestInit {
  const boundary = `daybook-${crypto.randomUUID()}`
  const headers = { 'Content-Type': `multipart/form-data; boundary=${boundary}` }
  // Types of browsers do not know `duplex`, without which no stream is sent.
  const init = { headers, body: toStream(formBytes(file, boundary, signal), signal), duplex: 'half' as const }
  return init
}

async function* formBytes(file: NamedFile, boundary: string, signal: AbortSignal): AsyncGenerator<Uint8Array, void> {
  const { source, name, texts } = file
  const encoder = new TextEncoder()
  const start = (field: string): string => `--${boundary}\r\nContent-Disposition: form-data; name="${field}"`
  for (const [field, text] of texts) yield encoder.encode(`${start(field)}\r\n\r\n${text}\r\n`)
  const type = 'Content-Type: application/octet-stream'
  yield encoder.encode(`${start('file')}; filename="${escapeName(name)}"\r\n${type}\r\n\r\n`)
  const told = report(file)
  let sent = 0
  for await (const chunk of bytesOf(source, signal) as AsyncIterable<Uint8Array>) {
    yield chunk
    sent += chunk.length
    told(sent)
  }
  yield encoder.encode(`\r\n--${boundary}--\r\n`)
}

/** Tells the progress, of which the rest of a form is no part. */
const report =
  ({ source, onProgress }: NamedFile) =>
  (sent: number): void => {
    const total = source instanceof Blob ? source.size : undefined
    onProgress?.({ sent: Math.min(sent, total ?? sent), total })
  }

/** As browsers escape it (HTML, "multipart/form-data encoding algorithm"). */
const escapeName = (name: string): string =>
  name.toWellFormed().replace(/["\r\n]/g, (sign) => (sign === '"' ? '%22' : encodeURIComponent(sign)))

/** Closes a stream of Node, which may not have been read to its end. */
export const closeSource = (source: UploadSource): void => (source as { readonly destroy?: () => void }).destroy?.()

function bytesOf(source: UploadSource, signal: AbortSignal): Exclude<UploadSource, Blob> {
  if (source instanceof Blob) return source.stream()
  if (source instanceof ReadableStream) return source.pipeThrough(new TransformStream(), { signal })
  return source
}

/** A stream that ends with the signal, also where `fetch` does not end it. */
function toStream(source: Exclude<UploadSource, Blob>, signal: AbortSignal): ReadableStream<Uint8Array> {
  if (source instanceof ReadableStream) return source
  const chunks = source[Symbol.asyncIterator]()
  return new ReadableStream(
    {
      start(controller) {
        signal.addEventListener('abort', () => controller.error(signal.reason))
      },
      async pull(controller) {
        const { done, value } = await chunks.next()
        if (signal.aborted) return
        if (done) controller.close()
        else controller.enqueue(value)
      },
    },
    { highWaterMark: 0 },
  )
}

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
const hasXhr = (): boolean => xhrClass() !== undefined

/** `fetch` in browsers, which tells how many bytes of a body were sent. */
const xhrFetch =
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
