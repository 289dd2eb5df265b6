import { findNearest } from '../nearest.ts'

/** The longest path that is compared, in characters. */
const MAX_PATH = 256

/** Tells which address a path that leads nowhere may mean; nothing when none is like it. */
export type AddressHint = (path: string) => string | undefined

/** An address in pieces: with `*` in place of a parameter. */
interface Candidate {
  readonly pattern: string
  readonly literal: string
}

/**
 * Compares paths with addresses: without `/api`, doubled and trailing slashes, and case. What it answers is written in
 * the config, and never what a client sent.
 *
 * @param patterns addresses that every reader may know, parameters as `:name`
 */
export function makeAddressHint(patterns: readonly string[]): AddressHint {
  const candidates = Map.groupBy(patterns.map(toCandidate), ({ literal }) => placesOf(literal.split('/')))
  const [example] = patterns.filter((pattern) => !/:|^\/api\/(?:health|ready|cms|globals)\b/.test(pattern))
  return (path) => {
    if (path.length > MAX_PATH) return undefined
    const segments = segmentsOf(path)
    if (segments.length === 0) return `Content is below /api${example ? `, such as ${example}` : ''}.`
    for (const [places, same] of candidates) {
      const meant = nearestOf(segments, places, same)
      if (meant) return `Did you mean ${meant}?`
    }
    return undefined
  }
}

function nearestOf(segments: readonly string[], places: string, same: readonly Candidate[]): string | undefined {
  const marks = places.split('/')
  if (marks.length !== segments.length) return undefined
  const literal = segments.map((segment, index) => (marks[index] === '*' ? '*' : segment)).join('/')
  const meant = findNearest(
    literal,
    same.map((one) => one.literal),
  )
  return same.find((one) => one.literal === meant)?.pattern
}

const toCandidate = (pattern: string): Candidate => ({
  pattern,
  literal: segmentsOf(pattern)
    .map((segment) => (segment.startsWith(':') ? '*' : segment))
    .join('/'),
})

/** Which segments are parameters. */
const placesOf = (segments: readonly string[]): string =>
  segments.map((segment) => (segment === '*' ? '*' : '.')).join('/')

function segmentsOf(path: string): readonly string[] {
  const segments = path
    .toLowerCase()
    .split('/')
    .filter((segment) => segment !== '')
  return segments[0] === 'api' ? segments.slice(1) : segments
}
