import type { DaybookConfig } from 'daybook'
import { PostgresDatabase } from './postgres-database.ts'

/** A database for a service of one config. */
export interface ReadyDatabase {
  readonly database: PostgresDatabase
  /** Whether a service of this config has made its tables before. */
  readonly isMade: boolean
}

/**
 * The databases of a test file. Making one with its tables takes half a second; so what a closed service leaves goes,
 * with the content that it began with, to the next one of the same config.
 */
export class PostgresDatabases {
  readonly #all = new Set<PostgresDatabase>()
  readonly #left = new Map<DaybookConfig, PostgresDatabase[]>()

  /** A database as it is before its first request. */
  async take(config: DaybookConfig): Promise<ReadyDatabase> {
    const left = this.#left.get(config)?.pop()
    if (left) {
      await left.restore()
      return { database: left, isMade: true }
    }
    const database = await PostgresDatabase.make()
    this.#all.add(database)
    return { database, isMade: false }
  }

  /** Takes one back that nobody is connected to. */
  leave(config: DaybookConfig, database: PostgresDatabase): void {
    this.#left.set(config, [...(this.#left.get(config) ?? []), database])
  }

  async drop(): Promise<void> {
    await Promise.all([...this.#all].map((one) => one[Symbol.asyncDispose]()))
    this.#all.clear()
    this.#left.clear()
  }
}
