import { rateMatch, splitWords } from './fuzzy.ts'

/** The groups of the palette, in their order. */
export const GROUPS = ['actions', 'recent', 'pages', 'entries', 'create'] as const

/** A page, entry or action that the palette offers. */
export interface Destination {
  readonly group: (typeof GROUPS)[number]
  /** Distinguishes destinations; those with the same one are offered once. */
  readonly id: string
  readonly label: string
  /** The kind of destination, in words. */
  readonly kind: string
  /** The presses of its shortcut, if it has one. */
  readonly presses?: readonly string[]
  /** The path below that of the Studio, such as `/c/posts`, or an action of the present page. */
  readonly target: string | (() => void)
}

/** Finds the destinations that contain every word, the best matches first. */
export function matchDestinations(destinations: readonly Destination[], text: string): readonly Destination[] {
  const words = splitWords(text)
  const rated = destinations.flatMap((destination) => {
    const rating = rateMatch(`${destination.label} ${destination.kind}`, words)
    return rating === undefined ? [] : [{ destination, rating }]
  })
  return rated.toSorted((a, b) => a.rating - b.rating).map(({ destination }) => destination)
}

/** Sorts destinations by group, without repeating one. */
export function arrangeDestinations(destinations: readonly Destination[]): readonly Destination[] {
  const byId = new Map<string, Destination>()
  for (const destination of destinations) if (!byId.has(destination.id)) byId.set(destination.id, destination)
  return [...byId.values()].toSorted((a, b) => GROUPS.indexOf(a.group) - GROUPS.indexOf(b.group))
}

/**
 * Returns the title in a text that names an action and then a title, such as `new post Spring fair`.
 *
 * @param label that of the action, such as `New post`
 */
export function readTitle(text: string, label: string): string | undefined {
  const typed = text.trim().split(/\s+/)
  const count = label.split(/\s+/).length
  const isNamed = rateMatch(label, splitWords(typed.slice(0, count).join(' '))) !== undefined
  const title = typed.slice(count).join(' ')
  return typed.length > count && isNamed ? title : undefined
}
