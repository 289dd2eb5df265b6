import { createHash } from 'node:crypto'
import { createReadStream, existsSync } from 'node:fs'
import { glob, readFile } from 'node:fs/promises'
import { findPackageJSON } from 'node:module'
import { dirname, extname, join } from 'node:path'
import { Readable } from 'node:stream'
import { DecompressionStream, type ReadableStream } from 'node:stream/web'
import { fileURLToPath } from 'node:url'
import { LOGO_TYPES } from '../../config/docs.ts'

/** The script of the page, which imports all others. */
export const START_SCRIPT = 'start.js'
/** The entry of Scalar, whose imports have digests in their names. */
export const SCALAR_ENTRY = 'standalone.esm.js'

/**
 * Finds the source scripts of the docs page, as paths by name: that of Daybook, and Scalar's build for browsers. The published
 * package has compressed copies instead.
 */
export async function findDocsSources(): Promise<ReadonlyMap<string, string>> {
  const manifest = findPackageJSON('@scalar/api-reference', import.meta.url)
  if (manifest === undefined) throw new Error('The docs page requires @scalar/api-reference. Run: npm ci')
  const scalar = join(dirname(manifest), 'dist/browser')
  const sources = new Map([[START_SCRIPT, fileURLToPath(new URL(START_SCRIPT, import.meta.url))]])
  for await (const name of glob([SCALAR_ENTRY, 'chunks/*.js'], { cwd: scalar })) {
    sources.set(name.replaceAll('\\', '/'), join(scalar, name))
  }
  return sources
}

/** The folder of the scripts in the published package, each compressed in two codings. */
const BUILT = fileURLToPath(new URL('./files', import.meta.url))
/** The file extensions by encoding (RFC 9110, section 8.4.1), in order of preference. */
export const ENCODED_ENDINGS = { br: '.br', gzip: '.gz' } as const

type Encoding = keyof typeof ENCODED_ENDINGS

const MEDIA_TYPES: Readonly<Record<string, string>> = { ...LOGO_TYPES, '.js': 'text/javascript; charset=utf-8' }

/** The paths of one file, by encoding. */
type StoredFile = { readonly [E in Encoding | 'identity']?: string }

export interface OpenFile {
  readonly mediaType: string
  readonly encoding: Encoding | undefined
  readonly content: ReadableStream<Uint8Array>
}

/** The scripts and the logo of the docs page. */
export class DocsFiles {
  /** A digest of the files. */
  readonly version: string
  /** The name of the logo, if there is one. */
  readonly logo: string | undefined
  readonly #files: ReadonlyMap<string, StoredFile>

  private constructor(files: ReadonlyMap<string, StoredFile>, version: string, logo: string | undefined) {
    this.#files = files
    this.version = version
    this.logo = logo
  }

  /** @param logo the path of an image */
  static async open(logo: string | undefined): Promise<DocsFiles> {
    const scripts = existsSync(BUILT) ? await listBuiltFiles() : await listSourceFiles()
    const logoName = logo === undefined ? undefined : `logo${extname(logo)}`
    const files = new Map(scripts)
    if (logoName !== undefined && logo !== undefined) files.set(logoName, { identity: logo })
    return new DocsFiles(files, await computeVersion(files, [START_SCRIPT, SCALAR_ENTRY, logoName]), logoName)
  }

  /**
   * Opens a file for a client.
   *
   * @param accepted the `Accept-Encoding` of the client
   * @returns `undefined` if there is no such file
   */
  read(name: string, accepted: string | null): OpenFile | undefined {
    const stored = this.#files.get(name)
    if (!stored) return undefined
    const encoding = ENCODINGS.find(
      (candidate) => stored[candidate] !== undefined && acceptsEncoding(accepted, candidate),
    )
    const content = encoding === undefined ? openPlain(stored) : openPath(stored[encoding])
    return { mediaType: MEDIA_TYPES[extname(name)] ?? 'application/octet-stream', encoding, content }
  }
}

const ENCODINGS = Object.keys(ENCODED_ENDINGS) as readonly Encoding[]

async function listBuiltFiles(): Promise<ReadonlyMap<string, StoredFile>> {
  const files = new Map<string, StoredFile>()
  for await (const path of glob('**/*.{br,gz}', { cwd: BUILT })) {
    const encoding = ENCODINGS.find((candidate) => path.endsWith(ENCODED_ENDINGS[candidate])) as Encoding
    const name = path.slice(0, -ENCODED_ENDINGS[encoding].length).replaceAll('\\', '/')
    files.set(name, { ...files.get(name), [encoding]: join(BUILT, path) })
  }
  return files
}

async function listSourceFiles(): Promise<ReadonlyMap<string, StoredFile>> {
  return new Map([...(await findDocsSources())].map(([name, path]) => [name, { identity: path }]))
}

async function computeVersion(
  files: ReadonlyMap<string, StoredFile>,
  names: readonly (string | undefined)[],
): Promise<string> {
  const digest = createHash('sha256')
  for (const name of names) {
    const [path] = Object.values(files.get(name ?? '') ?? {})
    if (path !== undefined) digest.update(await readFile(path))
  }
  return digest.digest('hex').slice(0, 16)
}

/** True if an `Accept-Encoding` contains an encoding without rejecting it (RFC 9110, section 12.5.3). */
function acceptsEncoding(accepted: string | null, encoding: Encoding): boolean {
  return (accepted ?? '').split(',').some((part) => {
    const [name, weight = ''] = part.split(';').map((item) => item.trim().toLowerCase())
    return name === encoding && !/^q=0(?:\.0*)?$/.test(weight)
  })
}

function openPlain({ identity, gzip }: StoredFile): ReadableStream<Uint8Array> {
  return identity === undefined ? openPath(gzip).pipeThrough(new DecompressionStream('gzip')) : openPath(identity)
}

const openPath = (path = ''): ReadableStream<Uint8Array> => Readable.toWeb(createReadStream(path))
