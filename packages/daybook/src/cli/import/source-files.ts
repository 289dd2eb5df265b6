import { isUtf8 } from 'node:buffer'
import { type Dirent, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { dirname, extname, isAbsolute, join, relative, sep } from 'node:path'
import type { LocalesModel } from '../../model/model.ts'
import { UsageError } from '../command.ts'
import { FileError } from './file-error.ts'

const MARKDOWN = /\.(?:md|mdx|markdown)$/i
const MAX_FILE_BYTES = 16 * 1024 * 1024

/**
 * Finds the Markdown and MDX files below a folder, in the order of their names. Hidden files and folders are ignored, and links to
 * folders are not followed.
 *
 * @param folder the start of each path
 */
function* listMarkdownFiles(folder: string): Generator<string> {
  for (const entry of listVisibleEntries(folder)) {
    const path = join(entry.parentPath, entry.name)
    if (MARKDOWN.test(entry.name) && isFile(entry, path)) yield path
  }
}

/** Finds the links to folders below a folder. The import does not follow them. */
export function* listLinkedFolders(folder: string): Generator<string> {
  for (const entry of listVisibleEntries(folder)) {
    const path = join(entry.parentPath, entry.name)
    if (entry.isSymbolicLink() && statSync(path, { throwIfNoEntry: false })?.isDirectory()) yield path
  }
}

/** Lists the files and links below a folder, in the order of their names. */
function* listVisibleEntries(folder: string): Generator<Dirent> {
  for (const entry of readdirSync(folder, { withFileTypes: true }).sort(compareNames)) {
    if (entry.name.startsWith('.') || entry.name === 'node_modules') continue
    if (entry.isDirectory()) yield* listVisibleEntries(join(folder, entry.name))
    else yield entry
  }
}

/** Counts the files that {@link listMarkdownFiles} finds. */
export const countFiles = (folder: string): number => listMarkdownFiles(folder).reduce((count) => count + 1, 0)

/**
 * Reads the text of a file.
 *
 * @throws {FileError} if it is too large, or no text
 */
export function readText(path: string): string {
  const { size } = statSync(path)
  if (size > MAX_FILE_BYTES) throw new FileError(`The file is larger than ${MAX_FILE_BYTES / 1024 ** 2} MiB.`)
  const bytes = readFileSync(path)
  if (!isUtf8(bytes)) throw new FileError('The file is not UTF-8 text.')
  return bytes.toString('utf8')
}

const compareNames = (a: Dirent, b: Dirent): number => (a.name < b.name ? -1 : 1)

function isFile(entry: Dirent, path: string): boolean {
  if (!entry.isSymbolicLink()) return entry.isFile()
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true
}

/** The files of an entry: a single one, or one for each locale. */
export interface SourcePage {
  /** The source of the entry's slug: a path below the folder, or below that of the locale. */
  readonly name: string
  readonly files: readonly SourceFilePath[]
}

export interface SourceFilePath {
  readonly path: string
  /** The locale of its text; `undefined`: the default of the config. */
  readonly locale: string | undefined
}

/** Lists the files of a folder, each as an entry. */
export function* listSinglePages(folder: string): Generator<SourcePage> {
  for (const path of listMarkdownFiles(folder)) {
    yield { name: relative(folder, path), files: [{ path, locale: undefined }] }
  }
}

/**
 * Lists the files of a folder with one folder for each locale. Files at the same place are one entry, that of the default locale
 * first.
 *
 * @throws {UsageError} if a file is in no folder of a locale, or two files of a locale are at the same place
 */
export function listLocalizedPages(folder: string, locales: LocalesModel | undefined): readonly SourcePage[] {
  if (!locales) throw new UsageError('--locale-folders requires a config with locales.')
  const filesByPlace = new Map<string, SourceFilePath[]>()
  for (const path of listMarkdownFiles(folder)) {
    const [locale = '', ...place] = relative(folder, path).split(sep)
    if (place.length === 0 || !locales.available.includes(locale)) {
      throw new UsageError(
        `${path} is not in the folder of a locale. Use folders named: ${locales.available.join(', ')}.`,
      )
    }
    const key = removeExtension(join(...place))
    const files = filesByPlace.get(key) ?? []
    const otherFile = files.find((file) => file.locale === locale)
    if (otherFile) throw new UsageError(`${path} is the same entry as ${otherFile.path}. Leave one of them out.`)
    filesByPlace.set(key, [...files, { path, locale }])
  }
  const places = [...filesByPlace.keys()]
  const placesByName = Map.groupBy(places, getShortName)
  return places.map((place) => {
    // The whole path distinguishes pages of the same name.
    const isUnique = placesByName.get(getShortName(place))?.length === 1
    const name = isUnique ? getShortName(place) : getLongName(place)
    const files = (filesByPlace.get(place) ?? []).toSorted((a, b) => getRank(locales, a) - getRank(locales, b))
    return { name: `${name}.md`, files }
  })
}

const getRank = (locales: LocalesModel, { locale }: SourceFilePath): number => (locale === locales.default ? 0 : 1)

const removeExtension = (path: string): string => path.slice(0, path.length - extname(path).length)

/** `about` for `about/index`. */
const toPagePath = (path: string): string => (/[\\/]index$/.test(path) ? dirname(path) : path)

const getShortName = (path: string): string => toPagePath(path).split(sep).at(-1) ?? path

const getLongName = (path: string): string => toPagePath(path).split(sep).join('-')

/** The largest number of pages in a batch. */
const MAX_PAGES = 16
/** The size of the files at which a batch is complete, in bytes. */
const ENOUGH_BYTES = 256 * 1024

/** Groups pages into batches: small enough for all their texts to be in memory, and large enough to share a commit. */
export function* groupIntoBatches(pages: Iterable<SourcePage>): Generator<readonly SourcePage[]> {
  let batch: SourcePage[] = []
  let bytes = 0
  for (const page of pages) {
    batch.push(page)
    bytes += measureSize(page)
    if (batch.length < MAX_PAGES && bytes < ENOUGH_BYTES) continue
    yield batch
    batch = []
    bytes = 0
  }
  if (batch.length > 0) yield batch
}

const measureSize = ({ files }: SourcePage): number =>
  files.reduce((sum, { path }) => sum + (statSync(path, { throwIfNoEntry: false })?.size ?? 0), 0)

/** The imported folder. Neither paths nor symbolic links lead out of it. */
export class ImportRoot {
  readonly #path: string

  constructor(folder: string) {
    this.#path = realpathSync(folder)
  }

  /**
   * Finds the file that another file names by a relative path, such as `./img/cat.png`.
   *
   * @returns `undefined` for addresses of other kinds: `https://…`, `//…`, `/…`, `data:…`, `#…`
   * @throws {FileError} if there is no such file, or it is hidden or outside of the folder
   */
  find(from: string, address: string): string | undefined {
    const isRelative = !/^(?:[a-z][a-z0-9+.-]*:|[/\\#?]|$)/i.test(address)
    if (!isRelative) return undefined
    return this.locate(join(dirname(from), decode(address.replace(/[?#].*$/s, ''))))
  }

  /**
   * Resolves the symbolic links of a path.
   *
   * @throws {FileError} if there is no such file, or it is hidden or outside of the folder
   */
  locate(path: string): string {
    const realPath = resolveFile(path)
    const inside = relative(this.#path, realPath).split(sep)
    if (inside[0] === '..' || isAbsolute(inside.join(sep))) {
      throw new FileError('The file is outside of the imported folder. Copy it into the folder.')
    }
    if (inside.some((segment) => segment.startsWith('.')))
      throw new FileError('The file is hidden. Rename it or its folder.')
    return realPath
  }
}

function resolveFile(path: string): string {
  try {
    const realPath = realpathSync(path)
    if (statSync(realPath).isFile()) return realPath
  } catch {
    // A path that cannot be read is reported as missing.
  }
  throw new FileError('The file does not exist.')
}

/** Decodes the path of an address. A path with a stray `%` is not encoded. */
function decode(address: string): string {
  try {
    return decodeURIComponent(address)
  } catch {
    return address
  }
}
