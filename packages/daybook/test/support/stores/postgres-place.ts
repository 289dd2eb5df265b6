import { createService, type DaybookConfig, type Service } from 'daybook'
import { openStore, type Store } from '../../../src/store/store.ts'
import { PostgresDatabase } from '../postgres/postgres-database.ts'
import { slowMachinePostgres } from '../postgres/slow-machine-postgres.ts'
import { Place, type PlaceOptions, type SchemaObject } from './place.ts'

/** Reads the definition of every object in the schema. */
const SCHEMA = `
  SELECT CASE relkind WHEN 'r' THEN 'table' WHEN 'v' THEN 'view' ELSE 'index' END AS type, relname AS name,
    concat_ws(' ', CASE relkind WHEN 'v' THEN pg_get_viewdef(oid) WHEN 'i' THEN pg_get_indexdef(oid) END,
      (SELECT string_agg(concat_ws(' ', attname, format_type(atttypid, atttypmod), attnotnull, attidentity,
          NULLIF(attcollation, 0)::regcollation), ', ' ORDER BY attnum)
        FROM pg_attribute WHERE attrelid = pg_class.oid AND attnum > 0 AND NOT attisdropped),
      obj_description(oid, 'pg_class')) AS sql
  FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'v', 'i') ORDER BY type, name`

export class PostgresPlace extends Place {
  readonly #database: PostgresDatabase

  private constructor(database: PostgresDatabase) {
    super()
    this.#database = database
  }

  static async make(): Promise<PostgresPlace> {
    return new PostgresPlace(await PostgresDatabase.make())
  }

  get address(): string {
    return this.#database.url
  }

  open(config: DaybookConfig, options: PlaceOptions = {}): Promise<Service> {
    return createService({ ...config, database: slowMachinePostgres(this.address) }, options)
  }

  store(): Promise<Store> {
    return openStore({ database: slowMachinePostgres(this.address) }, '')
  }

  rows<Row extends object>(sql: string, ...values: unknown[]): Promise<readonly Row[]> {
    return this.#database.rows<Row>(numbered(sql), ...values)
  }

  async exec(sql: string): Promise<void> {
    await this.#database.rows(sql)
  }

  schema(): Promise<readonly SchemaObject[]> {
    return this.rows(SCHEMA)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#database[Symbol.asyncDispose]()
  }
}

/** Replaces the first `?` by `$1`, and so on. */
export function numbered(sql: string): string {
  let place = 0
  return sql.replaceAll('?', () => {
    place += 1
    return `$${place}`
  })
}
