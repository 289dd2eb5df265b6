import type { Stats } from 'node:fs'
import { type FileHandle, open, realpath } from 'node:fs/promises'
import { join, resolve, sep } from 'node:path'
import { Readable } from 'node:stream'
import { lookup } from 'mrmime'
import type { ByteRange } from '../assets/blob-store.ts'
import { FileBody } from '../assets/file-body.ts'
import { DaybookError } from '../errors.ts'
import { describeFileResponses, respondWithFile } from './file-response.ts'
import type { PluginRequest, PluginRoute } from './route.ts'

export interface StaticFilesOptions {
  /** The path of the files, such as `/assets`; `/` serves them at all paths without another route. */
  readonly path: string
  /** Relative to the working directory, or absolute. */
  readonly folder: string
  /** Matches files whose name changes with their content, such as `/\.[0-9a-f]{8}\./`; browsers cache them for a year. @default none */
  readonly immutable?: RegExp
}

const IMMUTABLE = 'public, max-age=31536000, immutable'
const REVALIDATED = 'public, max-age=0, must-revalidate'

/**
 * Creates the route that serves the files of a folder. The path itself serves `index.html`. Names that begin with a dot, and links that
 * lead out of the folder, are 404. If `app.js.br` or `app.js.gz` exists beside `app.js`, clients get the encoding that they accept.
 *
 * @example
 * ```ts
 * definePlugin({ name: 'site', version: '1.0.0', routes: staticFiles({ path: '/site', folder: './dist' }) })
 * ```
 */
export function staticFiles({ path, folder, immutable }: StaticFilesOptions): readonly PluginRoute[] {
  return [
    {
      method: 'GET',
      path: `${path.replace(/\/$/, '')}/*`,
      summary: `Sends a file of ${path}.`,
      protection: 'public',
      pathParameters: {},
      responses: describeFileResponses({
        'Content-Encoding': 'The compression of the file.',
        Vary: 'The headers of a request that select the response.',
      }),
      run: async (request) => {
        const { '*': rest = '' } = request.path
        const name = rest === '' ? 'index.html' : rest
        const file = await findFile(resolve(folder), name, request.headers.get('accept-encoding') ?? '')
        const isImmutable = immutable !== undefined && name.search(immutable) >= 0
        return sendFile(request, file, name, isImmutable ? IMMUTABLE : REVALIDATED)
      },
    },
  ]
}

/** An open file, which may be compressed. */
interface OpenFile {
  readonly handle: FileHandle
  readonly stats: Stats
  readonly encoding: string | undefined
}

/** Encodings, the smaller ones first. */
const ENCODINGS: readonly (readonly [encoding: string, ending: string])[] = [
  ['br', '.br'],
  ['gzip', '.gz'],
]

/** @throws NOT_FOUND */
async function findFile(folder: string, name: string, accepted: string): Promise<OpenFile> {
  const file = join(folder, ...requireSegments(name))
  for (const [encoding, ending] of ENCODINGS) {
    const encoded = accepts(accepted, encoding) ? await openFile(folder, `${file}${ending}`) : undefined
    if (encoded) return { ...encoded, encoding }
  }
  const plain = await openFile(folder, file)
  if (!plain) throw new DaybookError('NOT_FOUND')
  return { ...plain, encoding: undefined }
}

/** @throws NOT_FOUND for a name that could lead elsewhere, or begins with a dot */
function requireSegments(name: string): readonly string[] {
  const segments = name.split('/')
  const isPlain = segments.every((segment) => segment !== '' && !segment.startsWith('.') && !/[\\:\0]/.test(segment))
  if (!isPlain) throw new DaybookError('NOT_FOUND')
  return segments
}

/** True if `Accept-Encoding` names an encoding with a quality above 0 (RFC 9110, section 12.5.3). */
function accepts(accepted: string, encoding: string): boolean {
  return accepted
    .toLowerCase()
    .split(',')
    .some((item) => {
      const [name = '', ...parameters] = item.split(';').map((part) => part.trim())
      return name === encoding && !parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter))
    })
}

/** The codes of errors that mean that a file is not there, or must not be served. */
const ABSENT: readonly unknown[] = ['ENOENT', 'ENOTDIR', 'EISDIR', 'ELOOP', 'ENAMETOOLONG', 'EACCES', 'EPERM']

/** Opens a file of the folder. Returns `undefined` if there is none. */
async function openFile(folder: string, file: string): Promise<Omit<OpenFile, 'encoding'> | undefined> {
  try {
    const [root, real] = [await realpath(folder), await realpath(file)]
    if (!real.startsWith(root.endsWith(sep) ? root : `${root}${sep}`)) return undefined
    const handle = await open(real, 'r')
    const stats = await handle.stat()
    if (stats.isFile()) return { handle, stats }
    await handle.close()
    return undefined
  } catch (error) {
    if (ABSENT.includes((error as NodeJS.ErrnoException).code)) return undefined
    throw error
  }
}

/** The largest range that is read into memory, in bytes; larger ones are streamed. */
const BUFFERED_BYTES = 65_536

async function sendFile(
  request: PluginRequest,
  { handle, stats: { mtimeMs, size }, encoding }: OpenFile,
  name: string,
  cacheControl: string,
): Promise<Response> {
  const version = [mtimeMs, size].map((value) => Math.round(value).toString(36)).join('-')
  let isOpen = true
  const open = async ({ start, end }: ByteRange = { start: 0, end: size - 1 }): Promise<FileBody> => {
    const length = end - start + 1
    if (length <= BUFFERED_BYTES) return new FileBody(Readable.from([await readBytes(handle, start, length)]), length)
    isOpen = false
    return new FileBody(handle.createReadStream({ start, end }), length)
  }
  const headers = {
    'Content-Type': contentType(name),
    'Cache-Control': cacheControl,
    Vary: 'Accept-Encoding',
    ...(encoding === undefined ? {} : { 'Content-Encoding': encoding }),
  }
  try {
    return await respondWithFile(request, { size, tag: `"${version}${encoding ?? ''}"`, headers, open })
  } finally {
    if (isOpen) await handle.close()
  }
}

async function readBytes(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await handle.read({ buffer: Buffer.alloc(length), position })
  return buffer.subarray(0, bytesRead)
}

function contentType(name: string): string {
  const type = lookup(name) ?? 'application/octet-stream'
  const isText = type.startsWith('text/') || /\b(?:json|javascript|xml)$/.test(type)
  return isText ? `${type}; charset=utf-8` : type
}
