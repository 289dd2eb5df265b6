import { type Leaves, saysSame } from '../document-fields.ts'
import { type Aside, type EditState, seenAt, settleLeaf } from '../edit-state.ts'
import type { LocalCopy, LocalEdit } from './local-copies.ts'

/** Takes up what was typed before a crash: as edits where nothing is newer, else merged, and in conflict where both changed a field. */
export function adoptCopy(state: EditState, leaves: Leaves, copy: LocalCopy): EditState {
  const sent = new Map(copy.sent)
  const adopted = copy.edits.reduce((next, edit) => adoptEdit(next, leaves, edit, sent.get(edit.path) ?? []), state)
  const isSameVersion = copy.tag === state.stored.tag
  return {
    ...adopted,
    // A save of before may still arrive while its tag holds.
    sent: isSameVersion ? new Map([...copy.sent, ...adopted.sent]) : adopted.sent,
    aside: [...adopted.aside, ...copy.aside],
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
