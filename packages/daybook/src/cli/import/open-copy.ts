import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DaybookConfig } from '../../config/config.ts'
import { StartupError } from '../../errors.ts'
import type { Model } from '../../model/model.ts'
import { databaseFile, type EngineOptions, type OpenEngine, openEngine } from '../../service.ts'
import { copySqlite } from '../../store/sqlite-file.ts'

/**
 * Opens a copy of the store that is gone after `close`: what is done to it goes the way of the real thing, sees what
 * it did before, and keeps no writer waiting.
 */
export async function openCopy(
  model: Model,
  config: DaybookConfig,
  data: string,
  options: EngineOptions,
): Promise<OpenEngine> {
  if (config.database) {
    throw new StartupError(
      '--dry-run works on the embedded store only. Leave database out of the config to try the files.',
    )
  }
  const folder = await mkdtemp(join(tmpdir(), 'daybook-dry-run-'))
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true })
  try {
    copySqlite(databaseFile(data), databaseFile(folder))
    const { engine, close } = await openEngine(model, config, folder, options)
    return { engine, close: () => close().finally(remove) }
  } catch (error) {
    await remove()
    throw error
  }
}
