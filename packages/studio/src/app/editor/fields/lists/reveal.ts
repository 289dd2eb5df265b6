/** Tells lists that a field inside them is looked for. */
const asking = new EventTarget()
/** What was looked for last: lists inside lists are drawn later. */
let asked: string | undefined

/**
 * Unfolds the lists and blocks around a field.
 *
 * @param place with dots between: `parts.3.words`
 * @public
 */
export function revealField(place: string): void {
  asked = place
  asking.dispatchEvent(new CustomEvent('reveal', { detail: place }))
}

/** Calls when a field inside a list is looked for. @returns ends that */
export function onReveal(list: string, call: (index: number) => void): () => void {
  const listen = (event: Event): void => {
    const index = indexWithin(list, String((event as CustomEvent).detail))
    if (index !== undefined) call(index)
  }
  asking.addEventListener('reveal', listen)
  return () => asking.removeEventListener('reveal', listen)
}

/** The item of a list that is looked for while it is drawn first: by {@link revealField}, or by `?field=` in the address of the page. */
export const revealedItem = (list: string): number | undefined =>
  indexWithin(list, asked ?? new URLSearchParams(location.search).get('field') ?? '')

function indexWithin(list: string, place: string): number | undefined {
  const [index = ''] = place.startsWith(`${list}.`) ? place.slice(list.length + 1).split('.') : []
  return /^\d+$/.test(index) ? Number(index) : undefined
}
