import type { AnyWriteOptions, RequestForm } from './request.ts'
import { hasXhr, xhrFetch } from './xhr.ts'

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
    return { open: async () => (isStreamed ? toStreamedForm(file) : toFormData(file, source)) }
  }
  return {
    open: async (signal) => toFormData(file, await toBlob(source, signal)),
    ...(onProgress && { fetch: (url, init) => xhrFetch(report({ ...file, source: fileIn(init) }))(url, init) }),
  }
}

const toBlob = async (source: UploadSource, signal: AbortSignal): Promise<Blob> =>
  source instanceof Blob ? source : new Response(toStream(source).pipeThrough(new TransformStream(), { signal })).blob()

function toFormData({ name, texts }: NamedFile, blob: Blob): RequestInit {
  const body = new FormData()
  for (const [field, text] of texts) body.set(field, text)
  body.set('file', blob, name)
  return { body }
}

const fileIn = ({ body }: RequestInit): Blob => (body as FormData).get('file') as Blob

/** A form whose file is read while it is sent (RFC 7578). */
function toStreamedForm(file: NamedFile): RequestInit {
  const boundary = `daybook-${crypto.randomUUID()}`
  const headers = { 'Content-Type': `multipart/form-data; boundary=${boundary}` }
  // Types of browsers do not know `duplex`, without which no stream is sent.
  const init = { headers, body: toStream(formBytes(file, boundary), file.source), duplex: 'half' as const }
  return init
}

async function* formBytes(file: NamedFile, boundary: string): AsyncGenerator<Uint8Array, void> {
  const { source, name, texts } = file
  const encoder = new TextEncoder()
  const start = (field: string): string => `--${boundary}\r\nContent-Disposition: form-data; name="${field}"`
  for (const [field, text] of texts) yield encoder.encode(`${start(field)}\r\n\r\n${text}\r\n`)
  const type = 'Content-Type: application/octet-stream'
  yield encoder.encode(`${start('file')}; filename="${escapeName(name)}"\r\n${type}\r\n\r\n`)
  const told = report(file)
  let sent = 0
  for await (const chunk of bytesOf(source)) {
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

/** Where streams are read, they can be iterated over; types of browsers do not know it. */
const bytesOf = (source: UploadSource): AsyncIterable<Uint8Array> =>
  (source instanceof Blob ? source.stream() : source) as AsyncIterable<Uint8Array>

/** @param origin what is ended with the stream: an iteration that waits cannot be ended */
function toStream(source: UploadSource, origin: object = source): ReadableStream<Uint8Array> {
  if (source instanceof ReadableStream) return source
  const chunks = bytesOf(source)[Symbol.asyncIterator]()
  return new ReadableStream(
    {
      async pull(controller) {
        const { done, value } = await chunks.next()
        if (done) controller.close()
        else controller.enqueue(value)
      },
      cancel(reason) {
        const { destroy } = origin as { readonly destroy?: () => void }
        destroy?.call(origin)
        void chunks.return?.(reason).catch(() => {})
      },
    },
    { highWaterMark: 0 },
  )
}
