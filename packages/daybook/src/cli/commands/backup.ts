import { resolve } from 'node:path'
import { disk } from '../../assets/disk.ts'
import type { DaybookConfig } from '../../config/config.ts'
import { countStoredFiles } from '../../content/assets/stored-files.ts'
import { StartupError } from '../../errors.ts'
import { compileModel } from '../../model/compile.ts'
import type { Model } from '../../model/model.ts'
import type { Snapshot } from '../../store/database.ts'
import { SqliteSnapshot } from '../../store/sqlite/sqlite-snapshot.ts'
import { BackupFolder } from '../backup/backup-folder.ts'
import { loadConfig } from '../config-file.ts'
import { describeFaults, exportFiles, type FilesOutcome } from '../files/export-files.ts'
import { requireCopyable } from '../fit-snapshot.ts'
import { openSnapshot } from '../open-snapshot.ts'
import { type CommandLine, dataFolder, readCommandOptions } from '../options.ts'
import { UsageError } from '../usage.ts'

const OPTIONS = {
  /** Back up the files of the assets, and no database: for a database that has its own backups, such as PostgreSQL. */
  'files-only': { type: 'boolean' },
} as const

/** The number of snapshots after which files that are still missing are reported, even if other files are missing each time. */
const MAX_ROUNDS = 5

/**
 * `daybook backup DIR`: saves the database and the files of the assets in a folder, also while a service writes. Answers 0 if all
 * files are saved, else 1; the database is saved either way.
 *
 * @throws {UsageError} if the command line is wrong; {StartupError} if there is no store, or the folder cannot be written
 */
export async function backup(args: readonly string[]): Promise<number> {
  const options = readCommandOptions(args, OPTIONS)
  const path = requireFolder(options, 'backup')
  const isFilesOnly = options.flag('files-only')
  const config = await loadConfig(options.text('config'))
  if (config.database && !isFilesOnly) throw new StartupError(DATABASE_ADVICE)
  const source = { config, model: compileModel(config), data: resolve(dataFolder(options)) }
  try {
    return await saveStore(source, path, isFilesOnly)
  } catch (error) {
    const isFull = ['ENOSPC', 'SQLITE_FULL'].includes(String((error as NodeJS.ErrnoException).code))
    throw isFull ? new StartupError(`${path} is on a full disk. ${GO_ON}`) : error
  }
}

const GO_ON = 'What has arrived stays: once there is room, the same command continues.'

/** Saves the files and, unless files alone are wanted, the database. */
async function saveStore(source: BackupSource, path: string, isFilesOnly: boolean): Promise<number> {
  const folder = new BackupFolder(path)
  await folder.prepare()
  const saved = await saveFiles(source, folder)
  try {
    const { written, there, faults } = saved.files
    const files = `${written + there} files (${written} new)`
    if (saved.snapshot instanceof SqliteSnapshot && !isFilesOnly) {
      await folder.saveDatabase(saved.snapshot, saved.seq)
      process.stdout.write(`backed up the database as of ${saved.seq}, and ${files}, to ${path}\n`)
    } else process.stdout.write(`backed up ${files}, to ${path}\n`)
    if (faults.length > 0)
      process.stderr.write(`${describeFaults(faults)}The backup lacks these files: ${faults.length}.\n`)
    return faults.length === 0 ? 0 : 1
  } finally {
    await saved.snapshot.close()
  }
}

const DATABASE_ADVICE =
  'The config names a database, which has its own tools for backups: use pg_dump, or base backups with archived logs. ' +
  'Then back up the files of the assets alone: daybook backup DIR --files-only.'

/** @throws {UsageError} unless the command line names one folder */
export function requireFolder({ positionals }: CommandLine, command: string): string {
  const [path, ...others] = positionals
  if (path === undefined || others.length > 0) throw new UsageError(`Name one folder: daybook ${command} DIR.`)
  return path
}

/** The store that is backed up. */
interface BackupSource {
  readonly config: DaybookConfig
  readonly model: Model
  readonly data: string
}

/** A snapshot whose files are saved. */
interface SavedFiles {
  readonly snapshot: Snapshot
  /** The last change of the journal in the snapshot. */
  readonly seq: number
  readonly files: FilesOutcome
}

/**
 * Saves the files of a snapshot. A service may delete files meanwhile: then a newer snapshot, which no longer has their assets, takes the
 * place of the first. A file is missing if it was so before the snapshot was opened.
 */
async function saveFiles({ config, model, data }: BackupSource, folder: BackupFolder): Promise<SavedFiles> {
  const blobs = await (config.assets?.store ?? disk()).open({ data })
  try {
    let missing: ReadonlySet<string> = new Set()
    for (let round = 1; ; round += 1) {
      const snapshot = await openSnapshot(config, data)
      try {
        const read = await requireCopyable(snapshot)
        const total = await countStoredFiles(model, read)
        const files = await exportFiles({ model, read, blobs, folder: folder.files, since: undefined, total })
        if (round === MAX_ROUNDS || files.faults.every((fault) => missing.has(fault)))
          return { snapshot, seq: await read.journal.head(), files }
        missing = new Set(files.faults)
      } catch (error) {
        await snapshot.close()
        throw error
      }
      await snapshot.close()
    }
  } finally {
    await blobs.close()
  }
}
