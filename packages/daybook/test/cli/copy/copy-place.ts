import { join } from 'node:path'
import { PostgresDatabase } from '../../support/postgres/postgres-database.ts'
import { folderOf } from '../cli.ts'

/** A folder for data folders and configs, and a database to copy from or to; `dispose` deletes both. */
export class CopyPlace {
  readonly folder: Awaited<ReturnType<typeof folderOf>>
  readonly database: PostgresDatabase

  private constructor(folder: CopyPlace['folder'], database: PostgresDatabase) {
    this.folder = folder
    this.database = database
  }

  static async make(): Promise<CopyPlace> {
    return new CopyPlace(await folderOf({}), await PostgresDatabase.make())
  }

  /** Returns a path in the folder. */
  at(name: string): string {
    return join(this.folder.path, name)
  }

  /** Returns the path of the database in a data folder. */
  fileOf(name: string): string {
    return join(this.at(name), 'daybook.db')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.folder[Symbol.asyncDispose]()
    await this.database[Symbol.asyncDispose]()
  }
}
