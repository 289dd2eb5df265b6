import type { Place } from './place.ts'

/** How many places are remembered. */
const MAX_RECENT = 8

/** The places that a person chose last, in this browser; the last one comes first. */
export class RecentPlaces {
  readonly #name: string

  /** @param person the subject of who is signed in */
  constructor(person: string) {
    this.#name = `daybook-studio:${person}:recent`
  }

  all(): readonly Place[] {
    try {
      const places: unknown = JSON.parse(localStorage.getItem(this.#name) ?? '[]')
      return Array.isArray(places) ? places.filter(isPlace) : []
    } catch {
      return []
    }
  }

  add(place: Place): void {
    const others = this.all().filter(({ to }) => to !== place.to)
    const { to, label, kind } = place
    localStorage.setItem(this.#name, JSON.stringify([{ to, label, kind }, ...others].slice(0, MAX_RECENT)))
  }
}

/** Only what leads into the Studio is a place. */
const isPlace = (given: unknown): given is Place => {
  if (typeof given !== 'object' || given === null) return false
  const { to, label, kind } = given as Readonly<Record<string, unknown>>
  return typeof to === 'string' && /^\/(?!\/)/.test(to) && typeof label === 'string' && typeof kind === 'string'
}
