import { existsSync } from 'node:fs'
import { constants, copyFile, mkdtemp, rename } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import SqliteDatabase from 'better-sqlite3'
import { type BenchStore, type Stores, type StoresOptions, seededName } from './stores.ts'

export class SqliteStores implements Stores {
  readonly name = 'sqlite'
  readonly version: string
  readonly #options: StoresOptions

  constructor(options: StoresOptions) {
    this.#options = options
    const database = new SqliteDatabase(':memory:', { timeout: 0 })
    this.version = `SQLite ${database.prepare('SELECT sqlite_version()').pluck().get()}`
    database.close()
  }

  async openSeeded(entries: number): Promise<BenchStore> {
    const folder = join(this.#options.root, seededName(entries))
    if (!existsSync(folder)) {
      // A folder gets its final name when it is complete.
      const store = await this.makeEmpty()
      await this.#options.fill(store, entries)
      await rename(dirname(store.address), folder)
    }
    return storeIn(folder)
  }

  async copy({ address }: BenchStore): Promise<BenchStore> {
    const store = await this.makeEmpty()
    await copyFile(address, store.address, constants.COPYFILE_FICLONE)
    return store
  }

  async makeEmpty(): Promise<BenchStore> {
    return storeIn(await mkdtemp(join(this.#options.scratch, 'store-')))
  }

  /** SQLite runs in the processes of the servers. */
  async cpu(): Promise<number> {
    return 0
  }

  async [Symbol.asyncDispose](): Promise<void> {}
}

const storeIn = (folder: string): BenchStore => ({
  address: join(folder, 'daybook.db'),
  options: ['--data', folder],
  env: { DATABASE_URL: '' },
})
