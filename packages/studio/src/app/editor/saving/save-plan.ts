import { type Leaves, writeLeaf } from './document-fields.ts'
import { isRecord, type Values } from './saved-field.ts'

/** What one save sends. */
export interface SavePlan {
  /** Values by leaf. */
  readonly values: ReadonlyMap<string, unknown>
  readonly body: Values
  /** Whether members of groups are merged in (RFC 7396). */
  readonly isMerge: boolean
}

/**
 * Plans a save: the leaves that changed, and nothing else. A merge patch reaches into groups, but would merge into JSON objects as well: where
 * there are both, these are left to the next save.
 */
export function planSave(edits: ReadonlyMap<string, unknown>, leaves: Leaves): SavePlan {
  const isMerge = [...edits.keys()].some((path) => path.includes('.'))
  const values = new Map([...edits].filter(([, value]) => !isMerge || !isRecord(value)))
  return { values, body: toBody(values, leaves), isMerge }
}

/** A body that names these leaves. */
export function toBody(values: ReadonlyMap<string, unknown>, leaves: Leaves): Values {
  let body: Values = {}
  for (const [path, value] of values) {
    const leaf = leaves.get(path)
    if (leaf) body = writeLeaf(body, leaf, value)
  }
  return body
}

/** The leaf that takes most room in a body. */
export function largestOf(values: ReadonlyMap<string, unknown>): string | undefined {
  const sizes = [...values].map(([path, value]) => [path, JSON.stringify(value).length] as const)
  return sizes.sort(([, a], [, b]) => b - a)[0]?.[0]
}
