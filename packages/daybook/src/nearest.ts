import { closestMatch } from 'leven'

/** The longest name that one like it is looked for, in characters. */
const MAX_COMPARED_LENGTH = 64

/** The known name that is most like a mistyped one; none when all of them are other words. */
export function nearest(name: string, known: readonly string[]): string | undefined {
  if (name.length > MAX_COMPARED_LENGTH) return undefined
  return closestMatch(name, [...known], { maxDistance: name.length < 4 ? 1 : 2 })
}
