import type { ReaderScope } from '../access/reader-scope.ts'
import type { Engine } from '../engine.ts'

/** What an answer is put together from. */
export interface AnswerSource {
  readonly engine: Engine
  readonly scope: ReaderScope
  /** How far the collections have come that the answer depends on, looked at before any of it is read. */
  readonly revisions: readonly number[]
}
