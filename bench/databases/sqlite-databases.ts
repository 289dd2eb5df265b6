import { constants } from 'node:fs'
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import SqliteDatabase from 'better-sqlite3'
import { databaseFile } from '../../packages/daybook/src/service.ts'
import { openSqlite, type SqliteStore } from '../../packages/daybook/src/store/sqlite/sqlite.ts'
import type { BenchStore, Databases, Ground } from './databases.ts'
import { fillStore, prepareStore, stampOf } from './seed.ts'

/** Stores in files, one folder for each. */
export class SqliteDatabases implements Databases {
  readonly engine = 'sqlite'
  readonly #ground: Ground

  constructor(ground: Ground) {
    this.#ground = ground
  }

  get version(): string {
    const native = new SqliteDatabase(':memory:', { timeout: 0 })
    const { version } = native.prepare('SELECT sqlite_version() AS version').get() as { version: string }
    native.close()
    return `SQLite ${version}`
  }

  async seeded(entries: number): Promise<BenchStore> {
    const { root, model, say } = this.#ground
    const folder = join(root, `entries-${entries}`)
    const stampFile = join(folder, 'stamp.json')
    const stamp = stampOf(entries, model)
    const isFit = (await readFile(stampFile, 'utf8').catch(() => '')) === stamp
    if (!isFit) await rm(folder, { recursive: true, force: true })
    await mkdir(folder, { recursive: true })
    const database = openSqlite(databaseFile(folder))
    try {
      if (isFit) await prepareStore(database, model)
      else {
        hasten(database, entries)
        await fillStore(database, entries, model, say)
      }
    } finally {
      await database.close()
    }
    await writeFile(stampFile, stamp)
    return storeIn(folder)
  }

  async copyOf({ address }: BenchStore): Promise<BenchStore> {
    const folder = await this.#folder()
    await copyFile(address, databaseFile(folder), constants.COPYFILE_FICLONE)
    return storeIn(folder)
  }

  async blank(): Promise<BenchStore> {
    return storeIn(await this.#folder())
  }

  async forFloor(): Promise<string> {
    return databaseFile(await this.#folder())
  }

  /** The engine lives in the servers' own processes. */
  async cpu(): Promise<number> {
    return 0
  }

  unpin(): void {}

  async [Symbol.asyncDispose](): Promise<void> {}

  #folder(): Promise<string> {
    return mkdtemp(join(this.#ground.scratch, 'store-'))
  }
}

const storeIn = (folder: string): BenchStore => ({
  address: databaseFile(folder),
  options: ['--data', folder],
  env: { DATABASE_URL: '' },
  open: async () => openSqlite(databaseFile(folder)),
})

/** Settings of this one connection for large transactions; what is written is the same. */
function hasten(database: SqliteStore, entries: number): void {
  const megabytes = Math.min(4096, 64 + Math.ceil(entries / 250))
  database.exec(`PRAGMA cache_size = -${megabytes * 1024}; PRAGMA wal_autocheckpoint = 100000`)
}
