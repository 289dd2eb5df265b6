import { isSameLeafValue, type Leaf, type Leaves, readLeaf, writeLeaf } from './document-fields.ts'
import type { Values } from './field-values.ts'
import { isSameValue } from './field-values.ts'
import { mergeLeaf } from './merge.ts'
import type { Snapshot } from './remote.ts'

/** Two versions of one field: a person has to decide. */
export interface Conflict {
  readonly path: string
  /** What both began with. */
  readonly base: unknown
  readonly mine: unknown
  /** What is stored now. */
  readonly theirs: unknown
  /** Of a text, both versions in one, where they merge by words: an offer, and never taken without a decision. */
  readonly merged?: string
  /** Who stored theirs, and when (ISO 8601), where that is known. */
  readonly by?: string
  readonly at?: string
}

/** A field that another person changed meanwhile. */
export interface MergeNote {
  readonly path: string
  readonly from: unknown
  readonly to: unknown
  /** Whether the field holds changes of both: of a list, say. */
  readonly isJoint: boolean
  readonly by?: string
  readonly at?: string
}

/** What a field of this document does not take any more, or another copy of this person says otherwise: kept to be copied. */
export interface SetAsideValue {
  readonly path: string
  readonly value: unknown
  readonly reason: 'unknown-field' | 'other-copy'
}

/** A text that is no value yet, such as JSON in the middle of a line. It is not saved, but kept in this browser. */
export interface UnfinishedText {
  readonly text: string
  /** The value that the text is to replace. */
  readonly value: unknown
}

/** Texts by their places, with dots between: `parts.0.data`. */
type UnfinishedTexts = ReadonlyMap<string, UnfinishedText>

/** A document as it is stored, and what a person has made of it since. All changes of it make a new one. */
export interface EditState {
  readonly stored: Snapshot
  /** Values by leaf that are not stored yet, made from what {@link stored} says. */
  readonly edits: ReadonlyMap<string, unknown>
  readonly conflicts: ReadonlyMap<string, Conflict>
  /** Values by leaf that were sent since {@link stored} was read, and may be stored: their answers were lost. */
  readonly sent: ReadonlyMap<string, readonly unknown[]>
  readonly notes: readonly MergeNote[]
  readonly aside: readonly SetAsideValue[]
  readonly unfinished: UnfinishedTexts
}

export const createEditState = (stored: Snapshot): EditState => ({
  stored,
  edits: new Map(),
  conflicts: new Map(),
  sent: new Map(),
  notes: [],
  aside: [],
  unfinished: new Map(),
})

/** What the person sees of a leaf. */
export function getCurrentValue({ stored, edits, conflicts }: EditState, leaf: Leaf): unknown {
  const conflict = conflicts.get(leaf.path)
  if (conflict) return conflict.mine
  return edits.has(leaf.path) ? edits.get(leaf.path) : readLeaf(stored.values, leaf)
}

/** The document as the person sees it. */
export function getCurrentValues(state: EditState, leaves: Leaves): Values {
  let { values } = state.stored
  for (const path of [...state.edits.keys(), ...state.conflicts.keys()]) {
    const leaf = leaves.get(path)
    if (leaf) values = writeLeaf(values, leaf, getCurrentValue(state, leaf))
  }
  return values
}

/** Gives a leaf another value. Where the leaf is in conflict, that is the person's side of it. */
export function editLeaf(state: EditState, leaf: Leaf, value: unknown): EditState {
  const conflict = state.conflicts.get(leaf.path)
  if (conflict) return rebaseLeaf(state, leaf, { ...conflict, mine: value })
  const edits = new Map(state.edits)
  // What was sent may be stored: going back to the former value is a change then.
  const isBack = !state.sent.has(leaf.path) && isSameLeafValue(leaf, value, readLeaf(state.stored.values, leaf))
  if (isBack) edits.delete(leaf.path)
  else edits.set(leaf.path, value)
  return { ...state, edits }
}

/** Remembers what is about to be sent. */
export function markSent(state: EditState, values: ReadonlyMap<string, unknown>): EditState {
  const sent = new Map(state.sent)
  for (const [path, value] of values) sent.set(path, [...(sent.get(path) ?? []), value])
  return { ...state, sent }
}

