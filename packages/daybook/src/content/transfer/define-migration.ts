import type { Where } from '../../query/where.ts'
import type { CallerContent } from '../caller-content.ts'

/** An entry in a migration. It includes values that its fields no longer accept, and values of fields that the config no longer has. */
export type MigratedEntry = Readonly<Record<string, unknown>> & { readonly id: string }

/** The fields that a migration changes in an entry; `undefined` if the entry stays as it is. */
export type EntryChange = Readonly<Record<string, unknown>> | undefined

/** Content for migrations. Access rules do not apply, and the journal names the migration as the actor. */
export interface MigrationContent extends CallerContent {
  /**
   * Changes the entries that match a filter (`{}` for all), in order of creation, including unpublished entries. Each transaction stores
   * the changes of up to 200 entries together with the position of the loop, so that no entry is changed twice, even after a crash. If an
   * entry is written concurrently, `change` is called for it again.
   *
   * @param change returns the fields to change, or nothing
   * @returns the number of entries that were changed in this run
   */
  each(
    collection: string,
    where: Where,
    change: (entry: MigratedEntry) => EntryChange | Promise<EntryChange>,
  ): Promise<number>
}

/** The context of a migration. */
export interface MigrationContext {
  readonly content: MigrationContent
  /** Writes a line to the output of the command. */
  log(message: string): void
  /** True if the migration runs on a copy of the store, which is deleted afterwards. */
  readonly dryRun: boolean
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal
}

/** A change of stored content by code, which runs once on each store. */
export interface Migration {
  /** Shown by `daybook migrate`. */
  readonly description?: string
  /** Changes content. If it fails or is interrupted, it runs again, so changes outside of `each` must be repeatable. */
  run(context: MigrationContext): Promise<void>
}

/**
 * Defines a migration, the default export of `migrations/NAME.ts` next to the config. `daybook migrate --apply` runs it.
 *
 * @example
 * ```ts
 * export default defineMigration({
 *   description: 'Writes categories in small letters',
 *   async run({ content }) {
 *     await content.each('posts', {}, ({ category }) => ({ category: String(category).toLowerCase() }))
 *   },
 * })
 * ```
 */
export function defineMigration(migration: Migration): Migration {
  return migration
}
