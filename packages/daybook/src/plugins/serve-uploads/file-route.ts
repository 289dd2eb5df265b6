import {
  answerFile,
  type CallerFiles,
  DaybookError,
  dispositionOf,
  fileAnswers,
  isAuthenticated,
  mustBeSaved,
  type PluginContext,
  type PluginRequest,
  type PluginRoute,
  type StoredFile,
  servedType,
} from '../../index.ts'
import type { ServeUploadsOptions } from './options.ts'
import { isSigned } from './signature.ts'

/** The same bytes for ever: the address names their digest. */
const IMMUTABLE = 'public, max-age=31536000, immutable'
const REVALIDATED = 'public, max-age=0, must-revalidate'
const PRIVATE = 'private, no-store'
/** What holds scripts gets no rights, should a browser show it after all (CSP level 3). */
const SANDBOX = "default-src 'none'; sandbox"
/** How much of a digest an address names, in characters. */
const VERSION_LENGTH = 16

/** What the route of files is made of. */
export interface FileRouteOptions extends Required<Pick<ServeUploadsOptions, 'path' | 'inline'>> {
  readonly secret: string | undefined
  /** Files as a reader without a session sees them. */
  readonly publicFiles: CallerFiles
  /** Headers that tell a CDN what an answer is made of. */
  readonly cacheTags: PluginContext['cacheTags']
}

/** The route that serves files. */
export function fileRoute({ path, inline, secret, publicFiles, cacheTags }: FileRouteOptions): PluginRoute {
  return {
    method: 'GET',
    path: `${path}/*`,
    operationId: 'getUpload',
    summary: 'Sends the file of an asset.',
    protection: 'public',
    parameters: { ...VERSION, ...(secret === undefined ? {} : SIGNATURE) },
    answers: fileAnswers({
      'Content-Disposition': 'Whether it is shown or saved, and its name (RFC 6266).',
      'Content-Security-Policy': 'What a file that holds scripts may do: nothing (CSP level 3).',
    }),
    async run(request) {
      const { file, isPublic } = await findFile(request, publicFiles, secret)
      const cacheControl = isPublic ? publicCaching(request, file) : PRIVATE
      const tags = isPublic ? cacheTags([`assets:${file.id}`]) : {}
      const headers = { ...headersOf(file, inline, cacheControl), ...tags }
      const answered = { size: file.size, tag: `"${file.sha256}"`, headers }
      return answerFile(request, { ...answered, open: (range) => openFile(request, file, range) })
    },
  }
}

const VERSION: PluginRoute['parameters'] = {
  v: {
    description: `The first ${VERSION_LENGTH} characters of the file's sha256: caches then keep it for a year.`,
    schema: { type: 'string', maxLength: 64 },
  },
}

const SIGNATURE: PluginRoute['parameters'] = {
  expires: {
    description: 'When a signed address ends, in seconds since 1970.',
    schema: { type: 'integer', minimum: 0 },
  },
  signature: {
    description: 'Shows a private file to everyone who has the address.',
    schema: { type: 'string', maxLength: 64 },
  },
}

/** A file, and whether everyone may read it. */
interface FoundFile {
  readonly file: StoredFile
  readonly isPublic: boolean
}

/** @throws NOT_FOUND for a file that the caller may not read; FORBIDDEN for a signature that does not hold */
async function findFile(
  { path: { '*': path = '' }, query, caller, content, asSystem }: PluginRequest,
  publicFiles: CallerFiles,
  secret: string | undefined,
): Promise<FoundFile> {
  const { expires, signature } = query
  if (secret !== undefined && (expires !== undefined || signature !== undefined)) {
    if (!isSigned(secret, path, Number(expires), String(signature))) throw refuseSignature()
    const signed = await asSystem({ reason: 'a signed address' }).files.find(path)
    return { file: requireFile(signed), isPublic: false }
  }
  const shown = await publicFiles.find(path)
  if (shown) return { file: shown, isPublic: true }
  const own = isAuthenticated(caller) ? await content.files.find(path) : null
  return { file: requireFile(own), isPublic: false }
}

function requireFile(file: StoredFile | null): StoredFile {
  if (!file) throw new DaybookError('NOT_FOUND')
  return file
}

const refuseSignature = (): DaybookError =>
  new DaybookError('FORBIDDEN', 'This address has expired, or was changed. Ask for a new one.')

/** A name can be given to another file once its asset is deleted: without the digest, caches have to ask. */
function publicCaching({ query: { v } }: PluginRequest, { sha256 }: StoredFile): string {
  return v === sha256.slice(0, VERSION_LENGTH) ? IMMUTABLE : REVALIDATED
}

function headersOf(
  { mimeType, filename, originalName }: StoredFile,
  inline: readonly string[],
  cacheControl: string,
): Readonly<Record<string, string>> {
  const isInline = inline.includes(mimeType)
  const isSaved = mustBeSaved(mimeType) && !isInline
  const type = isInline ? mimeType : servedType(mimeType)
  return {
    'Content-Type': type.startsWith('text/') ? `${type}; charset=utf-8` : type,
    'Content-Disposition': dispositionOf(mimeType, filename, originalName, isSaved),
    'Cache-Control': cacheControl,
    ...(isSaved ? { 'Content-Security-Policy': SANDBOX } : {}),
  }
}

async function openFile(
  { log }: PluginRequest,
  file: StoredFile,
  range: Parameters<StoredFile['open']>[0],
): Promise<ReadableStream<Uint8Array> | null> {
  const content = await file.open(range)
  if (!content)
    log.error({ asset: file.id, path: file.path }, 'uploads: the store of files has lost the file of an asset')
  return content
}
