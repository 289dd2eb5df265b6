import { isUtf8 } from 'node:buffer'
import { type Dirent, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { FileError } from '../file-error.ts'

const MARKDOWN = /\.(?:md|mdx|markdown)$/i
/** The largest file, in bytes. */
const MAX_FILE_BYTES = 16 * 1024 * 1024

/**
 * Paths of the Markdown and MDX files below a folder, in order of their names. Hidden files and folders are left
 * out, and links to folders are not followed.
 *
 * @param folder the paths begin with it, as it is written
 */
export function* markdownFiles(folder: string): Generator<string> {
  for (const entry of visibleEntries(folder)) {
    const path = join(entry.parentPath, entry.name)
    if (MARKDOWN.test(entry.name) && isFile(entry, path)) yield path
  }
}

/** Paths of the links to folders below a folder, which are not followed. */
export function* linkedFolders(folder: string): Generator<string> {
  for (const entry of visibleEntries(folder)) {
    const path = join(entry.parentPath, entry.name)
    if (entry.isSymbolicLink() && statSync(path, { throwIfNoEntry: false })?.isDirectory()) yield path
  }
}

/** The files and links below a folder, in order of their names. */
function* visibleEntries(folder: string): Generator<Dirent> {
  for (const entry of readdirSync(folder, { withFileTypes: true }).sort(byName)) {
    if (entry.name.startsWith('.') || entry.name === 'node_modules') continue
    if (entry.isDirectory()) yield* visibleEntries(join(folder, entry.name))
    else yield entry
  }
}

/** How many files there are to bring in. */
export function countFiles(folder: string): number {
  let count = 0
  for (const _path of markdownFiles(folder)) count += 1
  return count
}

/**
 * The text of a file.
 *
 * @throws {FileError} when it is too large, or is no text
 */
export function readText(path: string): string {
  const { size } = statSync(path)
  if (size > MAX_FILE_BYTES) throw new FileError(`is larger than ${MAX_FILE_BYTES / 1024 ** 2} MiB`)
  const bytes = readFileSync(path)
  if (!isUtf8(bytes)) throw new FileError('is not UTF-8 text')
  return bytes.toString('utf8')
}

const byName = (one: Dirent, other: Dirent): number => (one.name < other.name ? -1 : 1)

function isFile(entry: Dirent, path: string): boolean {
  if (!entry.isSymbolicLink()) return entry.isFile()
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true
}
