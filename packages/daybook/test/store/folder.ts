import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import NativeDatabase from 'better-sqlite3'
import { createService, type DaybookConfig, type Service, SYSTEM } from 'daybook'

/** Calls of the service itself. */
export const AS_SYSTEM = { caller: SYSTEM } as const

/** A document whose fields the test knows better than the compiler. */
export type Document = Readonly<Record<string, unknown>> & { readonly id: string }

/** The folder of one store, which services with different configs open one after another. */
export class Folder implements AsyncDisposable {
  readonly path: string

  private constructor(path: string) {
    this.path = path
  }

  static async make(): Promise<Folder> {
    return new Folder(await mkdtemp(join(tmpdir(), 'daybook-store-')))
  }

  get file(): string {
    return join(this.path, 'daybook.db')
  }

  /** Starts a service, lets `work` use it, and closes it. */
  async serve<T>(config: unknown, work: (service: Service) => Promise<T>): Promise<T> {
    const service = await createService(config as DaybookConfig, { data: this.path })
    try {
      return await work(service)
    } finally {
      await service.close()
    }
  }

  /** Starts a service and closes it. */
  async start(config: unknown): Promise<void> {
    await this.serve(config, async () => {})
  }

  /** What a query finds in the database file, seen from outside the service. */
  rows<Row>(sql: string, ...values: unknown[]): readonly Row[] {
    const database = new NativeDatabase(this.file, { timeout: 1000 })
    try {
      return database.prepare(sql).all(...values) as Row[]
    } finally {
      database.close()
    }
  }

  /** Changes the database file behind the service's back. */
  exec(sql: string): void {
    const database = new NativeDatabase(this.file, { timeout: 1000 })
    try {
      database.exec(sql)
    } finally {
      database.close()
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.path, { recursive: true, force: true })
  }
}

/** Creates an entry as the service itself. */
export async function create(service: Service, collection: string, data: object): Promise<Document> {
  return service.content.create(collection, data as never, AS_SYSTEM) as Promise<Document>
}

/** Changes an entry as the service itself. */
export async function update(service: Service, collection: string, id: string, data: object): Promise<Document> {
  return service.content.update(collection, id, data as never, AS_SYSTEM) as Promise<Document>
}

/** Reads an entry as the service itself. */
export async function read(service: Service, collection: string, id: string): Promise<Document | null> {
  return service.content.get(collection, id, {}, AS_SYSTEM) as Promise<Document | null>
}
