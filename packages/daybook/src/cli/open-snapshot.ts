import { existsSync } from 'node:fs'
import type { DaybookConfig } from '../config/config.ts'
import { StartupError } from '../errors.ts'
import { databaseFile } from '../service.ts'
import type { Snapshot } from '../store/database.ts'
import { snapshotSqlite } from '../store/sqlite/sqlite-snapshot.ts'

/**
 * Opens the store of a config, or of a data folder, as it stands at this moment.
 *
 * @throws {StartupError} when there is none
 */
export async function openSnapshot({ database }: DaybookConfig, data: string): Promise<Snapshot> {
  if (database) return database.snapshot()
  const file = databaseFile(data)
  if (!existsSync(file)) throw new StartupError(`There is no database ${file}. Is --data right?`)
  return snapshotSqlite(file)
}
