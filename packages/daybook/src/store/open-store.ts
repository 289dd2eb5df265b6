import { resolve } from 'node:path'
import type { DaybookConfig } from '../config/config.ts'
import type { StoreOptions } from './database.ts'
import { openSqlite } from './sqlite/sqlite.ts'
import { Store } from './store.ts'

/** The database file of a data folder. */
export function databaseFile(data: string): string {
  return resolve(data, 'daybook.db')
}

/** Opens the store that a config names, or the one of the data folder, as it is. */
export async function openStore(
  { database }: Pick<DaybookConfig, 'database'>,
  data: string,
  options: StoreOptions = {},
): Promise<Store> {
  return new Store(database ? await database.open(options) : openSqlite(databaseFile(data), options))
}
