import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { disk } from '../../assets/disk.ts'
import type { DaybookConfig } from '../../config/config.ts'
import { storedContentOf } from '../../content/stored-content.ts'
import type { Model } from '../../model/model.ts'
import { databaseFile, type EngineOptions, type OpenEngine, openEngine } from '../../service.ts'
import type { DatabaseSource, Snapshot } from '../../store/database.ts'
import { openSqlite } from '../../store/sqlite/sqlite.ts'
import { copySqlite } from '../../store/sqlite/sqlite-file.ts'
import { Store } from '../../store/store.ts'
import { isBlankDatabase } from '../../store/tables/layout.ts'
import { beginCopy } from '../../store/transfer/copy.ts'
import { requireCopyable, requireSnapshotFit } from '../fit-snapshot.ts'

/**
 * Opens a copy of the store that is gone after `close`: what is done to it goes the way of the real thing, sees what
 * it did before, and keeps no writer waiting. That of a database is an embedded file.
 *
 * @param open opens the copy; only {@link openEngine} needs a store that fits the model
 */
export async function openCopy(
  model: Model,
  { database, assets, ...config }: DaybookConfig,
  data: string,
  options: EngineOptions,
  open: typeof openEngine = openEngine,
): Promise<OpenEngine> {
  const folder = await mkdtemp(join(tmpdir(), 'daybook-dry-run-'))
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true })
  try {
    const isFit = open === openEngine
    if (database) await copyFromDatabase(database, model, databaseFile(folder), isFit)
    else copySqlite(databaseFile(data), databaseFile(folder))
    // The copy has no files of its own, and leaves those of the service alone.
    const own = { ...config, assets: { ...assets, store: disk() } }
    const opened = await open(model, own, folder, options)
    return { ...opened, close: () => opened.close().finally(remove) }
  } catch (error) {
    await remove()
    throw error
  }
}

/** Copies what a database holds into a new file; nothing where it holds no store yet. */
async function copyFromDatabase(database: DatabaseSource, model: Model, file: string, isFit: boolean): Promise<void> {
  const source = await database.snapshot()
  try {
    if (!(await isBlankDatabase(source, source.dialect))) await fillCopy(source, model, file, isFit)
  } finally {
    await source.close()
  }
}

async function fillCopy(source: Snapshot, model: Model, file: string, isFit: boolean): Promise<void> {
  const read = await (isFit ? requireSnapshotFit(source, model) : requireCopyable(source))
  const target = openSqlite(file, { isServing: false })
  const store = new Store(target)
  try {
    const { copy } = await beginCopy(source, target, await read.system.storedCollections(), file)
    await copy.run(() => {})
    await store.completeCopy(model, storedContentOf(model))
  } finally {
    await store.close()
  }
}
