import type { DaybookConfig } from 'daybook'
import { PostgresDatabase } from './postgres-database.ts'

/** A database for a service with one config. */
export interface ReadyDatabase {
  readonly database: PostgresDatabase
  /** True if a service with this config has created its tables. */
  readonly isMade: boolean
}

/**
 * The databases of a test file. Creating one with its tables takes half a second, so the database of a closed service is restored and
 * reused for the next service with the same config.
 */
export class PostgresDatabases {
  readonly #all = new Set<PostgresDatabase>()
  readonly #idle = new Map<DaybookConfig, PostgresDatabase[]>()

  /** Takes a database in the state before its first request. */
  async take(config: DaybookConfig): Promise<ReadyDatabase> {
    const idle = this.#idle.get(config)?.pop()
    if (idle) {
      await idle.restore()
      return { database: idle, isMade: true }
    }
    const database = await PostgresDatabase.make()
    this.#all.add(database)
    return { database, isMade: false }
  }

  /** Returns a database without connections for reuse. */
  leave(config: DaybookConfig, database: PostgresDatabase): void {
    this.#idle.set(config, [...(this.#idle.get(config) ?? []), database])
  }

  async drop(): Promise<void> {
    await Promise.all([...this.#all].map((database) => database[Symbol.asyncDispose]()))
    this.#all.clear()
    this.#idle.clear()
  }
}
