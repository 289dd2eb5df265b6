import { copyFile, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createService, type DaybookConfig, type ServiceOptions } from 'daybook'
import type { TestService } from 'daybook/testing'
import { startTestService } from '../../../src/testing/test-service.ts'
import { useFile } from './folder.ts'
import { memoryFolder } from './memory-folder.ts'

/** In memory, where that is possible: every commit waits for its disk, and what is stored goes with the test. */
const folderOf = async (kind: string): Promise<string> => mkdtemp(join(await memoryFolder(), `daybook-${kind}-`))

/** The file of a service's store. */
export const databaseIn = (data: string): string => join(data, 'daybook.db')

/**
 * The database files of a test file. Making tables and storing what a config begins with can take a quarter of a second;
 * so the first service of a config leaves a copy of its store, as it is before the first request, for those after it.
 */
export class SqliteFiles {
  #folder: Promise<string> | undefined
  readonly #kept = new Map<DaybookConfig, string>()

  /** As `createTestService`: a service on a store of its own. */
  async open<C extends DaybookConfig>(config: C, options?: ServiceOptions): Promise<TestService<C> & AsyncDisposable> {
    const data = await folderOf('store')
    return startTestService(data, async (fixed) => {
      const kept = this.#kept.get(config)
      if (kept !== undefined) await copyFile(kept, databaseIn(data))
      const service = await createService(config, { strict: true, ...options, ...fixed })
      if (kept === undefined) await this.#keep(config, data)
      return service
    })
  }

  async drop(): Promise<void> {
    const folder = await this.#folder
    this.#folder = undefined
    this.#kept.clear()
    if (folder !== undefined) await rm(folder, { recursive: true, force: true })
  }

  async #keep(config: DaybookConfig, data: string): Promise<void> {
    this.#folder ??= folderOf('kept')
    const folder = await this.#folder
    if (this.#kept.has(config)) return
    const file = join(folder, `${this.#kept.size}.db`)
    useFile(databaseIn(data), (database) => database.prepare('VACUUM INTO ?').run(file))
    this.#kept.set(config, file)
  }
}
