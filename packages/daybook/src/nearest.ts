import { closestMatch } from 'leven'

/** The maximum length of a name that is compared, in characters. */
const MAX_COMPARED_LENGTH = 64

/** Returns the name that is most similar to a mistyped one, or `undefined` if none is similar. */
export function findNearest(
  name: string,
  names: readonly string[],
  maxDistance: number = name.length < 4 ? 1 : 2,
): string | undefined {
  if (name.length > MAX_COMPARED_LENGTH) return undefined
  return closestMatch(name, [...names], { maxDistance })
}

/** Keys joined by dots. Other texts are no mistyped names. */
const FIELD_NAME = /^\w+(?:\.\w+)*$/

const sortedLetters = (name: string): string => [...name].sort().join('')

/**
 * Returns the field that a mistyped name probably means, or `undefined` if none is similar.
 *
 * @param fields names that the caller may know
 */
export function findNearestField(name: string, fields: Iterable<string>): string | undefined {
  if (!FIELD_NAME.test(name) || name.length > MAX_COMPARED_LENGTH) return undefined
  const names = [...fields]
  const letters = sortedLetters(name)
  const rearranged = names.filter((candidate) => sortedLetters(candidate) === letters)
  // Two different letters make a short name another word, but two transposed letters do not.
  return findNearest(name, rearranged, 2) ?? findNearest(name, names, name.length < 6 ? 1 : 2)
}

/** Returns a message about an unknown name, with a suggestion if there is one. */
export const unknownName = (kind: string, name: string, nearest?: string): string =>
  `Unknown ${kind} "${name}".${didYouMean(nearest)}`

/**
 * Returns the predicate of a fault at an unknown key, with the most similar valid key or all of them.
 *
 * @param kind the kind of the valid keys, such as `an option`
 */
export function unknownKey(kind: string, key: string, keys: readonly string[]): string {
  const nearest = findNearest(key, keys)
  return `is not ${kind}.${nearest === undefined ? ` Use one of: ${keys.join(', ')}` : didYouMean(nearest)}`
}

/** Returns the question that ends a message about a mistyped name, empty without a suggestion. */
export const didYouMean = (nearest: string | undefined): string =>
  nearest === undefined ? '' : ` Did you mean "${nearest}"?`
