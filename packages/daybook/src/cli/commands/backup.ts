import { resolve } from 'node:path'
import type { DaybookConfig } from '../../config/config.ts'
import { StartupError } from '../../errors.ts'
import { compileModel } from '../../model/compile.ts'
import type { Model } from '../../model/model.ts'
import type { Snapshot } from '../../store/database.ts'
import { SqliteSnapshot } from '../../store/sqlite/sqlite-snapshot.ts'
import { CliCommand, type CommonOptions, defineOption } from '../command.ts'
import { dataFolder, loadConfig } from '../config-file.ts'
import { openSnapshot, requireCopyable } from '../open-store.ts'
import { printLine } from '../output.ts'
import { describeFaults, exportFiles, type FilesOutcome, openBlobs } from '../transfer/asset-files.ts'
import { BackupFolder } from '../transfer/backup-folder.ts'

interface BackupOptions extends CommonOptions {
  readonly filesOnly?: boolean
}

/** The maximum number of snapshots. After it, missing files are reported even if they differ from those of the snapshot before. */
const MAX_ROUNDS = 5

/**
 * `daybook backup`: saves the database and the files of the assets in a folder, also while a service writes. The status is 1 if files
 * are missing; the database is saved either way.
 */
export const backup: CliCommand = new CliCommand('backup')
  .argument('<DIR>', 'The folder of the backup.')
  .takes(
    defineOption(
      '--files-only',
      'Backs up only the files of the assets: for a database that has its own backups, such as PostgreSQL.',
    ),
  )
  .runs(async (path: string, { filesOnly: isFilesOnly = false, ...options }: BackupOptions) => {
    const config = await loadConfig(options.config)
    if (config.database && !isFilesOnly) throw new StartupError(DATABASE_ADVICE)
    const source = { config, model: compileModel(config), data: resolve(dataFolder(options)) }
    try {
      return await saveStore(source, path, isFilesOnly)
    } catch (error) {
      const isFull = ['ENOSPC', 'SQLITE_FULL'].includes(String((error as NodeJS.ErrnoException).code))
      throw isFull ? new StartupError(`The disk of ${path} is full. ${GO_ON}`) : error
    }
  })

const GO_ON = 'What is already saved is kept: free some space and run the same command again, which continues.'

/** Saves the files and, unless the options exclude it, the database. */
async function saveStore(source: BackupSource, path: string, isFilesOnly: boolean): Promise<number> {
  const folder = new BackupFolder(path)
  await folder.prepare()
  const saved = await saveFiles(source, folder)
  try {
    const { written, existing, faults } = saved.files
    const files = `${written + existing} files (${written} new)`
    if (saved.snapshot instanceof SqliteSnapshot && !isFilesOnly) {
      await folder.saveDatabase(saved.snapshot, saved.seq)
      printLine(`backed up the database as of ${saved.seq}, and ${files}, to ${path}`)
    } else printLine(`backed up ${files}, to ${path}`)
    if (faults.length > 0)
      process.stderr.write(`${describeFaults(faults)}Files that are missing in the backup: ${faults.length}.\n`)
    return faults.length === 0 ? 0 : 1
  } finally {
    await saved.snapshot.close()
  }
}

const DATABASE_ADVICE =
  'The config names a database, which has its own tools for backups: use pg_dump, or base backups with archived logs. ' +
  'Then back up the files of the assets alone: daybook backup DIR --files-only.'

/** The store that is backed up. */
interface BackupSource {
  readonly config: DaybookConfig
  readonly model: Model
  readonly data: string
}

interface SavedFiles {
  readonly snapshot: Snapshot
  /** The last change of the journal in the snapshot. */
  readonly seq: number
  readonly files: FilesOutcome
}

/**
 * Saves the files of a snapshot. If a service deletes files at the same time, a newer snapshot without their assets replaces the first.
 * A file is missing if it was already missing in the snapshot before.
 */
async function saveFiles({ config, model, data }: BackupSource, folder: BackupFolder): Promise<SavedFiles> {
  const blobs = await openBlobs(config, data)
  try {
    let missing: ReadonlySet<string> = new Set()
    for (let round = 1; ; round += 1) {
      const snapshot = await openSnapshot(config, data)
      try {
        const read = await requireCopyable(snapshot)
        const files = await exportFiles({ model, read }, blobs, folder.files)
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
