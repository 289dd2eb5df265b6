import type { Caller } from '../auth/adapter.ts'
import type { FieldRule } from '../fields/field.ts'

/** The input of an access rule: the caller, and the entry to change or delete. */
export interface AccessRequest extends Caller {
  /** The entry to change or delete in the default locale, or the entry as it would be after the change. */
  readonly entry?: Readonly<Record<string, unknown>>
}

/** A value that {@link AccessWhere} compares with. */
export type AccessValue = string | number | boolean

/** A comparison with the operators of `where`, such as `{ eq: 'x' }` or `{ in: ['x', 'y'] }`. */
export interface AccessComparison {
  readonly [operator: string]: AccessValue | readonly AccessValue[]
}

/**
 * A filter on entries, like `where` of a list, with the same limits: `{ owner: { eq: 'x' }, or: [{ … }, { … }], not: { … } }`. It can use
 * every filterable field of the collection, readable or not.
 */
export interface AccessWhere {
  readonly [fieldOrGroup: string]: AccessComparison | AccessWhere | readonly AccessWhere[]
}

/**
 * Decides about a request: `true` allows it, `false` rejects it, a `where` allows it for the entries that match. Without a rule, everyone can
 * read, and every session can write.
 *
 * - `read`: other entries do not exist for the caller (404).
 * - `draft`: drafts of other entries do not exist for the caller.
 * - `create`: the new entry must match.
 * - `update`: the entry must match before and after the change. The rule is called for both, one after the other as `entry`.
 * - `delete`: the entry must match.
 *
 * A caller who may not read an entry may neither change nor delete it. If a rule throws or returns anything else, the request fails with 500,
 * and the log names the rule.
 *
 * @example
 * ```ts
 * const isOwner: AccessRule = ({ identity }) => identity !== null && { owner: { eq: identity.subject } }
 * ```
 */
export type AccessRule = (request: AccessRequest) => boolean | AccessWhere | Promise<boolean | AccessWhere>

/** Decides about a request for a global: `true` allows it, `false` rejects it. There is no `where`, because a global is a single document. */
export type GlobalRule = (caller: Caller) => boolean | Promise<boolean>

/** Access to the authors of a document. */
export interface PeopleAccess {
  /**
   * Decides who reads `createdBy` and `updatedBy`: `true` means everyone; otherwise a synchronous function of the caller. @default any session
   */
  readonly read?: true | FieldRule
}

/** The rules of the assets, by action. */
export interface AssetAccess {
  /** Decides about reads. With a `where`, other entries do not exist for the caller. @default everyone */
  readonly read?: AccessRule
  /** Decides about new entries. With a `where`, the new entry must match. @default any session */
  readonly create?: AccessRule
  /** Decides about changes. With a `where`, the entry must match before and after the change. @default any session */
  readonly update?: AccessRule
  /** Decides about deletions. With a `where`, the entry must match. @default any session */
  readonly delete?: AccessRule
}

/** The rules of a collection, by action. */
export interface CollectionAccess extends AssetAccess {
  /**
   * Decides who sees drafts in a collection with `f.status()`: unpublished entries, unpublished changes, and versions from before publication.
   * With a `where`, drafts of other entries do not exist for the caller. The rule receives no `entry`. Without a session, there are no drafts.
   * @default the rule for `update` @see docs/concepts/access.md#decide-who-sees-drafts
   */
  readonly draft?: AccessRule
}

/** The rules of a global, by action. */
export interface GlobalAccess {
  /** Decides about reads. @default everyone */
  readonly read?: GlobalRule
  /** Decides about changes. @default any session */
  readonly update?: GlobalRule
}
