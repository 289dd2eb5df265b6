import { DataStore, type Locker, Server, Upload } from '@tus/server'
import {
  type CallerFiles,
  DaybookError,
  type ErrorCode,
  getIdentity,
  type NewFile,
  type PluginRequest,
} from '../../index.ts'
import type { UnfinishedUpload, UnfinishedUploads } from './unfinished-uploads.ts'

/** The time in which a request stores the received bytes when its client begins another one, in milliseconds. */
const DRAIN_MS = 500

/** The state that the requests of all clients share. */
export interface TusContext {
  readonly path: string
  readonly locker: Locker
  readonly unfinished: UnfinishedUploads
  /** Uploads that are becoming assets, by id. */
  readonly finishing: Map<string, Promise<string>>
  /** In milliseconds. */
  readonly expiryMs: number
}

/**
 * Responds to a request of the protocol (tus 1.0).
 *
 * @throws VALIDATION_ERROR, NOT_FOUND, CONFLICT, PRECONDITION_FAILED, PAYLOAD_TOO_LARGE, NOT_IMPLEMENTED, and the errors of storing a file
 */
export async function respondTus(context: TusContext, request: PluginRequest): Promise<Response> {
  const store = new TusStore(context, request)
  let failure: unknown
  const server = new Server({
    path: context.path,
    datastore: store,
    maxSize: request.content.files.maxBytes,
    namingFunction: () => store.newId(),
    relativeLocation: true,
    locker: context.locker,
    lockDrainTimeout: DRAIN_MS,
    onResponseError: (_request, error) => {
      failure ??= error
      return undefined
    },
  })
  const response = await server.handleWeb(toTusRequest(request))
  if (response.status >= 400) throw toError(failure, response.status, await response.text())
  // The config decides on CORS, and the response has no body.
  const isOmitted = (name: string): boolean => name.startsWith('access-control-') || name === 'content-type'
  const headers = new Headers([...response.headers].filter(([name]) => !isOmitted(name)))
  if (store.asset !== undefined) headers.set('Daybook-Asset', store.asset)
  return new Response(null, { status: response.status, headers })
}

/** `GET` becomes `HEAD`, because the protocol does not have `GET`. */
function toTusRequest({ method, url, headers, stream }: PluginRequest): Request {
  if (!stream) return new Request(url, { method: method === 'GET' ? 'HEAD' : method, headers })
  return new Request(url, { method, headers, body: endAtFailure(stream), duplex: 'half' })
}

/** Ends a body where the client disconnects, so that the bytes received until then are stored. */
function endAtFailure(body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const next = await reader.read().catch(() => undefined)
      if (next?.value) controller.enqueue(next.value)
      else controller.close()
    },
    cancel: (reason) => reader.cancel(reason),
  })
}

/** The codes of errors, by the status that the library of the protocol chose. */
const CODES: Readonly<Record<number, ErrorCode>> = {
  400: 'VALIDATION_ERROR',
  // The library uses this status for a missing header.
  403: 'VALIDATION_ERROR',
  404: 'NOT_FOUND',
  409: 'CONFLICT',
  410: 'NOT_FOUND',
  412: 'PRECONDITION_FAILED',
  413: 'PAYLOAD_TOO_LARGE',
  501: 'NOT_IMPLEMENTED',
}

function toError(failure: unknown, status: number, text: string): unknown {
  if (failure instanceof Error) return failure
  const code = CODES[status] ?? 'SERVICE_UNAVAILABLE'
  const message = text.trim()
  if (code !== 'VALIDATION_ERROR') return new DaybookError(code, status < 500 ? message : undefined)
  return new DaybookError(code, undefined, { issues: [{ path: 'header', code: 'tus', message }] })
}

/** The uploads of one client, in the interface of the protocol's library, for one request. */
class TusStore extends DataStore {
  override extensions: string[] = ['creation', 'termination', 'expiration']
  /** The id of the asset that the upload of the request has become. */
  asset: string | undefined
  readonly #context: TusContext
  readonly #files: CallerFiles
  readonly #owner: string

