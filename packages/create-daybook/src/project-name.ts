import { UsageError } from './usage.ts'

const MAX_NAME_LENGTH = 214

/** Names that npm reserves, or that would hide a package of the project. */
const RESERVED_NAMES: readonly string[] = ['node_modules', 'favicon.ico', 'daybook']

/**
 * Requires a project name that npm accepts.
 *
 * @throws {UsageError} if npm does not; the message suggests a name
 */
export function requireName(name: string): void {
  const fault = nameFault(name)
  if (fault === undefined) return
  throw new UsageError(`npm takes no project named ${JSON.stringify(name)}: ${fault}. Try ${suggest(name)}.`)
}

function nameFault(name: string): string | undefined {
  if (RESERVED_NAMES.includes(name)) return 'the name is reserved'
  if (name.length > MAX_NAME_LENGTH) return `a name has at most ${MAX_NAME_LENGTH} characters`
  if (/^[a-z0-9][a-z0-9._-]*$/.test(name)) return undefined
  return 'a name has small letters, digits, "-", "_" and ".", and begins with a letter or a digit'
}

/** Returns the nearest name that npm accepts. */
function suggest(name: string): string {
  const plain = name.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
  const suggested = plain
    .replace(/[^a-z0-9._-]+/g, '-')
    .replace(/^[._-]+|[._-]+$/g, '')
    .slice(0, MAX_NAME_LENGTH)
  return suggested === '' || RESERVED_NAMES.includes(suggested) ? 'my-content' : suggested
}
