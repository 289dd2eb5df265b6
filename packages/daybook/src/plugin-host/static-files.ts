import type { Stats } from 'node:fs'
import { type FileHandle, open, realpath } from 'node:fs/promises'
import { join, resolve, sep } from 'node:path'
import { Readable } from 'node:stream'
import { lookup } from 'mrmime'
import type { ByteRange } from '../assets/blob-store.ts'
import { FileBody } from '../assets/file-body.ts'
import { DaybookError } from '../errors.ts'
import { answerFile, fileAnswers } from './file-answer.ts'
import type { PluginRequest, PluginRoute } from './route.ts'

/** A folder to serve. */
export interface StaticFilesOptions {
  /** Where the files are, such as `/assets`; `/` serves them wherever nothing else answers. */
  readonly path: string
  /** Relative to the working directory, or absolute. */
  readonly folder: string
  /** Files whose name changes with their content, such as `/\.[0-9a-f]{8}\./`: browsers keep them for a year. @default none */
  readonly immutable?: RegExp
}

const IMMUTABLE = 'public, max-age=31536000, immutable'
const REVALIDATED = 'public, max-age=0, must-revalidate'

/**
 * The route that serves the files of a folder. `index.html` answers the path itself. Names that begin with a dot, and links that lead
 * out of the folder, are not there. Of `app.js.br` and `app.js.gz` beside `app.js`, clients get what they take.
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
      answers: fileAnswers({
        'Content-Encoding': 'How the file is compressed.',
        Vary: 'Which headers of a request choose the answer.',
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

/** An open file, as it is or compressed. */
interface FoundFile {
  readonly handle: FileHandle
  readonly stats: Stats
  readonly encoding: string | undefined
}

/** Compressed forms, the smaller ones first. */
const ENCODINGS: readonly (readonly [encoding: string, ending: string])[] = [
  ['br', '.br'],
  ['gzip', '.gz'],
]

/** @throws NOT_FOUND */
async function findFile(folder: string, name: string, accepted: string): Promise<FoundFile> {
  const file = join(folder, ...requireSegments(name))
  for (const [encoding, ending] of ENCODINGS) {
    const found = accepts(accepted, encoding) ? await openFile(folder, `${file}${ending}`) : undefined
    if (found) return { ...found, encoding }
  }
  const found = await openFile(folder, file)
  if (!found) throw new DaybookError('NOT_FOUND')
  return { ...found, encoding: undefined }
}

/** @throws NOT_FOUND for a name that could lead elsewhere, or begins with a dot */
function requireSegments(name: string): readonly string[] {
  const segments = name.split('/')
  const isPlain = segments.every((segment) => segment !== '' && !segment.startsWith('.') && !/[\\:\0]/.test(segment))
  if (!isPlain) throw new DaybookError('NOT_FOUND')
  return segments
}

/** Whether `Accept-Encoding` names an encoding, and does not rule it out (RFC 9110, section 12.5.3). */
function accepts(accepted: string, encoding: string): boolean {
  return accepted
    .toLowerCase()
    .split(',')
    .some((one) => {
      const [name = '', ...parameters] = one.split(';').map((part) => part.trim())
      return name === encoding && !parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter))
    })
}

/** What keeps a file from being there, whatever the reason. */
const ABSENT: readonly unknown[] = ['ENOENT', 'ENOTDIR', 'EISDIR', 'ELOOP', 'ENAMETOOLONG', 'EACCES', 'EPERM']

/** Opens a file of the folder; `undefined`: there is none. */
async function openFile(folder: string, file: string): Promise<Omit<FoundFile, 'encoding'> | undefined> {
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

/** The most bytes that are read at once. */
const READ_AT_ONCE = 65_536

async function sendFile(
  request: PluginRequest,
  { handle, stats: { mtimeMs, size }, encoding }: FoundFile,
  name: string,
  cacheControl: string,
): Promise<Response> {
  const version = [mtimeMs, size].map((one) => Math.round(one).toString(36)).join('-')
  let isOpen = true
  const open = async ({ start, end }: ByteRange = { start: 0, end: size - 1 }): Promise<FileBody> => {
    const length = end - start + 1
    if (length <= READ_AT_ONCE) return new FileBody(Readable.from([await readBytes(handle, start, length)]), length)
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
    return await answerFile(request, { size, tag: `"${version}${encoding ?? ''}"`, headers, open })
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
