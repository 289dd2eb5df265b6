/** The start of the names of cookies, unless an option names another one. */
export const COOKIE_PREFIX = 'better-auth'

/** The prefix of a service on this machine: browsers send the cookies of a host to all of its ports. */
export const cookiePrefixForPort = (port: number | string): string => `${COOKIE_PREFIX}-${port}`

/** The name of the cookie that holds a session. */
export const getSessionCookieName = (cookiePrefix: string): string => `${cookiePrefix}.session_token`

/**
 * Says what is wrong with the start of the names of cookies.
 *
 * @returns `undefined` if nothing is wrong
 */
export function findCookiePrefixFault(value: unknown): string | undefined {
  const isPrefix = typeof value === 'string' && /^[\w-]{1,64}$/.test(value)
  return isPrefix ? undefined : 'write 1 to 64 letters, digits, - and _, such as my-site'
}
