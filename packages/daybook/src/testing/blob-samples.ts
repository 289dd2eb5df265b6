/** A range of a blob, and what of the blob it gives. */
interface RangeSample {
  /** How long the blob is, in bytes. */
  readonly of: number
  readonly start: number
  readonly end: number
  /** The first byte that is given. */
  readonly from: number
  /** The first byte that is not given any more. */
  readonly to: number
}

/** Ranges of blobs: inside, at the edges, past the end, of nothing. */
export const RANGES: readonly RangeSample[] = [
  { of: 100, start: 0, end: 99, from: 0, to: 100 },
  { of: 100, start: 0, end: 0, from: 0, to: 1 },
  { of: 100, start: 10, end: 19, from: 10, to: 20 },
  { of: 100, start: 99, end: 99, from: 99, to: 100 },
  { of: 100, start: 50, end: 1000, from: 50, to: 100 },
  { of: 100, start: 100, end: 200, from: 0, to: 0 },
  { of: 100, start: 5000, end: 6000, from: 0, to: 0 },
  { of: 100, start: 20, end: 10, from: 0, to: 0 },
  { of: 0, start: 0, end: 10, from: 0, to: 0 },
]

/** No names of staged blobs. */
export const BROKEN_NAMES: readonly string[] = [
  '',
  '.',
  '..',
  'a/b',
  'a\\b',
  'a b',
  'a\0',
  'a\n',
  'a~b',
  'ä',
  '%2e%2e',
  'a'.repeat(201),
]

/** No keys of blobs. */
export const BROKEN_KEYS: readonly string[] = [
  ...BROKEN_NAMES.filter((name) => name !== 'a/b'),
  '/',
  '/a',
  'a/',
  'a//b',
  '../a',
  'a/../b',
  'a/./b',
  'a/..',
  'a\\..\\b',
  '.incoming/a',
  'C:/a',
  `${'a'.repeat(99)}/`.repeat(9).concat('a'),
]
