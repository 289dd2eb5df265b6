import type { DaybookConfig, Service, ServiceOptions } from 'daybook'
import type { Store } from '../../../src/store/store.ts'

/** A document whose fields have no static types. */
export type Document = Readonly<Record<string, unknown>> & { readonly id: string }

/** A table, an index or a view, and its definition. */
export interface SchemaObject {
  readonly type: 'table' | 'index' | 'view'
  readonly name: string
  readonly sql: string | null
}

export type PlaceOptions = Pick<ServiceOptions, 'export' | 'log' | 'metrics' | 'serviceToken' | 'strict'>

/** The place of a store, which services with different configs open one after another, or concurrently. */
export abstract class Place implements AsyncDisposable {
  /** The folder or URL, which another process can open. */
  abstract readonly address: string

  abstract open(config: DaybookConfig, options?: PlaceOptions): Promise<Service>

  /** Opens the store as a command does, without a service. */
  abstract store(): Promise<Store>

  /** Runs a query past the service; `?` stands for a value. */
  abstract rows<Row extends object>(sql: string, ...values: unknown[]): Promise<readonly Row[]>

  /** Changes stored data past the service. */
  abstract exec(sql: string): Promise<void>

  /** Lists every table, index and view, in order. */
  abstract schema(): Promise<readonly SchemaObject[]>

  abstract [Symbol.asyncDispose](): Promise<void>

  /** Starts a service, lets `work` use it, and closes it. */
  async serve<T>(config: unknown, work: (service: Service) => Promise<T>): Promise<T> {
    const service = await this.open(config as DaybookConfig)
    try {
      return await work(service)
    } finally {
      await service.close()
    }
  }

  async start(config: unknown): Promise<void> {
    await this.serve(config, async () => {})
  }

  async names(type: SchemaObject['type']): Promise<readonly string[]> {
    return (await this.schema()).filter((object) => object.type === type).map(({ name }) => name)
  }
}

/** Creates an entry as the service itself. */
export async function create(service: Service, collection: string, data: object): Promise<Document> {
  return service.content.create(collection, data as never) as Promise<Document>
}

/** Changes an entry as the service itself. */
export async function update(service: Service, collection: string, id: string, data: object): Promise<Document> {
  return service.content.update(collection, id, data as never) as Promise<Document>
}

/** Reads an entry as the service itself. */
export async function read(service: Service, collection: string, id: string): Promise<Document | null> {
  return service.content.get(collection, id) as Promise<Document | null>
}
