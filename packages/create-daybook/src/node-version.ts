/** The oldest Node that Daybook runs on, as major and minor. */
const OLDEST = [22, 18] as const

/** Returns the message for a Node that is too old, such as `20.20.2`; otherwise `undefined`. */
export function whyTooOld(version: string): string | undefined {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  if (major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])) return undefined
  return `Daybook requires Node ${OLDEST.join('.')} or newer, but this is ${version}. Install a newer version, and try again.`
}
