import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import S3rver from 's3rver'
import { MemoryObjects } from './memory-objects.ts'

/** The maximum number of entries on a page of a list, as on S3. */
const PAGE = 1000

export const S3_KEY = { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' } as const

/**
 * A server with S3's protocol on loopback, with one bucket: s3rver, and the calls that it lacks: lists of interrupted uploads, conditional
 * copies, and lists of more than one page.
 */
export class S3Server implements AsyncDisposable {
  readonly stored: MemoryObjects
  /** Calls that fail: `METHOD PATH?QUERY`. */
  failing: RegExp | undefined
  /** The failure of those calls. */
  failure: readonly [status: number, code: string] = [500, 'InternalError']
  /** The calls so far, as `METHOD PATH?QUERY`. */
  readonly calls: string[] = []
  /** True if copies support `If-None-Match`. Otherwise the server rejects it as S3's protocol says. */
  knowsConditions = true
  readonly #server: Server
  readonly #pass: RequestListener

  private constructor(bucket: string) {
    this.stored = new MemoryObjects(bucket)
    const s3rver = new S3rver({ silent: true, allowMismatchedSignatures: true, vhostBuckets: false })
    s3rver.store = this.stored
    s3rver.context.store = this.stored
    this.#pass = s3rver.callback()
    this.#server = createServer((incoming, outgoing) => this.#handle(incoming, outgoing))
  }

  static async make(bucket = 'files'): Promise<S3Server> {
    const server = new S3Server(bucket)
    server.#server.listen(0, '127.0.0.1')
    await once(server.#server, 'listening')
    return server
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close()
    this.#server.closeAllConnections()
  }

  #handle(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const call = `${incoming.method} ${incoming.url}`
    this.calls.push(call)
    const { pathname, searchParams } = new URL(incoming.url ?? '/', 'http://s3')
    const [, bucket = '', ...key] = decodeURIComponent(pathname).split('/')
    const isKnown = incoming.headers.authorization?.includes(`=${S3_KEY.accessKeyId}/`) === true
    const fault = this.#faultOf(call, incoming, key.join('/'))
    const supply = isKnown && bucket === this.stored.bucket ? this.#supply(incoming.method, searchParams) : undefined
    if (fault) refuse(incoming, outgoing, ...fault)
    else if (supply !== undefined) outgoing.end(supply)
    else this.#pass(incoming, outgoing)
  }

  /** Adds operations that s3rver lacks. */
  #supply(method: string | undefined, parameters: URLSearchParams): string | undefined {
    if (method === 'GET' && parameters.get('list-type') === '2') return this.#list(parameters)
    if (method === 'GET' && parameters.has('uploads')) return this.#listUploads(parameters)
    if (method !== 'DELETE' || !parameters.has('uploadId')) return undefined
    this.stored.uploads.delete(parameters.get('uploadId') ?? '')
    return ''
  }

  #faultOf(
    call: string,
    { headers }: IncomingMessage,
    key: string,
  ): readonly [status: number, code: string] | undefined {
    if (this.failing?.test(call)) return this.failure
    if (headers['if-none-match'] !== '*') return undefined
    if (!this.knowsConditions) return [501, 'NotImplemented']
    return this.stored.objects.has(key) ? [412, 'PreconditionFailed'] : undefined
  }

  #list(parameters: URLSearchParams): string {
    const prefix = parameters.get('prefix') ?? ''
    const after = parameters.get('continuation-token') ?? ''
    const most = Number(parameters.get('max-keys') ?? PAGE)
    const keys = [...this.stored.objects.keys()].filter((key) => key.startsWith(prefix) && key > after).sort()
    const page = keys.slice(0, most)
    const isTruncated = keys.length > page.length
    const contents = page.map((key) => {
      const { bytes, at } = this.stored.objects.get(key) ?? { bytes: [], at: new Date() }
      return element(
        'Contents',
        element('Key', key),
        element('Size', bytes.length),
        element('LastModified', at.toISOString()),
      )
    })
    return element(
      'ListBucketResult',
      element('IsTruncated', isTruncated),
      isTruncated ? element('NextContinuationToken', page.at(-1) ?? '') : '',
      ...contents,
    )
  }

  #listUploads(parameters: URLSearchParams): string {
    const prefix = parameters.get('prefix') ?? ''
    const after = [parameters.get('key-marker') ?? '', parameters.get('upload-id-marker') ?? ''].join('\n')
    const uploads = [...this.stored.uploads]
      .map(([id, { key, at }]) => ({ id, key, at, place: `${key}\n${id}` }))
      .filter(({ key, place }) => key.startsWith(prefix) && place > after)
      .sort((a, b) => (a.place < b.place ? -1 : 1))
    const page = uploads.slice(0, PAGE)
    const last = uploads.length > page.length ? page.at(-1) : undefined
    return element(
      'ListMultipartUploadsResult',
      element('IsTruncated', last !== undefined),
      last ? element('NextKeyMarker', last.key) + element('NextUploadIdMarker', last.id) : '',
      ...page.map(({ id, key, at }) =>
        element('Upload', element('Key', key), element('UploadId', id), element('Initiated', at.toISOString())),
      ),
    )
  }
}

/** An element of XML. Its content needs no escapes here. */
const element = (name: string, ...content: readonly unknown[]): string => `<${name}>${content.join('')}</${name}>`

function refuse(incoming: IncomingMessage, outgoing: ServerResponse, status: number, code: string): void {
  incoming.resume()
  const body = element('Error', element('Code', code), element('Message', code))
  outgoing.writeHead(status, { 'content-type': 'application/xml' }).end(body)
}
