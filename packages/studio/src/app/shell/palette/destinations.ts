/** A place in the Studio, as the palette offers it. */
export interface Destination {
  /** Below the Studio's own path, such as `/c/posts`. */
  readonly to: string
  readonly label: string
  /** What kind of place it is, in words. */
  readonly kind: string
}

/** The places whose names hold every word, those first whose name begins with the first one. */
export function matchDestinations(places: readonly Destination[], text: string): readonly Destination[] {
  const words = plain(text).split(/\s+/).filter(Boolean)
  const [first = ''] = words
  const found = places.filter(({ label, kind }) => words.every((word) => plain(`${label} ${kind}`).includes(word)))
  return found.toSorted((a, b) => rank(a, first) - rank(b, first))
}

const rank = ({ label }: Destination, word: string): number => (plain(label).startsWith(word) ? 0 : 1)

/** A text without capitals and accents. */
const plain = (text: string): string => text.normalize('NFD').replace(/\p{M}/gu, '').toLocaleLowerCase()

/** How many places are remembered. */
const MAX_RECENT = 8

/** The places that a person chose last, in this browser; the last one comes first. */
export class RecentDestinations {
  readonly #name: string

  /** @param person the subject of who is signed in */
  constructor(person: string) {
    this.#name = `daybook-studio:${person}:recent`
  }

  list(): readonly Destination[] {
    try {
      const places: unknown = JSON.parse(localStorage.getItem(this.#name) ?? '[]')
      return Array.isArray(places) ? places.filter(isPlace) : []
    } catch {
      return []
    }
  }

  add(place: Destination): void {
    const others = this.list().filter(({ to }) => to !== place.to)
    const { to, label, kind } = place
    localStorage.setItem(this.#name, JSON.stringify([{ to, label, kind }, ...others].slice(0, MAX_RECENT)))
  }
}

/** Only what leads into the Studio is a place. */
const isPlace = (given: unknown): given is Destination => {
  if (typeof given !== 'object' || given === null) return false
  const { to, label, kind } = given as Readonly<Record<string, unknown>>
  return typeof to === 'string' && /^\/(?!\/)/.test(to) && typeof label === 'string' && typeof kind === 'string'
}
