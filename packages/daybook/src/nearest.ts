import { closestMatch } from 'leven'

/** The longest name that one like it is looked for, in characters. */
const MAX_COMPARED_LENGTH = 64

/** The known name that is most like a mistyped one; none when all of them are other words. */
export function findNearest(
  name: string,
  known: readonly string[],
  maxDistance: number = name.length < 4 ? 1 : 2,
): string | undefined {
  if (name.length > MAX_COMPARED_LENGTH) return undefined
  return closestMatch(name, [...known], { maxDistance })
}

/** Keys joined by dots; anything else is no slip of a name. */
const FIELD_NAME = /^\w+(?:\.\w+)*$/

const sortedLetters = (name: string): string => [...name].sort().join('')

/**
 * Returns the field that a mistyped name probably means; `undefined` if no known name is like it.
 *
 * @param known names that the caller may know
 */
export function findNearestField(name: string, known: Iterable<string>): string | undefined {
  if (!FIELD_NAME.test(name) || name.length > MAX_COMPARED_LENGTH) return undefined
  const names = [...known]
  const letters = sortedLetters(name)
  const rearranged = names.filter((one) => sortedLetters(one) === letters)
  // Two other letters make another word of a short one; two that change places do not.
  return findNearest(name, rearranged, 2) ?? findNearest(name, names, name.length < 6 ? 1 : 2)
}

/** Returns the end of a message about a mistyped field; empty without a nearest field. */
export const didYouMean = (field: string | undefined): string =>
  field === undefined ? '' : `. Did you mean "${field}"?`
