import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { resolve } from 'node:path'
import { disk } from '../../assets/disk.ts'
import { moveExclusively } from '../../assets/exclusive-move.ts'
import type { DaybookConfig } from '../../config/config.ts'
import { countStoredFiles } from '../../content/assets/stored-files.ts'
import { StartupError } from '../../errors.ts'
import { compileModel } from '../../model/compile.ts'
import { databaseFile } from '../../service.ts'
import type { Snapshot } from '../../store/database.ts'
import { makeDataFolder } from '../../store/sqlite/data-folder.ts'
import { listServices } from '../../store/sqlite/service-files.ts'
import { snapshotSqlite } from '../../store/sqlite/sqlite-snapshot.ts'
import { BackupFolder } from '../backup/backup-folder.ts'
import { loadConfig } from '../config-file.ts'
import { type CopiedFiles, copyFiles } from '../files/copy-files.ts'
import { syncPath } from '../files/file-folder.ts'
import { requireCopyable } from '../fit-snapshot.ts'
import { openSnapshot } from '../open-snapshot.ts'
import { dataFolder, readCommandOptions } from '../options.ts'
import { requireFolder } from './backup.ts'

const OPTIONS = {
  /** Bring back the files that the assets of the present database lack. A service may run meanwhile. */
  'files-only': { type: 'boolean' },
  /** Restore the database even if files are missing from the backup. */
  'allow-missing': { type: 'boolean' },
} as const

/**
 * `daybook restore DIR`: brings a backup into an empty data folder, or continues an interrupted restore. The database gets its
 * name last, so no service starts on half a restore. Answers 0 if all is there, else 1.
 *
 * @throws {UsageError} if the command line is wrong; {StartupError} if the backup is damaged, or the data folder is in use
 */
export async function restore(args: readonly string[]): Promise<number> {
  const options = readCommandOptions(args, OPTIONS)
  const path = requireFolder(options, 'restore')
  const config = await loadConfig(options.text('config'))
  const folder = new BackupFolder(path)
  const data = resolve(dataFolder(options))
  if (options.flag('files-only')) return restoreFiles(config, data, folder, path)
  if (config.database) throw new StartupError(DATABASE_ADVICE)
  return restoreAll(config, { data, folder, path, allowsMissing: options.flag('allow-missing') })
}

const DATABASE_ADVICE =
  'The config names a database. Restore that with its own tools, or bring the SQLite database of a backup into it with ' +
  'daybook copy --from sqlite:DIR/daybook-….db. Then bring back the files: daybook restore DIR --files-only.'

async function restoreFiles(config: DaybookConfig, data: string, folder: BackupFolder, path: string): Promise<number> {
  const snapshot = await openSnapshot(config, data)
  try {
    const files = await bringFiles(config, data, snapshot, folder)
    process.stdout.write(`restored ${files.copied} files (${files.there} there already), from ${path}\n`)
    return files.faulty === 0 ? 0 : 1
  } finally {
    await snapshot.close()
  }
}

/** The place and the source of a restore. */
interface RestoreJob {
  readonly data: string
  readonly folder: BackupFolder
  /** The path of the backup, for messages. */
  readonly path: string
  readonly allowsMissing: boolean
}

async function restoreAll(config: DaybookConfig, { data, folder, path, allowsMissing }: RestoreJob): Promise<number> {
  const file = databaseFile(data)
  requireUnserved(data)
  requireAbsent(file)
  makeDataFolder(data)
  const part = `${file}.restore`
  await rm(part, { force: true })
  const seq = await folder.copyDatabase(part)
  const snapshot = snapshotSqlite(part)
  let files: CopiedFiles
  try {
    files = await bringFiles(config, data, snapshot, folder)
  } finally {
    await snapshot.close()
  }
  if (files.faulty > 0 && !allowsMissing) {
    process.stderr.write(`${files.faulty} files are missing, so the database is not restored. ${MISSING_ADVICE}\n`)
    return 1
  }
  if (!(await moveExclusively(part, file))) requireAbsent(file)
  await syncPath(data)
  process.stdout.write(`restored the database as of ${seq}, and ${files.copied + files.there} files, from ${path}\n`)
  return 0
}

const MISSING_ADVICE = 'Mend the backup and run the same command again, or add --allow-missing to go without them.'

/** A service whose database was moved away goes on with it, and with the files beside it. */
function requireUnserved(data: string): void {
  const names = listServices(data).map(({ name }) => name)
  if (names.length === 0) return
  throw new StartupError(
    `These processes serve ${data}: ${names.toSorted().join(', ')}. Stop them first, or name another folder with --data.`,
  )
}

/** SQLite would take a log that lies beside the restored file for its own. */
function requireAbsent(file: string): void {
  const present = [file, `${file}-wal`].find(existsSync)
  if (present === undefined) return
  throw new StartupError(
    `There is a ${present} already. Restore into an empty folder: name one with --data, or move it away.`,
  )
}

async function bringFiles(
  config: DaybookConfig,
  data: string,
  snapshot: Snapshot,
  { files }: BackupFolder,
): Promise<CopiedFiles> {
  const model = compileModel(config)
  const read = await requireCopyable(snapshot)
  const to = await (config.assets?.store ?? disk()).open({ data })
  try {
    const total = await countStoredFiles(model, read)
    const from = async ({ sha256 }: { readonly sha256: string }) =>
      (await files.exists(sha256)) ? files.read(sha256) : undefined
    return await copyFiles({ model, read, from, to, total, isVerified: false })
  } finally {
    await to.close()
  }
}
