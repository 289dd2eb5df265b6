/** The default prefix of cookie names. */
export const COOKIE_PREFIX = 'better-auth'

/** Returns the prefix of a service on this machine. It has the port, because browsers send the cookies of a host to all its ports. */
export const cookiePrefixForPort = (port: number | string): string => `${COOKIE_PREFIX}-${port}`

export const getSessionCookieName = (cookiePrefix: string): string => `${cookiePrefix}.session_token`

/** Returns the fault of a prefix of cookie names, or `undefined` if it is valid. */
export function findCookiePrefixFault(value: unknown): string | undefined {
  const isPrefix = typeof value === 'string' && /^[\w-]{1,64}$/.test(value)
  return isPrefix ? undefined : 'must be 1 to 64 letters, digits, - and _, such as my-site'
}
