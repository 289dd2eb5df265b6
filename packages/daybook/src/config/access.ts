import type { Caller } from '../auth/adapter.ts'

/** What a rule is told: who asks, and of what. */
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
 * Who may do it: `true` everyone that asks so, `false` nobody, a `where` with the entries that hold it. Without a rule,
 * everyone reads and a session writes.
 *
 * - `read`: other entries do not exist for the caller (404).
 * - `create`: the new entry must hold it.
 * - `update`: the entry must hold it before and after. The rule is asked about both, one as `entry` after the other.
 * - `delete`: the entry must hold it.
 *
 * Who may not read an entry may neither change nor delete it. A rule that throws, or answers anything else, ends the request
 * with 500 and lets nobody through; the log says which one it was.
 *
 * @example
 * ```ts
 * const own: AccessRule = ({ identity }) => identity !== null && { owner: { eq: identity.subject } }
 * ```
 */
export type AccessRule = (request: AccessRequest) => boolean | AccessWhere | Promise<boolean | AccessWhere>

/** Who may do it with a global: there is one of it, so that there is nothing to choose from. */
export type GlobalRule = (caller: Caller) => boolean | Promise<boolean>

/** Who may do what in a collection. */
export interface CollectionAccess {
  /** @default everyone; entries that are not published need a session all the same */
  readonly read?: AccessRule
  /** @default any session */
  readonly create?: AccessRule
  /** @default any session */
  readonly update?: AccessRule
  /** @default any session */
  readonly delete?: AccessRule
}

/** Who may do what with a global. */
export interface GlobalAccess {
  /** @default everyone */
  readonly read?: GlobalRule
  /** @default any session */
  readonly update?: GlobalRule
}
