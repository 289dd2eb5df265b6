import { type Leaf, saysSame } from '../document-fields.ts'
import { mergeValue } from './merge-value.ts'
import { mergeWords } from './merge-words.ts'

/** All that is known of a leaf that may have two versions. */
interface Sides {
  /** What mine was made from. */
  readonly base: unknown
  readonly mine: unknown
  /** What is stored. */
  readonly theirs: unknown
  /** What this editor has sent, and may be what is stored. */
  readonly sent: readonly unknown[]
}

/** What two versions of a leaf come to. */
export type LeafOutcome =
  | { readonly kind: 'same' }
  | { readonly kind: 'edit'; readonly value: unknown }
  | { readonly kind: 'conflict'; readonly merged?: string }

/** Merges two versions of a leaf; words of texts are merged as an offer alone. */
export function mergeLeaf(leaf: Leaf, { base, mine, theirs, sent }: Sides): LeafOutcome {
  if (saysSame(leaf, mine, theirs)) return { kind: 'same' }
  const isOurs = [base, ...sent].some((value) => saysSame(leaf, value, theirs))
  if (isOurs) return { kind: 'edit', value: mine }
  const merged = mergeValue(leaf.plain(base), leaf.plain(mine), leaf.plain(theirs))
  if (merged) return saysSame(leaf, merged.value, theirs) ? { kind: 'same' } : { kind: 'edit', value: merged.value }
  const words = leaf.isText ? offerWords(base, mine, theirs) : undefined
  return words === undefined ? { kind: 'conflict' } : { kind: 'conflict', merged: words }
}

function offerWords(base: unknown, mine: unknown, theirs: unknown): string | undefined {
  if (typeof mine !== 'string' || typeof theirs !== 'string') return undefined
  return mergeWords(typeof base === 'string' ? base : '', mine, theirs)
}
