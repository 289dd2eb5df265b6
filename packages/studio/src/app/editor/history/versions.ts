import type { Values } from '../saving/saved-field.ts'

/** A version, as a list of them has it. */
export interface Version {
  readonly revision: number
  /** ISO 8601. */
  readonly at: string
  /** The subject of a person; absent where this session may not know people. */
  readonly actor?: string
  readonly action: 'create' | 'update' | 'delete' | 'publish' | 'unpublish' | 'restore' | 'draft'
  readonly isDraft: boolean
  readonly erased?: true
}

/** A page of versions, newest first. */
export interface VersionPage {
  readonly items: readonly Version[]
  readonly nextCursor: string | null
}

/** A version with what the document said; `null`: it was deleted, or its content erased. */
export interface WholeVersion extends Version {
  readonly data: Values | null
}

/** Which page of versions is asked for. */
export interface Page {
  readonly limit: number
  readonly cursor: string | null
}

/** Ends a call. */
export interface Signal {
  readonly signal: AbortSignal
}

/** The history of one document. */
export interface HistoryCalls {
  list(page: Page, options: Signal): Promise<VersionPage>
  one(revision: number, options: Signal): Promise<WholeVersion>
  /** Makes what a version says the working copy; where there is none, what readers see. */
  restore(revision: number): Promise<unknown>
}
