import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { resolve } from 'node:path'
import { moveExclusively } from '../../assets/file-operations.ts'
import type { DaybookConfig } from '../../config/config.ts'
import { StartupError } from '../../errors.ts'
import { compileModel } from '../../model/compile.ts'
import type { Snapshot } from '../../store/database.ts'
import { makeDataFolder } from '../../store/sqlite/data-folder.ts'
import { listServices } from '../../store/sqlite/service-files.ts'
import { snapshotSqlite } from '../../store/sqlite/sqlite-snapshot.ts'
import { databaseFile } from '../../store/store.ts'
import { CliCommand, type CommonOptions, defineOption } from '../command.ts'
import { dataFolder, loadConfig } from '../config-file.ts'
import { openSnapshot, requireCopyable } from '../open-store.ts'
import { printLine, printNotice } from '../output.ts'
import { copyFiles, describeFaults, type FilesOutcome, openBlobs } from '../transfer/asset-files.ts'
import { BackupFolder } from '../transfer/backup-folder.ts'
import { syncPath } from '../transfer/digest-folder.ts'

interface RestoreOptions extends CommonOptions {
  readonly filesOnly?: boolean
  readonly allowMissing?: boolean
}

/**
 * `daybook restore`: restores a backup into an empty data folder, or continues an interrupted restore. The database is renamed last,
 * so that no service starts on a partial restore. The status is 1 if files are missing.
 */
export const restore: CliCommand = new CliCommand('restore')
  .argument('<DIR>', 'The folder of the backup.')
  .takes(
    defineOption(
      '--files-only',
      'Restores only files that the assets of the current database are missing. A service can run meanwhile.',
    ),
    defineOption('--allow-missing', 'Restores the database even if files are missing in the backup.'),
  )
  .runs(async (path: string, { filesOnly, allowMissing: allowsMissing = false, ...options }: RestoreOptions) => {
    const config = await loadConfig(options.config)
    const job = { config, data: resolve(dataFolder(options)), folder: new BackupFolder(path), path }
    if (filesOnly) return restoreFiles(job)
    if (config.database) throw new StartupError(DATABASE_ADVICE)
    return restoreAll(job, allowsMissing)
  })

const DATABASE_ADVICE =
  'The config names a database. Restore it with its own tools, or copy the SQLite database of a backup into it with ' +
  'daybook copy --from sqlite:DIR/daybook-….db. Then restore the files: daybook restore DIR --files-only.'

interface RestoreJob {
  readonly config: DaybookConfig
  readonly data: string
  readonly folder: BackupFolder
  /** The path of the backup, for messages. */
  readonly path: string
}

async function restoreFiles(job: RestoreJob): Promise<number> {
  const snapshot = await openSnapshot(job.config, job.data)
  try {
    const { written, existing, faults } = await copyBackupFiles(job, snapshot)
    printLine(`restored ${written} files (${existing} already there), from ${job.path}`)
    return faults.length === 0 ? 0 : 1
  } finally {
    await snapshot.close()
  }
}

async function restoreAll(job: RestoreJob, allowsMissing: boolean): Promise<number> {
  const { data, folder, path } = job
  const file = databaseFile(data)
  requireUnserved(data)
  requireAbsent(file)
  makeDataFolder(data)
  const part = `${file}.restore`
  await rm(part, { force: true })
  const seq = await folder.copyDatabase(part)
  const snapshot = snapshotSqlite(part)
  const { written, existing, faults } = await copyBackupFiles(job, snapshot).finally(() => snapshot.close())
  if (faults.length > 0 && !allowsMissing) {
    printNotice(`${faults.length} files are missing, so the database was not restored. ${MISSING_ADVICE}`)
    return 1
  }
  if (!(await moveExclusively(part, file))) requireAbsent(file)
  await syncPath(data)
  printLine(`restored the database as of ${seq}, and ${written + existing} files, from ${path}`)
  return 0
}

const MISSING_ADVICE = 'Fix the backup and run the same command again, or add --allow-missing to continue without them.'

/** Rejects a folder that a service serves. It may use a database that was moved away, and the files next to it. */
function requireUnserved(data: string): void {
  const names = listServices(data).map(({ name }) => name)
  if (names.length === 0) return
  throw new StartupError(
    `These processes serve ${data}: ${names.toSorted().join(', ')}. Stop them first, or name another folder with --data.`,
  )
}

/** Rejects a folder with a database or a write-ahead log, which SQLite would apply to the restored file. */
function requireAbsent(file: string): void {
  const existingFile = [file, `${file}-wal`].find(existsSync)
  if (existingFile === undefined) return
  throw new StartupError(
    `${existingFile} already exists. Restore into an empty folder: name one with --data, or move this file away.`,
  )
}

async function copyBackupFiles({ config, data, folder }: RestoreJob, snapshot: Snapshot): Promise<FilesOutcome> {
  const read = await requireCopyable(snapshot)
  const to = await openBlobs(config, data)
  try {
    const from = async ({ sha256 }: { readonly sha256: string }) =>
      (await folder.files.exists(sha256)) ? folder.files.read(sha256) : undefined
    const outcome = await copyFiles({ model: compileModel(config), read, from, to })
    process.stderr.write(describeFaults(outcome.faults))
    return outcome
  } finally {
    await to.close()
  }
}
