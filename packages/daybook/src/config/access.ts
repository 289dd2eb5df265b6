import type { Caller } from '../auth/adapter.ts'
import type { FieldRule } from '../fields/field.ts'

/** What a rule is told: the caller, and the entry to change or delete. */
export interface AccessRequest extends Caller {
  /** The entry to change or to delete, in the default locale, and the entry that a change would make of it. */
  readonly entry?: Readonly<Record<string, unknown>>
}

/** A value that {@link AccessWhere} compares with. */
export type AccessValue = string | number | boolean

/** How a value compares: `{ eq: 'x' }`, `{ in: ['x', 'y'] }`; operators as in `where` of a list. */
export interface AccessComparison {
  readonly [operator: string]: AccessValue | readonly AccessValue[]
}

/**
 * What entries must hold, as `where` of a list has it: `{ owner: { eq: 'x' }, or: [{ … }, { … }], not: { … } }`. Within the
 * same bounds; every filterable field of the collection can be named, readable or not.
 */
export interface AccessWhere {
  readonly [fieldOrGroup: string]: AccessComparison | AccessWhere | readonly AccessWhere[]
}

/**
 * Decides about a request: `true` allows it, `false` refuses it, a `where` allows it for the entries that match. Without a rule,
 * everyone can read, and every session can write.
 *
 * - `read`: other entries do not exist for the caller (404).
 * - `draft`: drafts of other entries do not exist for the caller.
 * - `create`: the new entry must match.
 * - `update`: the entry must match before and after. The rule is asked about both, one as `entry` after the other.
 * - `delete`: the entry must match.
 *
 * A caller that may not read an entry may neither change nor delete it. A rule that throws, or answers anything else, ends the request
 * with 500 and allows nothing; the log names the rule.
 *
 * @example
 * ```ts
 * const own: AccessRule = ({ identity }) => identity !== null && { owner: { eq: identity.subject } }
 * ```
 */
export type AccessRule = (request: AccessRequest) => boolean | AccessWhere | Promise<boolean | AccessWhere>

/** Decides about a request for a global: `true` allows it, `false` refuses it. There is one document, so a `where` has nothing to choose from. */
export type GlobalRule = (caller: Caller) => boolean | Promise<boolean>

/** Who may know who made and last changed a document. */
export interface PeopleAccess {
  /**
   * Decides who reads `createdBy` and `updatedBy`: `true` is everyone, a function is told of the caller, and answers at once. To
   * others, both are unknown. @default any session
   */
  readonly read?: true | FieldRule
}

/** The rules of the assets, by action. */
export interface AssetAccess {
  /** Decides about reads; with a `where`, other entries are not there. @default everyone */
  readonly read?: AccessRule
  /** Decides about new entries; with a `where`, the new entry must match. @default any session */
  readonly create?: AccessRule
  /** Decides about changes; with a `where`, the entry must match before and after: `entry` is the one, then the other. @default any session */
  readonly update?: AccessRule
  /** Decides about deletions; with a `where`, the entry must match: `entry` is the one to delete. @default any session */
  readonly delete?: AccessRule
}

/** The rules of a collection, by action. */
export interface CollectionAccess extends AssetAccess {
  /**
   * Decides who sees drafts, in a collection with `f.status()`: entries that are not published, unpublished changes of the others, and
   * versions from before publication. With a `where`, drafts of other entries do not exist for the caller. It receives no `entry`.
   * Without a session, there are no drafts. @default the rule for `update` @see docs/access.md#decide-who-sees-drafts
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
