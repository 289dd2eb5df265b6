import { copyFile, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createService, type DaybookConfig, type ServiceOptions } from 'daybook'
import type { TestService } from 'daybook/testing'
import { startTestService } from '../../../src/testing/test-service.ts'
import { memoryFolder, useFile } from './folder.ts'

/** Creates a folder, in memory if possible, since every commit waits for the disk. */
const makeFolder = async (kind: string): Promise<string> => mkdtemp(join(await memoryFolder(), `daybook-${kind}-`))

export const databaseIn = (data: string): string => join(data, 'daybook.db')

/**
 * The database files of a test file. Creating tables and the seed can take a quarter of a second, so the first service of a config saves a
 * copy of its store before the first request, and later services start from it.
 */
export class SqliteFiles {
  #folder: Promise<string> | undefined
  readonly #templates = new Map<DaybookConfig, string>()

  /** Like `createTestService`, with a new store. */
  async open<C extends DaybookConfig>(config: C, options?: ServiceOptions): Promise<TestService<C> & AsyncDisposable> {
    const data = await makeFolder('store')
    return startTestService(data, async (serviceOptions) => {
      const template = this.#templates.get(config)
      if (template !== undefined) await copyFile(template, databaseIn(data))
      const service = await createService(config, { strict: true, ...options, ...serviceOptions })
      if (template === undefined) await this.#saveTemplate(config, data)
      return service
    })
  }

  async drop(): Promise<void> {
    const folder = await this.#folder
    this.#folder = undefined
    this.#templates.clear()
    if (folder !== undefined) await rm(folder, { recursive: true, force: true })
  }

  async #saveTemplate(config: DaybookConfig, data: string): Promise<void> {
    this.#folder ??= makeFolder('kept')
    const folder = await this.#folder
    if (this.#templates.has(config)) return
    const file = join(folder, `${this.#templates.size}.db`)
    useFile(databaseIn(data), (database) => database.prepare('VACUUM INTO ?').run(file))
    this.#templates.set(config, file)
  }
}
