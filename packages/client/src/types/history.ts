import type { DaybookConfig } from 'daybook'
import type { CallOptions } from '../request.ts'
import type { Locale } from './fields.ts'

/** A version of a document: what a change made of it. */
export interface Version {
  /** The number of the change in the journal. */
  readonly revision: number
  /** ISO 8601. */
  readonly at: string
  /** The subject of the actor; absent for readers who may not know people. */
  readonly actor?: string
  readonly action: 'create' | 'update' | 'delete' | 'publish' | 'unpublish' | 'restore' | 'draft'
  /** Whether it is a working copy. */
  readonly isDraft: boolean
  /** Present where its content was erased. */
  readonly erased?: true
}

/** One page of the versions of a document, newest first. */
export interface VersionList {
  readonly items: readonly Version[]
  /** The `cursor` of the next page; `null` on the last. */
  readonly nextCursor: string | null
}

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

/** An operation of a JSON Patch (RFC 6902). */
export type PatchOperation =
  | { readonly op: 'add' | 'replace'; readonly path: string; readonly value: unknown }
  | { readonly op: 'remove'; readonly path: string }

/** What makes one version of another. */
export interface Difference {
  readonly revision: number
  /** The version that the patch is applied to. */
  readonly against: number
  readonly patch: readonly PatchOperation[]
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

/** Which changes are undone. */
export interface UndoRange {
  /** The number of the first change. */
  readonly from: number
  /** The number of the last change. @default the last one that there is */
  readonly to?: number
  /** The subject of their actor. @default any */
  readonly actor?: string
}

/** How changes are undone. */
export interface UndoOptions extends CallOptions {
  /** Does everything but store. @default false */
  readonly dryRun?: boolean
}

/** What an undo has done, and which documents it has left as they are. */
export interface UndoReport {
  readonly undone: readonly {
    readonly collection: string
    readonly id: string
    readonly action: 'create' | 'delete' | 'restore' | 'draft' | 'discard' | 'unschedule' | 'update'
    /** The number of the new change. */
    readonly seq: number
  }[]
  readonly blocked: readonly {
    readonly collection: string
    readonly id: string
    readonly reason:
      | 'access'
      | 'changed_since'
      | 'conflict'
      | 'erased'
      | 'file'
      | 'hook'
      | 'invalid'
      | 'referenced'
      | 'schedule'
    /** Numbers of the changes in the way. */
    readonly changes: readonly number[]
  }[]
}
