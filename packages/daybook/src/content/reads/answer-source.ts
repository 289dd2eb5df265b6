import type { CollectionModel } from '../../model/model.ts'
import type { EntryRow } from '../../store/reads/rows.ts'
import type { ReaderScope } from '../access/reader-scope.ts'
import type { Engine } from '../engine.ts'

/** What an answer is put together from. */
export interface AnswerSource {
  readonly engine: Engine
  readonly scope: ReaderScope
  /** How far the collections have come that the answer depends on, looked at before any of it is read. */
  readonly revisions: readonly number[]
  /** Shows documents that are put in, and may not be published, as their working copies have them; absent: as they are. */
  readonly showDrafts?: DraftView | undefined
}

/** Entries as their working copies have them. */
export type DraftView = (collection: CollectionModel, rows: readonly EntryRow[]) => Promise<readonly EntryRow[]>
