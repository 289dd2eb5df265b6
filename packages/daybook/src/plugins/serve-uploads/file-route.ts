import {
  type CallerFiles,
  DaybookError,
  describeFileResponses,
  formatDisposition,
  isAuthenticated,
  mustBeSaved,
  type PluginContext,
  type PluginRequest,
  type PluginRoute,
  respondWithFile,
  type StoredFile,
  servedType,
} from '../../index.ts'
import { isSigned } from './signed-url.ts'

/** For URLs that contain the digest of the file. */
const IMMUTABLE = 'public, max-age=31536000, immutable'
const REVALIDATED = 'public, max-age=0, must-revalidate'
const PRIVATE = 'private, no-store'
/** Denies all rights to a file with scripts, in case a browser shows it (CSP level 3). */
const SANDBOX = "default-src 'none'; sandbox"
/** The length of the digest in a URL, in characters. */
const VERSION_LENGTH = 16

/** The parts of {@link fileRoute}. */
interface FileRouteOptions {
  readonly path: string
  readonly inline: readonly string[]
  readonly secret: string | undefined
  /** The files that callers without a session may read. */
  readonly publicFiles: CallerFiles
  /** Returns headers that name the documents of a response to a CDN. */
  readonly cacheTags: PluginContext['cacheTags']
}

export function fileRoute({ path, inline, secret, publicFiles, cacheTags }: FileRouteOptions): PluginRoute {
  return {
    method: 'GET',
    path: `${path}/*`,
    operationId: 'getUpload',
    summary: 'Sends the file of an asset.',
    protection: 'public',
    parameters: { ...VERSION, ...(secret === undefined ? {} : SIGNATURE) },
    responses: describeFileResponses({
      'Content-Disposition': '`inline` or `attachment`, and the name of the file (RFC 6266).',
      'Content-Security-Policy': 'Denies all rights to a file with scripts (CSP level 3).',
    }),
    async run(request) {
      const { file, isPublic } = await findFile(request, publicFiles, secret)
      const cacheControl = isPublic ? publicCaching(request, file) : PRIVATE
      const tags = isPublic ? cacheTags([`assets:${file.id}`]) : {}
      return respondWithFile(request, {
        size: file.size,
        tag: `"${file.sha256}"`,
        headers: { ...headersFor(file, inline, cacheControl), ...tags },
        open: (range) => openFile(request, file, range),
      })
    },
  }
}

const VERSION: PluginRoute['parameters'] = {
  v: {
    description: `The first ${VERSION_LENGTH} characters of the file's sha256; with them, caches may store the file for a year.`,
    schema: { type: 'string', maxLength: 64 },
  },
}

const SIGNATURE: PluginRoute['parameters'] = {
  expires: {
    description: 'The time when a signed address expires, in seconds since 1970.',
    schema: { type: 'integer', minimum: 0 },
  },
  signature: {
    description: 'Shows a private file to everyone who has the address.',
    schema: { type: 'string', maxLength: 64 },
  },
}

interface ReadableFile {
  readonly file: StoredFile
  /** True if everyone may read it. */
  readonly isPublic: boolean
}

/** @throws NOT_FOUND for a file that the caller may not read; FORBIDDEN for an invalid signature */
async function findFile(
  { path: { '*': path = '' }, query, caller, content, asSystem }: PluginRequest,
  publicFiles: CallerFiles,
  secret: string | undefined,
): Promise<ReadableFile> {
  const { expires, signature } = query
  if (secret !== undefined && (expires !== undefined || signature !== undefined)) {
    if (!isSigned(secret, path, Number(expires), String(signature)))
      throw new DaybookError('FORBIDDEN', 'This address has expired or was changed. Request a new one.')
    const signed = await asSystem({ reason: 'a signed address' }).files.find(path)
    return { file: requireFile(signed), isPublic: false }
  }
  const publicFile = await publicFiles.find(path)
  if (publicFile) return { file: publicFile, isPublic: true }
  const file = isAuthenticated(caller) ? await content.files.find(path) : null
  return { file: requireFile(file), isPublic: false }
}

function requireFile(file: StoredFile | null): StoredFile {
  if (!file) throw new DaybookError('NOT_FOUND')
  return file
}

/** After an asset is deleted, another one may get its name, so caches must revalidate URLs without the digest. */
function publicCaching({ query: { v } }: PluginRequest, { sha256 }: StoredFile): string {
  return v === sha256.slice(0, VERSION_LENGTH) ? IMMUTABLE : REVALIDATED
}

function headersFor(
  { mimeType, filename, originalName }: StoredFile,
  inline: readonly string[],
  cacheControl: string,
): Readonly<Record<string, string>> {
  const isInline = inline.includes(mimeType)
  const isSaved = mustBeSaved(mimeType) && !isInline
  const type = isInline ? mimeType : servedType(mimeType)
  return {
    'Content-Type': type.startsWith('text/') ? `${type}; charset=utf-8` : type,
    'Content-Disposition': formatDisposition(mimeType, filename, originalName, isSaved),
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
    log.error({ asset: file.id, path: file.path }, 'uploads: the file of an asset is missing in the file store')
  return content
}
