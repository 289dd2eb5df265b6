import { createHash } from 'node:crypto'

/** The longest name that PostgreSQL keeps whole, in bytes. */
const MAX_NAME = 63

/** Names that were too long, by those that took their place. */
const wholeNames = new Map<string, string>()

/** A name that PostgreSQL keeps whole: of a longer one its end, behind a digest of all of it. */
export function toName(name: string): string {
  if (name.length <= MAX_NAME) return name
  const digest = createHash('sha256').update(name).digest('hex').slice(0, 12)
  const short = `${digest}$${name.slice(-(MAX_NAME - 13))}`
  wholeNames.set(short, name)
  return short
}

/** The name that {@link toName} made this one of, as far as this process has seen it. */
export function wholeName(name: string): string {
  return wholeNames.get(name) ?? name
}
