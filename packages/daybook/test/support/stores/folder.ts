import { mkdtemp, rm, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import NativeDatabase from 'better-sqlite3'
import { createService, type DaybookConfig, type Service } from 'daybook'
import { openStore, type Store } from '../../../src/store/store.ts'
import { WAIT_TIMEOUT_MS } from '../timeouts.ts'
import { Place, type PlaceOptions, type SchemaObject } from './place.ts'

/** A folder for a database file. */
export class Folder extends Place {
  readonly address: string

  private constructor(path: string) {
    super()
    this.address = path
  }

  static async make(): Promise<Folder> {
    return new Folder(await mkdtemp(join(await memoryFolder(), 'daybook-store-')))
  }

  get file(): string {
    return join(this.address, 'daybook.db')
  }

  open(config: DaybookConfig, options: PlaceOptions = {}): Promise<Service> {
    return createService(config, { ...options, data: this.address })
  }

  store(): Promise<Store> {
    return openStore({}, this.address)
  }

  async rows<Row extends object>(sql: string, ...values: unknown[]): Promise<readonly Row[]> {
    return useFile(this.file, (database) => database.prepare(sql).all(...values) as Row[])
  }

  async exec(sql: string): Promise<void> {
    useFile(this.file, (database) => database.exec(sql))
  }

  schema(): Promise<readonly SchemaObject[]> {
    return this.rows('SELECT type, name, sql FROM sqlite_schema ORDER BY type, name')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.address, { recursive: true, force: true })
  }
}

/** Opens a database file past the service. */
export function useFile<T>(file: string, work: (database: NativeDatabase) => T): T {
  const database = new NativeDatabase(file, { timeout: WAIT_TIMEOUT_MS })
  try {
    return work(database)
  } finally {
    database.close()
  }
}

/** The folder that Linux keeps in memory, and the free space that is required there, in bytes. */
const MEMORY = '/dev/shm'
const MEMORY_BYTES = 1024 ** 3

/** Returns the folder for temporary files in memory, or the usual one if that is missing or small, as in some containers. */
export async function memoryFolder(): Promise<string> {
  const { bavail, bsize } = await statfs(MEMORY).catch(() => ({ bavail: 0, bsize: 0 }))
  return bavail * bsize > MEMORY_BYTES ? MEMORY : tmpdir()
}
