import { type Leaves, readLeaf } from '../document-fields.ts'
import type { EditState } from '../edit-state.ts'
import type { LocalCopy } from './local-copies.ts'

/** What of a local copy is not in the document's state. */
export type CopyHead = Pick<LocalCopy, 'person' | 'document' | 'editor' | 'savedAt' | 'attempt' | 'unfinished'>

/** What is to be kept in this browser; `undefined`: everything is stored by the service. */
export function toLocalCopy(state: EditState, leaves: Leaves, head: CopyHead): LocalCopy | undefined {
  const { edits, conflicts, sent, aside, stored } = state
  const unfinished = head.unfinished?.length ?? 0
  if (edits.size + conflicts.size + aside.length + unfinished === 0 && !head.attempt) return undefined
  const baseOf = (path: string): unknown => {
    const leaf = leaves.get(path)
    return leaf ? readLeaf(stored.values, leaf) : null
  }
  const ordinary = [...edits].map(([path, mine]) => ({ path, base: baseOf(path), mine }))
  const inConflict = [...conflicts.values()].map(({ path, base, mine }) => ({ path, base, mine }))
  return {
    version: 1,
    ...head,
    tag: stored.tag,
    values: stored.values,
    edits: [...ordinary, ...inConflict],
    sent: [...sent],
    aside,
  }
}
