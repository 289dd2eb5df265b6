import type { Connection } from '../connection.ts'
import { build, prepare, preparePut } from '../statement.ts'
import type { SystemTables } from '../tables/tables.ts'

/** A migration that began on this store; it has run when `finished` is set. */
export type MigrationRecord = SystemTables['daybook$migrations']

/** The migrations that began here, in the order of their names. */
export function readMigrations(connection: Connection): Promise<readonly MigrationRecord[]> {
  return connection.all(ALL)
}

/** The records of migrations, inside one transaction. */
export class MigrationRecords {
  readonly #connection: Connection

  constructor(connection: Connection) {
    this.#connection = connection
  }

  /** The record of that name; `undefined`: it never began here. */
  async get(name: string): Promise<MigrationRecord | undefined> {
    return (await readMigrations(this.#connection)).find((one) => one.name === name)
  }

  /** Stores a record in the place of the one of that name. */
  async put(record: MigrationRecord): Promise<void> {
    await this.#connection.run(PUT, { ...record })
  }
}

const ALL = prepare(build.selectFrom('daybook$migrations').selectAll().orderBy('name'))
const PUT = preparePut('daybook$migrations')