/** Takes the answer to a save. What was edited since it was sent stays as it is. */
export function applySaved(
  state: EditState,
  leaves: Leaves,
  saved: ReadonlyMap<string, unknown>,
  stored: Snapshot,
): EditState {
  const edits = new Map(state.edits)
  for (const [path, value] of saved) {
    const leaf = leaves.get(path)
    if (leaf && edits.has(path) && isSameLeafValue(leaf, edits.get(path), value)) edits.delete(path)
  }
  return { ...state, stored, edits, sent: new Map() }
}

/** Takes a newer version of the document: other fields are merged, and the same fields are in conflict. */
export function mergeNewer(state: EditState, leaves: Leaves, stored: Snapshot): EditState {
  if (stored.tag === state.stored.tag && stored.tag !== null) return state
  let next: EditState = { ...state, stored, edits: new Map(), conflicts: new Map(), sent: new Map() }
  for (const leaf of leaves.values()) {
    const conflict = state.conflicts.get(leaf.path)
    const former = readLeaf(state.stored.values, leaf)
    if (conflict) next = rebaseLeaf(next, leaf, conflict)
    else if (state.edits.has(leaf.path))
      next = rebaseLeaf(next, leaf, { base: former, mine: state.edits.get(leaf.path) }, state.sent.get(leaf.path))
    next = noteChange(next, leaf, former, state.sent.get(leaf.path))
  }
  return next
}

/** One side of a leaf, and what it was made from. */
export interface LeafEdit {
  readonly base: unknown
  readonly mine: unknown
}

/** Puts a version of a leaf beside what is stored: as an edit, merged, as a conflict, or as nothing where both say the same. */
export function rebaseLeaf(
  state: EditState,
  leaf: Leaf,
  { base, mine }: LeafEdit,
  sent: readonly unknown[] = [],
): EditState {
  const theirs = readLeaf(state.stored.values, leaf)
  const { by, at } = state.stored
  const edits = new Map(state.edits)
  const conflicts = new Map(state.conflicts)
  edits.delete(leaf.path)
  conflicts.delete(leaf.path)
  const outcome = mergeLeaf(leaf, { base, mine, theirs, sent })
  if (outcome.kind === 'edit') edits.set(leaf.path, outcome.value)
  if (outcome.kind === 'conflict') {
    const { merged } = outcome
    const about = { ...(by === undefined ? {} : { by }), ...(at === undefined ? {} : { at }) }
    const offer = merged === undefined ? {} : { merged }
    conflicts.set(leaf.path, { path: leaf.path, base, mine, theirs, ...offer, ...about })
  }
  return { ...state, edits, conflicts }
}

function noteChange(state: EditState, leaf: Leaf, from: unknown, sent: readonly unknown[] = []): EditState {
  const to = readLeaf(state.stored.values, leaf)
  const isOwn = sent.some((value) => isSameLeafValue(leaf, value, to))
  if (isOwn || state.conflicts.has(leaf.path) || isSameLeafValue(leaf, from, to)) return state
  const { by, at } = state.stored
  const note = {
    path: leaf.path,
    from,
    to,
    isJoint: state.edits.has(leaf.path),
    ...(by === undefined ? {} : { by }),
    ...(at === undefined ? {} : { at }),
  }
  return { ...state, notes: [...state.notes.filter(({ path }) => path !== leaf.path), note] }
}

/** How a person decides a conflict. */
export type Decision = 'mine' | 'theirs' | { readonly value: unknown }

/** Ends a conflict. What was decided is an ordinary edit of what is stored now. */
export function resolveConflict(state: EditState, leaf: Leaf, decision: Decision): EditState {
  const conflict = state.conflicts.get(leaf.path)
  if (!conflict) return state
  const conflicts = new Map(state.conflicts)
  conflicts.delete(leaf.path)
  const ended = { ...state, conflicts }
  if (decision === 'theirs') return ended
  return editLeaf(ended, leaf, decision === 'mine' ? conflict.mine : decision.value)
}

/** Returns the texts with another one at a place, or without one; the same object if nothing changes. */
export function setUnfinished(
  texts: UnfinishedTexts,
  place: string,
  unfinished: UnfinishedText | undefined,
): UnfinishedTexts {
  if (isSameValue(texts.get(place), unfinished)) return texts
  const next = new Map(texts)
  if (unfinished) next.set(place, unfinished)
  else next.delete(place)
  return next
}
