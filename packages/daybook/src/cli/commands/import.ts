import { statSync } from 'node:fs'
import { readCommandOptions } from '../options.ts'
import { UsageError } from '../usage.ts'

const OPTIONS = {
  /** The collection to fill. @default needed */
  collection: { type: 'string' },
  /** A front-matter key goes to a field of another name. */
  map: { type: 'string', multiple: true },
  /** Every entry gets this value; a file with `draft: true` stays a draft. @see docs/importing.md#give-every-entry-a-value */
  set: { type: 'string', multiple: true },
  /** The field that tells whether an entry is there already. @default the slug */
  key: { type: 'string' },
  /** The field that the text goes to. @default `body`, else the only Markdown field */
  body: { type: 'string' },
  /** DIR has one folder for each locale; files at the same place are one entry. @see docs/locales.md#import-a-translated-folder */
  'locale-folders': { type: 'boolean' },
  /** Reports the outcome, and stores nothing: it works on a copy, in the folder for temporary files, of everything that is stored. */
  'dry-run': { type: 'boolean' },
} as const

const FILE_OPTIONS = {
  /** The folder of the files, as `daybook export --files` wrote it. @default files are not brought @see docs/export-and-restore.md#bring-the-files-along */
  files: { type: 'string' },
} as const

/**
 * `daybook import`: brings in a folder of Markdown files, or restores an export.
 *
 * @throws {UsageError} when the command line names what is not there
 */
export async function importContent(args: readonly string[]): Promise<number> {
  const options = readCommandOptions(args, { ...OPTIONS, ...FILE_OPTIONS })
  const [path, ...others] = options.positionals
  if (path === undefined || others.length > 0) {
    throw new UsageError('Name one folder, daybook import DIR --collection KEY, or one export, daybook import FILE.')
  }
  const found = statSync(path, { throwIfNoEntry: false })
  if (found?.isDirectory() && options.has('files'))
    throw new UsageError(`--files is about exports, and "${path}" is a folder.`)
  if (found?.isDirectory()) return (await import('../import/import-folder.ts')).importFolder(options, path)
  if (!found?.isFile()) throw new UsageError(`There is no folder "${path}", nor a file.`)
  const [own] = Object.keys(OPTIONS).filter((name) => options.has(name))
  if (own !== undefined) throw new UsageError(`--${own} is about folders, and "${path}" is a file.`)
  return (await import('../restore/restore-file.ts')).restoreFile(options, path)
}
