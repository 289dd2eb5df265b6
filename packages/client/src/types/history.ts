import type { DaybookConfig, DryRunOptions, Version } from 'daybook'
import type { CallOptions } from '../request.ts'
import type { Locale } from './fields.ts'

/** Which page of versions is asked for. */
export interface VersionsQuery {
  /** @default 20, at most 100 */
  readonly limit?: number
  /** `nextCursor` of the page before. */
  readonly cursor?: string | null
}

/** A version with its content. */
export interface WholeVersion<Document> extends Version {
  /** What any field held, which may be nothing in a working copy; `null` where the document was deleted, or the content erased. */
  readonly data: { readonly [Key in keyof Document]: Document[Key] | null } | null
}

/** In which language a version is read. */
export interface VersionQuery<C extends DaybookConfig> {
  /** @default the config's */
  readonly locale?: Locale<C>
  /** Where a value is looked for that the locale does not have; `none` turns that off. @default what the config says */
  readonly fallbackLocale?: Locale<C> | 'none'
}

/** Two versions of a document. */
export interface ComparedVersions {
  readonly revision: number
  /** The version that is changed into the other. */
  readonly against: number
}

/** How changes are undone. */
export interface UndoOptions extends CallOptions, DryRunOptions {}
