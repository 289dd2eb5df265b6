import { invalid } from '../../errors.ts'
import { type Issue, issueAt } from '../../issues.ts'

/** The most characters of the fields of an account, as Unicode and JSON Schema count them; of an address, as in RFC 5321. */
export const ACCOUNT_LIMITS = { name: 200, email: 254, image: 2048 } as const

/** The most characters of another text field of an account, such as one that a plugin adds. */
const MAX_FIELD_LENGTH = 2048

/** The fields of request bodies that hold a field of an account. */
const LIMITED_FIELDS: readonly (readonly [field: string, max: number])[] = [
  ...Object.entries(ACCOUNT_LIMITS),
  ['newEmail', ACCOUNT_LIMITS.email],
]

/** True if a text has at most `max` characters; counts them only where their number is not clear from its length. */
export function fitsIn(text: string, max: number): boolean {
  return text.length <= max || (text.length <= 2 * max && [...text].length <= max)
}

/**
 * Checks the lengths of the fields of an account in a request body, also of those in its `data`.
 *
 * @throws VALIDATION_ERROR with an issue for each field that is too long
 */
export function requireAccountLimits(body: unknown): void {
  const issues = [...issuesIn(body, ''), ...issuesIn(membersOf(body).data, '/data')]
  if (issues.length > 0) throw invalid(issues)
}

function issuesIn(fields: unknown, path: string): readonly Issue[] {
  const members = membersOf(fields)
  return LIMITED_FIELDS.flatMap(([field, max]) => {
    const value = members[field]
    if (typeof value !== 'string' || fitsIn(value, max)) return []
    return [issueAt(`${path}/${field}`, 'maxLength', `must have at most ${max} characters`, { limit: max })]
  })
}

const membersOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? { ...value } : {}

/**
 * Fits name and image into the limits: cuts a name that is too long, and removes an image that is. Requests with such fields are refused
 * before; these come from a social provider, where a person could not sign in until they change there.
 */
export function fitAccount({ name, image }: Readonly<Record<string, unknown>>): { name?: string; image?: null } {
  return {
    ...(typeof name === 'string' && !fitsIn(name, ACCOUNT_LIMITS.name) ? { name: firstCharacters(name) } : {}),
    ...(typeof image === 'string' && !fitsIn(image, ACCOUNT_LIMITS.image) ? { image: null } : {}),
  }
}

/** The first characters of a name; a character has at most two units. */
const firstCharacters = (name: string): string =>
  [...name.slice(0, 2 * ACCOUNT_LIMITS.name)].slice(0, ACCOUNT_LIMITS.name).join('')

/** The first text field of an account that is too long, besides name and image, with its limit. */
export function findLongField(
  user: Readonly<Record<string, unknown>>,
): { readonly field: string; readonly max: number } | undefined {
  for (const [field, value] of Object.entries(user)) {
    const max = field === 'email' ? ACCOUNT_LIMITS.email : MAX_FIELD_LENGTH
    if (field !== 'name' && field !== 'image' && typeof value === 'string' && !fitsIn(value, max)) return { field, max }
  }
  return undefined
}
