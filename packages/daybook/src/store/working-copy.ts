import type { EntryTable } from './tables/tables.ts'

/** The working copy of an entry, as the column `draft` holds it: a document beside the one that everybody reads. */
export interface WorkingCopy extends Pick<EntryTable, 'seq' | 'schema_hash' | 'orphaned' | 'locales' | 'doc'> {
  /** When it was saved; ISO 8601. */
  readonly at: string
  /** The subject of the actor that saved it. */
  readonly by: string | null
  /** Whether the next autosave of the same actor takes its place in history. */
  readonly isAutosave: boolean
}

/** The working copy of a row; `undefined`: it has none. */
export const workingCopyOf = ({ draft }: Pick<EntryTable, 'draft'>): WorkingCopy | undefined =>
  draft === null ? undefined : (JSON.parse(draft) as WorkingCopy)
