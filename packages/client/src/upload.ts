import type { AnyWriteOptions, Fetch, RequestForm } from './request.ts'

/** The source of a file: a `File`, a `Blob`, or a stream of bytes, such as a Node stream. */
export type UploadSource = Blob | AsyncIterable<Uint8Array> | ReadableStream<Uint8Array>

export interface UploadProgress {
  /** The number of bytes of the file that were sent. */
  readonly sent: number
  /** The length of the file in bytes; `undefined` for a stream. */
  readonly total: number | undefined
}

export interface AnyUploadOptions extends Omit<AnyWriteOptions, 'ifMatch' | 'ifNoneMatch'> {
  readonly name?: string
  readonly filename?: string
  readonly directory?: string
  readonly alt?: string
  readonly onProgress?: (progress: UploadProgress) => void
}

/** A file with the fields of its form. */
interface NamedFile {
  readonly source: UploadSource
  readonly name: string
  /** The other fields of the form. */
  readonly fields: readonly (readonly [name: string, text: string])[]
  readonly onProgress: AnyUploadOptions['onProgress']
}

/**
 * Creates the form of an upload. Browsers read a stream into a blob first, since they stream only over HTTP/2. On other platforms, a
 * stream, and a file with progress, is read while it is sent.
 */
export function toUploadForm(source: UploadSource, options: AnyUploadOptions): RequestForm {
  const { filename, directory, alt, onProgress } = options
  const name = options.name ?? (source as Partial<File>).name ?? filename ?? 'file'
  const fields = Object.entries({ filename, directory, alt }).flatMap(([field, text]) =>
    text === undefined ? [] : [[field, text] as const],
  )
  const file = { source, name, fields, onProgress }
  if (!hasXhr()) {
    const isStreamed = onProgress !== undefined || !(source instanceof Blob)
    return { open: async (signal) => (isStreamed ? toStreamedForm(file, signal) : toFormData(file, source)) }
  }
  return {
    open: async (signal) => toFormData(file, await toBlob(source, signal)),
    ...(onProgress && {
      fetch: (url, init) => xhrFetch(createReporter({ ...file, source: getFile(init) }))(url, init),
    }),
  }
}

const toBlob = async (source: UploadSource, signal: AbortSignal): Promise<Blob> =>
  source instanceof Blob ? source : new Response(toStream(toByteStream(source, signal), signal)).blob()

function toFormData({ name, fields }: NamedFile, blob: Blob): RequestInit {
  const body = new FormData()
  for (const [field, text] of fields) body.set(field, text)
  body.set('file', blob, name)
  return { body }
}

const getFile = ({ body }: RequestInit): Blob => (body as FormData).get('file') as Blob

/** Creates a form whose file is read while it is sent (RFC 7578). */
function toStreamedForm(file: NamedFile, signal: AbortSignal): RequestInit {
  const boundary = `daybook-${crypto.randomUUID()}`
  const headers = { 'Content-Type': `multipart/form-data; boundary=${boundary}` }
  // A stream needs `duplex`, which the types of browsers lack.
  const init = { headers, body: toStream(formBytes(file, boundary, signal), signal), duplex: 'half' as const }
  return init
}

async function* formBytes(file: NamedFile, boundary: string, signal: AbortSignal): AsyncGenerator<Uint8Array, void> {
  const { source, name, fields } = file
  const encoder = new TextEncoder()
  const start = (field: string): string => `--${boundary}\r\nContent-Disposition: form-data; name="${field}"`
  for (const [field, text] of fields) yield encoder.encode(`${start(field)}\r\n\r\n${text}\r\n`)
  const type = 'Content-Type: application/octet-stream'
  yield encoder.encode(`${start('file')}; filename="${escapeName(name)}"\r\n${type}\r\n\r\n`)
  const report = createReporter(file)
  let sent = 0
  for await (const chunk of toByteStream(source, signal) as AsyncIterable<Uint8Array>) {
    yield chunk
    sent += chunk.length
    report(sent)
  }
  yield encoder.encode(`\r\n--${boundary}--\r\n`)
}

/** Creates a function that reports the progress of the file, without the rest of the form. */
const createReporter =
  ({ source, onProgress }: NamedFile) =>
  (sent: number): void => {
    const total = source instanceof Blob ? source.size : undefined
    onProgress?.({ sent: Math.min(sent, total ?? sent), total })
  }

/** Escapes a name like browsers (HTML, "multipart/form-data encoding algorithm"). */
const escapeName = (name: string): string =>
  name.toWellFormed().replace(/["\r\n]/g, (character) => (character === '"' ? '%22' : encodeURIComponent(character)))

/** Closes a Node stream, which may not have been read to its end. */
export const closeSource = (source: UploadSource): void => (source as { readonly destroy?: () => void }).destroy?.()

function toByteStream(source: UploadSource, signal: AbortSignal): Exclude<UploadSource, Blob> {
  if (source instanceof Blob) return source.stream()
  if (source instanceof ReadableStream) return source.pipeThrough(new TransformStream(), { signal })
  return source
}

/** Converts a source to a stream that ends with the signal, even if `fetch` ignores the signal. */
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

/** The part of `XMLHttpRequest` that this package uses. */
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

/** Returns `XMLHttpRequest` if the platform has it. */
const xhrClass = (): (new () => Xhr) | undefined =>
  (globalThis as unknown as { readonly XMLHttpRequest?: new () => Xhr }).XMLHttpRequest

/** True if the platform can report the progress of request bodies. */
const hasXhr = (): boolean => xhrClass() !== undefined

/** Creates a `fetch` for browsers that reports the number of sent bytes. */
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
      xhr.onerror = () => reject(new TypeError('The connection failed.'))
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
