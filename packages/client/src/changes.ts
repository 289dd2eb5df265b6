const changesOfAnswers = new WeakMap<object, { readonly from: number; readonly to: number }>()

/** Remembers which changes a write of many documents made. One that changed nothing answers an older number, and no first one. */
export function rememberChanges(answer: object, headers: Pick<Headers, 'get'>): void {
  const from = Number(headers.get('Daybook-First-Seq'))
  if (from > 0) changesOfAnswers.set(answer, { from, to: Number(headers.get('Daybook-Seq')) })
}

/**
 * The changes that a write of many documents made, by their numbers in the journal: what `undo` takes back.
 *
 * @param answer what `batch`, `updateMany`, `deleteMany` or `undo` gave
 * @returns `undefined` when nothing has changed, and for a copy of an answer
 *
 * @example
 * ```ts
 * const changes = changesOf(await client.collections.posts.updateMany({ category: { eq: 'news' } }, { category: null }))
 * if (changes) await client.undo(changes)
 * ```
 */
export const changesOf = (answer: object): { readonly from: number; readonly to: number } | undefined =>
  changesOfAnswers.get(answer)
