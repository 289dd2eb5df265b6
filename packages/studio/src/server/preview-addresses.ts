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

/** The origins of all addresses, each once. */
export const previewOrigins = (addresses: Readonly<Record<string, string>>): readonly string[] => [
  ...new Set(Object.values(addresses).flatMap((address) => previewOrigin(address) ?? [])),
]
