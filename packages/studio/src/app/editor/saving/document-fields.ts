import {
  addMissingKeys,
  createPlainReader,
  getItemKey,
  isRecord,
  isSameValue,
  type SavedField,
  type Values,
} from './field-values.ts'

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
  toPlain(value: unknown): unknown
  /** The value, each of its items with a key. */
  addItemKeys(value: unknown): unknown
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
export function listLeaves(fields: readonly SavedField[], options: LeafOptions = {}): Leaves {
  const { except = [], hasWholeGroups = false } = options
  const own = fields.filter(({ key, writable }) => writable && !except.includes(key))
  return new Map(own.flatMap((field) => leavesIn(field, [], hasWholeGroups)).map((leaf) => [leaf.path, leaf]))
}

function leavesIn(field: SavedField, around: readonly string[], isWhole: boolean): readonly Leaf[] {
  const keys = [...around, field.key]
  if (!isWhole && field.fields && canSplit(field))
    return field.fields.flatMap((inner) => leavesIn(inner, keys, isWhole))
  const isText = TEXT_TYPES.has(field.type)
  const keyed = (value: unknown): unknown => addMissingKeys(field, value)
  return [{ path: keys.join('.'), keys, isText, toPlain: createPlainReader(field), addItemKeys: keyed }]
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
export function findLeafByPointer(leaves: Leaves, pointer: string): Leaf | undefined {
  const steps = pointer.split('/').slice(1)
  const paths = steps.map((_, index) => steps.slice(0, index + 1).join('.'))
  return paths.map((path) => leaves.get(path)).find((leaf) => leaf !== undefined)
}

/** Whether people wrote the same in two values of a leaf. */
export const isSameLeafValue = (leaf: Leaf, one: unknown, other: unknown): boolean =>
  isSameValue(leaf.toPlain(one), leaf.toPlain(other))

/** A step into a value: the key of a field, the key of an item, or its place where it has none. */
type PathStep = string | number | { readonly item: string }

/** Where a value stands in a document: `['title']`, `['seo', 'title']`, `['parts', { item: 'i7' }, 'words']`. */
export type FieldPath = readonly PathStep[]

/** A leaf, and what leads on inside it. */
interface LeafPlace {
  readonly leaf: Leaf
  readonly inside: FieldPath
}

/** Finds the leaf that a path leads to or into. */
export function findLeaf(leaves: Leaves, path: FieldPath): LeafPlace | undefined {
  for (let length = 1; length <= path.length; length += 1) {
    const steps = path.slice(0, length)
    const leaf = steps.every((step) => typeof step === 'string') ? leaves.get(steps.join('.')) : undefined
    if (leaf) return { leaf, inside: path.slice(length) }
  }
  return undefined
}

/** A value with another one inside it. `undefined` where the path leads to an item that is not there any more. */
export function setInside(value: unknown, [step, ...rest]: FieldPath, inner: unknown): unknown {
  if (step === undefined) return inner
  if (typeof step === 'string') {
    const record = isRecord(value) ? value : {}
    const member = setInside(record[step], rest, inner)
    return member === undefined ? undefined : { ...record, [step]: member }
  }
  if (!Array.isArray(value)) return undefined
  const index = typeof step === 'number' ? step : value.findIndex((item) => getItemKey(item) === step.item)
  if (!(index in value)) return undefined
  const item = setInside(value[index], rest, inner)
  return item === undefined ? undefined : value.with(index, item)
}
