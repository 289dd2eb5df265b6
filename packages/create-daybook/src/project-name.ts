import { UsageError } from './usage.ts'

const MAX_NAME_LENGTH = 214

/** Names that npm keeps for itself, or that a project cannot have beside its packages. */
const TAKEN: readonly string[] = ['node_modules', 'favicon.ico', 'daybook']

/**
 * Sees to it that npm takes a name for a project.
 *
 * @throws {UsageError} when it does not, with a name that it would take
 */
export function requireName(name: string): void {
  const fault = nameFault(name)
  if (fault === undefined) return
  throw new UsageError(`npm takes no project named ${JSON.stringify(name)}: ${fault}. Try ${suggest(name)}.`)
}

function nameFault(name: string): string | undefined {
  if (TAKEN.includes(name)) return 'the name is taken'
  if (name.length > MAX_NAME_LENGTH) return `a name has at most ${MAX_NAME_LENGTH} characters`
  if (/^[a-z0-9][a-z0-9._-]*$/.test(name)) return undefined
  return 'a name has small letters, digits, "-", "_" and ".", and begins with a letter or a digit'
}

/** The nearest name that npm takes. */
function suggest(name: string): string {
  const plain = name.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
  const suggested = plain
    .replace(/[^a-z0-9._-]+/g, '-')
    .replace(/^[._-]+|[._-]+$/g, '')
    .slice(0, MAX_NAME_LENGTH)
  return suggested === '' || TAKEN.includes(suggested) ? 'my-content' : suggested
}
