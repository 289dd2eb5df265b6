/** A page, entry or action that the palette offers. */
export interface Destination {
  /** The path below that of the Studio, such as `/c/posts`. */
  readonly to: string
  readonly label: string
  /** The kind of destination, in words. */
  readonly kind: string
}

/** Finds the destinations that contain every word, those first whose label begins with the first word. */
export function matchDestinations(destinations: readonly Destination[], text: string): readonly Destination[] {
  const searchWords = normalize(text).split(/\s+/).filter(Boolean)
  const [first = ''] = searchWords
  const matches = destinations.filter(({ label, kind }) => {
    const words = normalize(`${label} ${kind}`)
    return searchWords.every((word) => words.includes(word))
  })
  return matches.toSorted((a, b) => rank(a, first) - rank(b, first))
}

const rank = ({ label }: Destination, word: string): number => (normalize(label).startsWith(word) ? 0 : 1)

/** Removes capitals and accents. */
const normalize = (text: string): string => text.normalize('NFD').replace(/\p{M}/gu, '').toLocaleLowerCase()

/** The number of recent destinations that are stored. */
const MAX_RECENT = 8

/** The recent destinations of a user in this browser, the latest first. */
export class RecentDestinations {
  readonly #storageKey: string

  /** @param subject of the signed-in user */
  constructor(subject: string) {
    this.#storageKey = `daybook-studio:${subject}:recent`
  }

  list(): readonly Destination[] {
    try {
      const stored: unknown = JSON.parse(localStorage.getItem(this.#storageKey) ?? '[]')
      return Array.isArray(stored) ? stored.filter(isDestination) : []
    } catch {
      return []
    }
  }

  add({ to, label, kind }: Destination): void {
    const previous = this.list().filter((destination) => destination.to !== to)
    localStorage.setItem(this.#storageKey, JSON.stringify([{ to, label, kind }, ...previous].slice(0, MAX_RECENT)))
  }
}

/** True for a stored destination; its path must lead into the Studio. */
const isDestination = (value: unknown): value is Destination => {
  if (typeof value !== 'object' || value === null) return false
  const { to, label, kind } = value as Readonly<Record<string, unknown>>
  return typeof to === 'string' && /^\/(?!\/)/.test(to) && typeof label === 'string' && typeof kind === 'string'
}
