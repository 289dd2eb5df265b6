import { type Leaves, readLeaf, saysSame } from '../document-fields.ts'
import { type Aside, type EditState, seenAt, settleLeaf } from '../edit-state.ts'
import type { LocalCopy, LocalEdit } from './local-copies.ts'

/** The parts of a local copy that are not in the state of the document. */
type CopyHead = Pick<LocalCopy, 'person' | 'document' | 'editor' | 'savedAt' | 'attempt'>

/** Returns the content of the local copy; `undefined` if the service has stored everything. */
export function toLocalCopy(state: EditState, leaves: Leaves, head: CopyHead): LocalCopy | undefined {
  const { edits, conflicts, sent, aside, stored, unfinished } = state
  if (edits.size + conflicts.size + aside.length + unfinished.size === 0 && !head.attempt) return undefined
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
    ...(unfinished.size > 0 ? { unfinished: [...unfinished] } : {}),
  }
}

/** Adopts the edits of a copy: as edits where nothing is newer, otherwise merged, and in conflict where both changed a field. */
export function adoptCopy(state: EditState, leaves: Leaves, copy: LocalCopy): EditState {
  const sent = new Map(copy.sent)
  const adopted = copy.edits.reduce((next, edit) => adoptEdit(next, leaves, edit, sent.get(edit.path) ?? []), state)
  const isSameVersion = copy.tag === state.stored.tag
  return {
    ...adopted,
    // A save by the former editor may still arrive while its tag holds.
    sent: isSameVersion ? new Map([...copy.sent, ...adopted.sent]) : adopted.sent,
    aside: [...adopted.aside, ...copy.aside],
    unfinished: new Map([...adopted.unfinished, ...(copy.unfinished ?? [])]),
  }
}

function adoptEdit(
  state: EditState,
  leaves: Leaves,
  { path, base, mine }: LocalEdit,
  sent: readonly unknown[],
): EditState {
  const leaf = leaves.get(path)
  if (!leaf) return putAside(state, { path, value: mine, reason: 'unknown-field' })
  const isTaken = state.edits.has(path) || state.conflicts.has(path)
  if (!isTaken) return settleLeaf(state, leaf, { base, mine }, sent)
  if (saysSame(leaf, seenAt(state, leaf), mine)) return state
  return putAside(state, { path, value: mine, reason: 'other-copy' })
}

const putAside = (state: EditState, aside: Aside): EditState => ({ ...state, aside: [...state.aside, aside] })
