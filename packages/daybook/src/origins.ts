const ORIGINS_ADVICE = 'must be a list of exact origins, such as ["https://www.example.org"].'

/**
 * Returns the fault of a web origin as a sentence, or `undefined` if it is valid: scheme, host and port as browsers send them in `Origin`
 * (RFC 6454, section 6.2).
 */
export function findOriginFault(value: unknown): string | undefined {
  const shown = JSON.stringify(value)
  const url = typeof value === 'string' ? URL.parse(value) : null
  if (url === null || !/^https?:$/.test(url.protocol)) return `${shown} does not begin with http:// or https://.`
  if (url.host.includes('*')) return `${shown} is a pattern. List each origin by its full name.`
  return url.origin === value ? undefined : `Write ${JSON.stringify(url.origin)} in place of ${shown}.`
}

/** Returns the fault of a list of web origins as a predicate, or `undefined` if it is valid. */
export function findOriginsFault(value: unknown): string | undefined {
  if (!Array.isArray(value)) return ORIGINS_ADVICE
  const fault = value.map(findOriginFault).find((message) => message !== undefined)
  return fault && `${ORIGINS_ADVICE} ${fault}`
}
