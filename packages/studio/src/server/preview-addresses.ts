import type { ConfigFault } from 'daybook'

/** A place in an address that a value of the entry takes: `{slug}`. */
const PLACE = /\{(\w+)\}/g

/** The origin of an address with places; `undefined`: it is none, or its origin depends on the entry. */
export function previewOrigin(address: unknown): string | undefined {
  if (typeof address !== 'string') return undefined
  const filled = address.replace(PLACE, 'x')
  if (!/^https?:\/\//.test(filled) || /[{}]/.test(filled) || !URL.canParse(filled)) return undefined
  const { origin } = new URL(filled)
  // What stands before the first slash names no place: a slug must not choose the host.
  return address === origin || address.startsWith(`${origin}/`) ? origin : undefined
}

/** What takes the place of `{token}` and `{locale}` is no field. */
const OWN_PLACES: readonly string[] = ['token', 'locale']

/** What is wrong with addresses in a service: a collection that is not there, or a place that no entry fills. */
export function previewFaults(
  addresses: Readonly<Record<string, string>>,
  collections: Readonly<Record<string, readonly string[]>>,
): readonly ConfigFault[] {
  return Object.entries(addresses).flatMap(([key, address]) => {
    const path = `plugins.studio.preview.${key}`
    const fields = Object.hasOwn(collections, key) ? collections[key] : undefined
    if (!fields) {
      const known = Object.keys(collections).join(', ')
      return [{ path, message: `there is no collection "${key}"; write one of these: ${known}` }]
    }
    const places = [...address.matchAll(PLACE)].map(([, place = '']) => place)
    const unknown = places.filter((place) => !fields.includes(place) && !OWN_PLACES.includes(place))
    return unknown.map((place) => ({
      path,
      message: `entries of "${key}" have no "${place}" to fill {${place}} with; write one of these: ${[...OWN_PLACES, ...fields].join(', ')}`,
    }))
  })
}

/** The origins of all addresses, each once. */
export const previewOrigins = (addresses: Readonly<Record<string, string>>): readonly string[] => [
  ...new Set(Object.values(addresses).flatMap((address) => previewOrigin(address) ?? [])),
]
