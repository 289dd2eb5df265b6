import type { Leaf, Leaves } from './document-fields.ts'
import { keyOf } from './item-keys.ts'
import { isRecord } from './saved-field.ts'

/** A step into a value: the key of a field, the key of an item, or its place where it has none. */
export type PathStep = string | number | { readonly item: string }

/** Where a value stands in a document: `['title']`, `['seo', 'title']`, `['parts', { item: 'i7' }, 'words']`. */
export type FieldPath = readonly PathStep[]

/** A leaf, and what leads on inside it. */
export interface LeafPlace {
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
  const index = typeof step === 'number' ? step : value.findIndex((item) => keyOf(item) === step.item)
  if (!(index in value)) return undefined
  const item = setInside(value[index], rest, inner)
  return item === undefined ? undefined : value.with(index, item)
}
