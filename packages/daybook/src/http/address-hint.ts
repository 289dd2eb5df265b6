import { findNearest } from '../nearest.ts'

/** The maximum length of a compared path, in characters. */
const MAX_PATH = 256

/** Returns advice for an unknown path; `undefined` if no route is similar. */
export type AddressHint = (path: string) => string | undefined

/** A route's pattern, and the pattern in comparable form. */
interface Candidate {
  readonly pattern: string
  readonly literal: string
}

/**
 * Creates a function that finds the route which resembles an unknown path, regardless of `/api`, case, and doubled or trailing
 * slashes. The advice contains names of the config only, and never the text of the client.
 *
 * @param patterns paths of routes that every caller may know, with parameters as `:name`
 */
export function makeAddressHint(patterns: readonly string[]): AddressHint {
  const candidates = Map.groupBy(patterns.map(toCandidate), ({ literal }) => getPositions(literal.split('/')))
  const [example] = patterns.filter((pattern) => !/:|^\/api\/(?:health|ready|cms|globals)\b/.test(pattern))
  return (path) => {
    if (path.length > MAX_PATH) return undefined
    const segments = splitPath(path)
    if (segments.length === 0) return `Content is below /api${example ? `, such as ${example}` : ''}.`
    for (const [positions, candidatesOfShape] of candidates) {
      const nearestPattern = findNearestPattern(segments, positions, candidatesOfShape)
      if (nearestPattern) return `Did you mean ${nearestPattern}?`
    }
    return undefined
  }
}

function findNearestPattern(
  segments: readonly string[],
  positions: string,
  candidatesOfShape: readonly Candidate[],
): string | undefined {
  const positionMarks = positions.split('/')
  if (positionMarks.length !== segments.length) return undefined
  const literal = segments.map((segment, index) => (positionMarks[index] === '*' ? '*' : segment)).join('/')
  const nearestPattern = findNearest(
    literal,
    candidatesOfShape.map((candidate) => candidate.literal),
  )
  return candidatesOfShape.find((candidate) => candidate.literal === nearestPattern)?.pattern
}

const toCandidate = (pattern: string): Candidate => ({
  pattern,
  literal: splitPath(pattern)
    .map((segment) => (segment.startsWith(':') ? '*' : segment))
    .join('/'),
})

/** Returns the positions of parameters, such as `./*` for `posts/:slug`. */
const getPositions = (segments: readonly string[]): string =>
  segments.map((segment) => (segment === '*' ? '*' : '.')).join('/')

function splitPath(path: string): readonly string[] {
  const segments = path
    .toLowerCase()
    .split('/')
    .filter((segment) => segment !== '')
  return segments[0] === 'api' ? segments.slice(1) : segments
}
