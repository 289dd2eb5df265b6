import { withKeys } from './item-keys.ts'
import { plainReader } from './merging/plain-value.ts'
import { isSame } from './merging/same-value.ts'
import { isRecord, type SavedField, type Values } from './saved-field.ts'

/**
 * The smallest part of a document that is saved, merged and undone by itself: a field, or a field inside groups. A list, blocks and JSON
 * are one leaf each: the service replaces them whole.
 */
export interface Leaf {
  /** Its keys, joined by dots: `title`, `seo.title`. */
  readonly path: string
  readonly keys: readonly string[]
  /** Whether people write prose in it, so that words of two versions can be merged. */
  readonly isText: boolean
  /** What people wrote of a value, see {@link plainValue}. */
  plain(value: unknown): unknown
  /** The value, each of its items with a key. */
  keyed(value: unknown): unknown
}

/** The types whose values are prose. */
const TEXT_TYPES: ReadonlySet<string> = new Set(['text', 'markdown'])

/** Leaves by path. */
export type Leaves = ReadonlyMap<string, Leaf>

/** Which leaves a document has. */
export interface LeafOptions {
  /** Keys of fields that are not saved this way, such as the status of an entry that has a working copy. */
  readonly except?: readonly string[]
  /** Whether a group is one leaf, as in a global: nothing merges inside it on the way to the store. @default false */
  readonly hasWholeGroups?: boolean
}

/** The leaves that a session may write. */
export function leavesOf(fields: readonly SavedField[], options: LeafOptions = {}): Leaves {
  const { except = [], hasWholeGroups = false } = options
  const own = fields.filter(({ key, writable }) => writable && !except.includes(key))
  return new Map(own.flatMap((field) => leavesIn(field, [], hasWholeGroups)).map((leaf) => [leaf.path, leaf]))
}

function leavesIn(field: SavedField, around: readonly string[], isWhole: boolean): readonly Leaf[] {
  const keys = [...around, field.key]
  if (!isWhole && field.fields && canSplit(field))
    return field.fields.flatMap((inner) => leavesIn(inner, keys, isWhole))
  const isText = TEXT_TYPES.has(field.type)
  const keyed = (value: unknown): unknown => withKeys(field, value)
  return [{ path: keys.join('.'), keys, isText, plain: plainReader(field), keyed }]
}

/** A group that holds JSON is saved whole: a merge patch (RFC 7396) would merge into the JSON, and could not remove from it. */
function canSplit({ type, fields }: SavedField): boolean {
  return (
    type === 'group' && (fields ?? []).every((inner) => inner.type !== 'json' && (!inner.fields || canSplit(inner)))
  )
}

/** What a document says at a leaf; `null` where it says nothing. */
export function readLeaf(values: Values, { keys }: Leaf): unknown {
  let value: unknown = values
  for (const key of keys) value = isRecord(value) && Object.hasOwn(value, key) ? value[key] : null
  return value ?? null
}

/** A document with another value at a leaf; the parts beside it stay the same objects. */
export function writeLeaf(values: Values, { keys }: Leaf, value: unknown): Values {
  return put(values, keys, value)
}

function put(values: Values, [key, ...rest]: readonly string[], value: unknown): Values {
  if (key === undefined) return values
  const inner = values[key]
  return { ...values, [key]: rest.length === 0 ? value : put(isRecord(inner) ? inner : {}, rest, value) }
}

/** The leaf that a JSON Pointer (RFC 6901) of an issue leads to, or into. */
export function leafAt(leaves: Leaves, pointer: string): Leaf | undefined {
  const steps = pointer.split('/').slice(1)
  const paths = steps.map((_, index) => steps.slice(0, index + 1).join('.'))
  return paths.map((path) => leaves.get(path)).find((leaf) => leaf !== undefined)
}

/** Whether people wrote the same in two values of a leaf. */
export const saysSame = (leaf: Leaf, one: unknown, other: unknown): boolean =>
  isSame(leaf.plain(one), leaf.plain(other))
