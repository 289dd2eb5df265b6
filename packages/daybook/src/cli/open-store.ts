import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { disk } from '../assets/disk.ts'
import type { DaybookConfig } from '../config/config.ts'
import type { ContentContext } from '../content/context.ts'
import { createContentAlignment } from '../content/transfer/index.ts'
import { StartupError } from '../errors.ts'
import { compileModel } from '../model/compile.ts'
import type { Model } from '../model/model.ts'
import { type ContentOptions, type OpenContent, openContent } from '../service/open-content.ts'
import { requireNoPendingRenames } from '../service/startup-checks.ts'
import { createService, type Service } from '../service.ts'
import { beginCopy } from '../store/copy.ts'
import { type DatabaseSource, getDatabaseSource, type Snapshot } from '../store/database.ts'
import { Reader } from '../store/reads/reader.ts'
import { openSqlite } from '../store/sqlite/sqlite.ts'
import { copySqlite } from '../store/sqlite/sqlite-file.ts'
import { snapshotSqlite } from '../store/sqlite/sqlite-snapshot.ts'
import { databaseFile, Store } from '../store/store.ts'
import { findCopyObstacle, isBlankDatabase } from '../store/tables/layout.ts'
import type { CommonOptions } from './command.ts'
import { dataFolder, loadConfig } from './config-file.ts'

export interface CommandStore extends AsyncDisposable {
  readonly config: DaybookConfig
  readonly model: Model
  readonly context: ContentContext
}

/** Opens the store that the options name. A service may run on it. */
export async function openCommandStore(options: CommonOptions): Promise<CommandStore> {
  const config = await loadConfig(options.config)
  const model = compileModel(config)
  const { context, close } = await openContent(model, config, dataFolder(options), { isServing: false })
  return { config, model, context, [Symbol.asyncDispose]: close }
}

/**
 * Opens the store of a config, or of a data folder, as it is at this moment.
 *
 * @throws {StartupError} if there is none
 */
export async function openSnapshot(config: DaybookConfig, data: string): Promise<Snapshot> {
  const database = getDatabaseSource(config)
  if (database) return database.snapshot()
  const file = databaseFile(data)
  if (!existsSync(file)) throw new StartupError(`The database ${file} does not exist. Check --data.`)
  return snapshotSqlite(file)
}

/**
 * Makes sure that a store can be copied, whatever its config was.
 *
 * @param label the name of the store in messages
 * @returns a reader of the store
 * @throws {StartupError} if it cannot be copied, with advice
 */
export async function requireCopyable(snapshot: Snapshot, label = 'The database'): Promise<Reader> {
  const fault = await findCopyObstacle(snapshot, label)
  if (fault !== undefined) throw new StartupError(fault)
  return new Reader(snapshot.dialect, snapshot)
}

/**
 * Makes sure that a service with this model could serve a store.
 *
 * @returns a reader of the store
 * @throws {StartupError} if it could not, with advice
 */
export async function requireModelFit(snapshot: Snapshot, model: Model): Promise<Reader> {
  const read = await requireCopyable(snapshot)
  await requireNoPendingRenames(read, model)
  return read
}

/**
 * Opens a copy of a store, which `close` deletes: a dry run on it has the same content, and blocks no writer. The copy of a database is
 * an embedded file.
 *
 * @param open opens the copy; {@link openContent} alone needs a store that fits the model
 */
export async function openCopy(
  model: Model,
  { database, assets, ...config }: DaybookConfig,
  data: string,
  options: ContentOptions,
  open: typeof openContent = openContent,
): Promise<OpenContent> {
  const folder = await mkdtemp(join(tmpdir(), 'daybook-dry-run-'))
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true })
  try {
    const isServed = open === openContent
    const source = getDatabaseSource({ database })
    if (source) await copyDatabase(source, model, databaseFile(folder), isServed)
    else copySqlite(databaseFile(data), databaseFile(folder))
    // The copy gets a store of files of its own, so that the files of the service stay as they are.
    const content = await open(model, { ...config, assets: { ...assets, store: disk() } }, folder, options)
    return { ...content, close: () => content.close().finally(remove) }
  } catch (error) {
    await remove()
    throw error
  }
}

/** Copies the content of a database into a new file. A blank database leaves no file. */
async function copyDatabase(database: DatabaseSource, model: Model, file: string, isServed: boolean): Promise<void> {
  const source = await database.snapshot()
  try {
    if (await isBlankDatabase(source, source.dialect)) return
    const read = await (isServed ? requireModelFit(source, model) : requireCopyable(source))
    const target = openSqlite(file, { isServing: false })
    const store = new Store(target)
    try {
      const { copy } = await beginCopy(source, target, await read.system.storedCollections(), file)
      await copy.run(() => {})
      await store.completeCopy(model, createContentAlignment(model))
    } finally {
      await store.close()
    }
  } finally {
    await source.close()
  }
}

/**
 * Runs work with a service of a config on an empty store, in the folder for temporary files. The store that the config names is not
 * opened.
 *
 * @param work gets the service and the token of its service principal
 */
export async function withEmptyService<T>(
  options: CommonOptions,
  work: (service: Service, serviceToken: string) => Promise<T>,
): Promise<T> {
  const { database: _, seed: __, ...config } = await loadConfig(options.config)
  const data = await mkdtemp(join(tmpdir(), 'daybook-empty-'))
  const serviceToken = randomBytes(32).toString('base64url')
  try {
    const service = await createService(config, { data, serviceToken })
    try {
      return await work(service, serviceToken)
    } finally {
      await service.close()
    }
  } finally {
    await rm(data, { recursive: true, force: true })
  }
}
