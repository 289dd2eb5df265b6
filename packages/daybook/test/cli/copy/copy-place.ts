import { join } from 'node:path'
import { PostgresDatabase } from '../../support/postgres/postgres-database.ts'
import { folderOf } from '../cli.ts'

/** A folder for data folders and configs, and a database to copy from or to; both gone with `dispose`. */
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

  /** The path of something in the folder. */
  at(name: string): string {
    return join(this.folder.path, name)
  }

  /** The file of the store in a data folder. */
  fileOf(name: string): string {
    return join(this.at(name), 'daybook.db')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.folder[Symbol.asyncDispose]()
    await this.database[Symbol.asyncDispose]()
  }
}