  constructor(context: TusContext, { caller, content }: Pick<PluginRequest, 'caller' | 'content'>) {
    super()
    this.#context = context
    this.#files = content.files
    const identity = getIdentity(caller)
    this.#owner = JSON.stringify([identity?.provider, identity?.subject])
  }

  newId(): string {
    return this.#context.unfinished.newId(this.#owner)
  }

  override async create(upload: Upload): Promise<Upload> {
    const { id, size = 0, metadata = {} } = upload
    const file = toNewFile(metadata)
    const { originalName, alt } = file
    const place = await this.#files.plan(size, file)
    const owner = this.#owner
    const description = { owner, size, metadata, originalName, place, ...(alt === undefined ? {} : { alt }) }
    await this.#context.unfinished.create(id, description)
    return upload
  }

  override async write(content: AsyncIterable<Uint8Array>, id: string, offset: number): Promise<number> {
    const upload = await this.#find(id)
    const end = await this.#context.unfinished.append(id, offset, content)
    if (end === upload.size) this.asset = upload.asset ?? (await this.#finish(upload))
    return end
  }

  /** Makes an asset of an upload that has all its bytes, in case an error prevented that before. */
  override async getUpload(id: string): Promise<Upload> {
    const upload = await this.#find(id)
    const { size, offset, metadata, createdAt, asset } = upload
    if (offset === size) this.asset = asset ?? (await this.#finish(upload))
    return new Upload({ id, size, offset, metadata: { ...metadata }, creation_date: createdAt.toISOString() })
  }

  override async remove(id: string): Promise<void> {
    await this.#find(id)
    await this.#context.unfinished.remove(id)
  }

  override getExpiration(): number {
    return this.#context.expiryMs
  }

  #find(id: string): Promise<UnfinishedUpload> {
    return this.#context.unfinished.find(id, this.#owner)
  }

  /** Makes one asset of an upload, even if several requests complete it. */
  async #finish(upload: UnfinishedUpload): Promise<string> {
    const { finishing } = this.#context
    const running = finishing.get(upload.id)
    if (running) return running
    const asset = this.#store(upload).finally(() => finishing.delete(upload.id))
    finishing.set(upload.id, asset)
    return asset
  }

  async #store(upload: UnfinishedUpload): Promise<string> {
    const { unfinished } = this.#context
    try {
      const asset = await this.#storeOrFind(upload)
      await unfinished.finish(upload.id, asset)
      return asset
    } catch (error) {
      // An upload that can never be stored is removed. The conflict of a name may be temporary.
      const isFinal = error instanceof DaybookError && error.status < 500 && error.code !== 'CONFLICT'
      if (isFinal) await unfinished.remove(upload.id)
      throw error
    }
  }

  /** A file with the same name and length may be the upload itself, stored by a process that ended before it recorded that. */
  async #storeOrFind({ id, originalName, place, alt, size }: UnfinishedUpload): Promise<string> {
    try {
      const file = { originalName, ...place, ...(alt === undefined ? {} : { alt }) }
      const asset = await this.#files.store(this.#context.unfinished.bytes(id), file)
      return asset.id
    } catch (error) {
      const isTaken = error instanceof DaybookError && error.code === 'CONFLICT'
      const path = place.directory === '' ? place.filename : `${place.directory}/${place.filename}`
      const existing = isTaken ? await this.#files.find(path) : null
      if (existing?.size === size) return existing.id
      throw error
    }
  }
}

/** Reads the metadata of an upload. By convention, `filename` is the name of the file at the client. Other keys are ignored. */
function toNewFile({ filename, name, storeAs, directory, alt }: Readonly<Record<string, string | null>>): NewFile {
  return {
    originalName: filename || name || '',
    ...(storeAs ? { filename: storeAs } : {}),
    ...(directory ? { directory } : {}),
    ...(alt ? { alt } : {}),
  }
}
