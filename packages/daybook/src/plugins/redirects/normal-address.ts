/** A host that no address has. */
const NOWHERE = 'http://nowhere.invalid'

/**
 * An address as browsers send it: percent-encoded, without `.` and `..`. What is none stays as it is, for validation to
 * refuse.
 */
export function normalAddress(address: unknown): unknown {
  if (typeof address !== 'string' || !/^(?:\/|https?:\/\/)/.test(address) || !URL.canParse(address, NOWHERE)) {
    return address
  }
  const { origin, pathname, search, hash, href } = new URL(address, NOWHERE)
  if (!address.startsWith('/')) return href
  // Two slashes name a host.
  return origin === NOWHERE ? `${pathname}${search}${hash}` : address
}
