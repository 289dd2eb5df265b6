import type { DaybookConfig } from '../../config/config.ts'
import { pendingMigrations } from '../../content/migrations/run-migrations.ts'
import { MigrationError } from '../../errors.ts'
import type { Log } from '../../log.ts'
import { openStore } from '../../service.ts'
import type { Store } from '../../store/store.ts'
import { type FoundMigration, findMigrations } from './find-migrations.ts'

/** What a start has to do with migrations once the service is up. */
export type AfterStart = () => Promise<void>

/**
 * Says which migrations have not run on the store that is about to be served. A store that the start makes new has nothing to
 * migrate: there, they are noted as run.
 *
 * @throws {MigrationError} for a file that cannot be a migration
 */
export async function checkMigrations(
  configFile: string,
  config: DaybookConfig,
  data: string,
  log: Log,
): Promise<AfterStart> {
  const files = findMigrations(configFile)
  if (files.length === 0) return async () => {}
  return withStore(config, data, async (store) => {
    if (await store.isBlank()) return () => withStore(config, data, (made) => noteAsRun(made, files))
    await warnPending(store, files, log)
    return async () => {}
  })
}

/** A migration that has changed since it ran keeps others from running, and no service from serving. */
async function warnPending(store: Store, files: readonly FoundMigration[], log: Log): Promise<void> {
  const records = await store.read.system.migrations()
  try {
    const migrations = pendingMigrations(files, records).map(({ name }) => name)
    if (migrations.length > 0)
      log.warn({ migrations }, 'Migrations have not run on this store. Run: daybook migrate --apply')
  } catch (error) {
    if (!(error instanceof MigrationError)) throw error
    log.warn({}, error.message)
  }
}

async function withStore<T>(config: DaybookConfig, data: string, work: (store: Store) => Promise<T>): Promise<T> {
  const store = await openStore(config, data, { isServing: false })
  try {
    return await work(store)
  } finally {
    await store.close()
  }
}

/** Notes migrations as run, where they are not yet. */
export async function noteAsRun(store: Store, files: readonly FoundMigration[]): Promise<void> {
  const pending = pendingMigrations(files, await store.read.system.migrations())
  const at = new Date().toISOString()
  await store.transaction(async (writer) => {
    for (const { name, hash } of pending)
      await writer.migrations.put({ name, hash, started: at, run: '', position: '{}', finished: at })
  })
}
