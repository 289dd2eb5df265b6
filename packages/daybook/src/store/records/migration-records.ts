import type { Connection } from '../connection.ts'
import { build, prepare, preparePut } from '../statement.ts'
import type { SystemTables } from '../tables/tables.ts'

/** A migration that has begun on this store; `finished` is set once it has run. */
export type MigrationRecord = SystemTables['daybook$migrations']

/** Reads the migrations that have begun on this store, in the order of their names. */
export function readMigrations(connection: Connection): Promise<readonly MigrationRecord[]> {
  return connection.all(ALL)
}

export class MigrationRecords {
  readonly #connection: Connection

  constructor(connection: Connection) {
    this.#connection = connection
  }

  /** Returns the record of that name; `undefined` if the migration has not begun. */
  async get(name: string): Promise<MigrationRecord | undefined> {
    return (await readMigrations(this.#connection)).find((record) => record.name === name)
  }

  /** Stores or replaces a record. */
  async put(record: MigrationRecord): Promise<void> {
    await this.#connection.run(PUT, { ...record })
  }
}

const ALL = prepare(build.selectFrom('daybook$migrations').selectAll().orderBy('name'))
const PUT = preparePut('daybook$migrations')
