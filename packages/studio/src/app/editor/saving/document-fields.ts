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
 * The smallest part of a document that is saved, merged and undone separately: a field, or a field inside groups. A list, blocks and JSON
 * are one leaf each, since the service replaces them as a whole.
 */
export interface Leaf {
  /** The dotted path, such as `title` or `seo.title`. */
  readonly path: string
  readonly keys: readonly string[]
  /** True for prose, where the words of two versions can be merged. */
  readonly isText: boolean
  /** Returns the part of a value that users write; see {@link toPlainValue}. */
  toPlain(value: unknown): unknown
  /** Returns the value with a key for each of its items. */
  addItemKeys(value: unknown): unknown
}

const TEXT_TYPES: ReadonlySet<string> = new Set(['text', 'markdown'])

/** Leaves by path. */
export type Leaves = ReadonlyMap<string, Leaf>

export interface LeafOptions {
  /** Keys of fields to exclude, such as the status of an entry with drafts. */
  readonly except?: readonly string[]
  /** True if a group is one leaf, as in a global, where the service does not merge inside groups. @default false */
  readonly hasWholeGroups?: boolean
}

/** Lists the writable leaves of a document. */
export function listLeaves(fields: readonly SavedField[], options: LeafOptions = {}): Leaves {
  const { except = [], hasWholeGroups = false } = options
  const savedFields = fields.filter(({ key, writable }) => writable && !except.includes(key))
  const leaves = savedFields.flatMap((field) => listLeavesOfField(field, [], hasWholeGroups))
  return new Map(leaves.map((leaf) => [leaf.path, leaf]))
}

function listLeavesOfField(field: SavedField, parentKeys: readonly string[], hasWholeGroups: boolean): readonly Leaf[] {
  const keys = [...parentKeys, field.key]
  if (!hasWholeGroups && field.fields && canSplit(field))
    return field.fields.flatMap((inner) => listLeavesOfField(inner, keys, hasWholeGroups))
  const isText = TEXT_TYPES.has(field.type)
  const addItemKeys = (value: unknown): unknown => addMissingKeys(field, value)
  return [{ path: keys.join('.'), keys, isText, toPlain: createPlainReader(field), addItemKeys }]
}

/** False for a group with JSON: a merge patch (RFC 7396) would merge into the JSON, and could not remove members. */
function canSplit({ type, fields }: SavedField): boolean {
  return (
    type === 'group' && (fields ?? []).every((inner) => inner.type !== 'json' && (!inner.fields || canSplit(inner)))
  )
}

/** Returns the value of a leaf, or `null`. */
export function readLeaf(values: Values, { keys }: Leaf): unknown {
  let value: unknown = values
  for (const key of keys) value = isRecord(value) && Object.hasOwn(value, key) ? value[key] : null
  return value ?? null
}

/** Returns the values with another value at a leaf. Unaffected parts stay the same objects. */
export function writeLeaf(values: Values, { keys }: Leaf, value: unknown): Values {
  return setMember(values, keys, value)
}

function setMember(values: Values, [key, ...rest]: readonly string[], value: unknown): Values {
  if (key === undefined) return values
  const inner = values[key]
  return { ...values, [key]: rest.length === 0 ? value : setMember(isRecord(inner) ? inner : {}, rest, value) }
}

/** Finds the leaf that the JSON Pointer (RFC 6901) of an issue leads to or into. */
export function findLeafByPointer(leaves: Leaves, pointer: string): Leaf | undefined {
  const steps = pointer.split('/').slice(1)
  const paths = steps.map((_, index) => steps.slice(0, index + 1).join('.'))
  return paths.map((path) => leaves.get(path)).find((leaf) => leaf !== undefined)
}

/** Returns true if two values of a leaf are equal apart from derived parts. */
export const isSameLeafValue = (leaf: Leaf, a: unknown, b: unknown): boolean =>
  isSameValue(leaf.toPlain(a), leaf.toPlain(b))

/** A step into a value: the key of a field, or the key or index of an item. */
type PathStep = string | number | { readonly item: string }

/** The path of a value in a document: `['title']`, `['seo', 'title']`, `['parts', { item: 'i7' }, 'words']`. */
export type FieldPath = readonly PathStep[]

/** A leaf, and the rest of a path inside it. */
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

/** Returns a value with another one inside it, or `undefined` if the path leads to a missing item. */
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
