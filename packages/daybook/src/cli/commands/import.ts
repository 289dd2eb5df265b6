import { statSync } from 'node:fs'
import { readCommandOptions } from '../options.ts'
import { UsageError } from '../usage.ts'

const OPTIONS = {
  collection: { type: 'string' },
  map: { type: 'string', multiple: true },
  key: { type: 'string' },
  body: { type: 'string' },
  'locale-folders': { type: 'boolean' },
  'dry-run': { type: 'boolean' },
} as const

/**
 * `daybook import`: brings in a folder of Markdown files, or restores an export.
 *
 * @throws {UsageError} when the command line names what is not there
 */
export async function importContent(args: readonly string[]): Promise<number> {
  const options = readCommandOptions(args, OPTIONS)
  const [path, ...others] = options.positionals
  if (path === undefined || others.length > 0) {
    throw new UsageError('Name one folder, daybook import DIR --collection KEY, or one export, daybook import FILE.')
  }
  const found = statSync(path, { throwIfNoEntry: false })
  if (found?.isDirectory()) return (await import('../import/import-folder.ts')).importFolder(options, path)
  if (!found?.isFile()) throw new UsageError(`There is no folder "${path}", nor a file.`)
  const [own] = Object.keys(OPTIONS).filter((name) => options.has(name))
  if (own !== undefined) throw new UsageError(`--${own} is about folders, and "${path}" is a file.`)
  return (await import('../restore/restore-file.ts')).restoreFile(options, path)
}
