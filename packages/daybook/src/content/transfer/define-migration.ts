import type { Where } from '../../query/where.ts'
import type { CallerContent } from '../caller-content.ts'

/** An entry as a migration sees it: its fields, also with values that they no longer take, and values of fields that the config no longer has. */
export type MigratedEntry = Readonly<Record<string, unknown>> & { readonly id: string }

/** The fields that a migration changes in an entry; nothing: it stays as it is. */
export type EntryChange = Readonly<Record<string, unknown>> | undefined

/** Content as a migration handles it: no rule stops it, and the journal names the migration. */
export interface MigrationContent extends CallerContent {
  /**
   * Works through the entries that hold a filter, `{}` for all, in the order in which they were made, drafts included. Each
   * transaction stores the changes of up to 200 entries together with how far the loop has come, so that no entry is changed twice,
   * whenever the process ends. An entry that others change meanwhile is shown to `change` again.
   *
   * @param change answers the fields to change, or nothing
   * @returns how many entries have changed in this run
   */
  each(
    collection: string,
    where: Where,
    change: (entry: MigratedEntry) => EntryChange | Promise<EntryChange>,
  ): Promise<number>
}

/** What a migration is given. */
export interface MigrationContext {
  readonly content: MigrationContent
  /** Writes a line for the one who runs it. */
  log(message: string): void
  /** Whether it works on a copy of the store, which is deleted afterwards. */
  readonly dryRun: boolean
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal
}

/** A change of stored content in code, which runs once on each store. */
export interface Migration {
  /** For people: shown by `daybook migrate`. */
  readonly description?: string
  /** Changes content. When it ends early it is run again; what it does besides `each` has to allow for that. */
  run(context: MigrationContext): Promise<void>
}

/**
 * Defines a migration: the default export of `migrations/NAME.ts` beside the config. `daybook migrate --apply` runs it.
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
