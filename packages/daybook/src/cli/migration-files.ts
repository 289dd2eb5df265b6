import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { DaybookConfig } from '../config/config.ts'
import {
  findPendingMigrations,
  type LoadedMigration,
  type Migration,
  type MigrationFile,
} from '../content/transfer/index.ts'
import { MigrationError } from '../errors.ts'
import { isRecord } from '../fields/field.ts'
import type { Log } from '../log.ts'
import { openStore, type Store } from '../store/store.ts'

export interface LocatedMigration extends MigrationFile {
  readonly path: string
}

const CODE = /^(?!.*\.d\.[cm]?ts$)(.+)\.([cm]?[jt]s)$/
const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/

/**
 * Finds the migrations in the folder `migrations` beside a config, in the order of their names. Files without code are ignored.
 *
 * @throws {MigrationError} for an invalid name, or one of two files
 */
export function findMigrations(configFile: string): readonly LocatedMigration[] {
  const folder = join(dirname(configFile), 'migrations')
  const migrations = new Map<string, LocatedMigration>()
  for (const file of listFiles(folder)) {
    const [, name] = CODE.exec(file) ?? []
    if (name === undefined) continue
    if (!NAME.test(name))
      throw new MigrationError(
        `The name of migrations/${file} is invalid. Use at most 100 letters, digits, - and _, such as 2026-11-22-split-names.ts.`,
      )
    if (migrations.has(name))
      throw new MigrationError(`Another file in migrations is named ${name} as well as ${file}. Rename one of them.`)
    migrations.set(name, { name, path: join(folder, file), hash: computeDigest(join(folder, file)) })
  }
  return [...migrations.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
}

function listFiles(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => !entry.isDirectory() && !entry.name.startsWith('.'))
      .map(({ name }) => name)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return []
    throw new MigrationError(`The folder migrations cannot be read: ${code ?? message}.`)
  }
}

/** Computes the digest of a file regardless of line ends, which differ between checkouts. */
const computeDigest = (path: string): string =>
  createHash('sha256').update(readFileSync(path, 'utf8').replaceAll('\r\n', '\n')).digest('base64url')

/** @throws {MigrationError} if a file cannot be loaded, or has no migration as its default export */
export async function loadMigrations(files: readonly LocatedMigration[]): Promise<readonly LoadedMigration[]> {
  const loaded: LoadedMigration[] = []
  for (const { name, hash, path } of files) loaded.push({ name, hash, migration: await loadMigration(name, path) })
  return loaded
}

async function loadMigration(name: string, path: string): Promise<Migration> {
  const module = await import(pathToFileURL(path).href).catch((error: unknown) => {
    throw new MigrationError(`migrations/${name} cannot be loaded: ${error instanceof Error ? error.message : error}`)
  })
  const migration: unknown = (module as { readonly default?: unknown }).default
  if (!isRecord(migration) || typeof migration.run !== 'function')
    throw new MigrationError(
      `migrations/${name} does not export a migration. Write: export default defineMigration({ async run({ content }) { … } })`,
    )
  const { description } = migration
  if (description !== undefined && typeof description !== 'string')
    throw new MigrationError(`The description of migrations/${name} must be a string. Correct it, or leave it out.`)
  return migration as unknown as Migration
}

/** The work on migrations after the start of the service. */
export type AfterStart = () => Promise<void>

/**
 * Warns of migrations that have not run on the store that is about to be served. A new store has nothing to migrate: its migrations
 * are recorded as run.
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
    if (await store.isBlank()) return () => withStore(config, data, (created) => recordAsRun(created, files))
    await warnPending(store, files, log)
    return async () => {}
  })
}

/** Warns of pending migrations. A migration that has changed since it ran blocks others, but not the service. */
async function warnPending(store: Store, files: readonly LocatedMigration[], log: Log): Promise<void> {
  const records = await store.read.system.migrations()
  try {
    const migrations = findPendingMigrations(files, records).map(({ name }) => name)
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

/** Records migrations as run, unless they are already. */
export async function recordAsRun(store: Store, files: readonly LocatedMigration[]): Promise<void> {
  const pending = findPendingMigrations(files, await store.read.system.migrations())
  const at = new Date().toISOString()
  await store.transaction(async (writer) => {
    for (const { name, hash } of pending)
      await writer.migrations.put({ name, hash, started: at, run: '', position: '{}', finished: at })
  })
}
