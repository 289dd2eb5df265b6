import { randomBytes } from 'node:crypto'
import type { Violation } from '../issues.ts'

/** The maximum length of a segment of a path in a store of files, in characters. */
const MAX_SEGMENT = 200
const SEGMENT = `[A-Za-z0-9][A-Za-z0-9._-]{0,${MAX_SEGMENT - 1}}`
const MAX_SEGMENTS = 8

/** The rule of a text in a path, also in the schema of an upload. */
interface PathRule {
  readonly pattern: string
  /** In characters. */
  readonly maxLength: number
}

/** The rule of a file name, one segment of a path. */
export const FILENAME_RULE: PathRule = { pattern: `^${SEGMENT}$`, maxLength: MAX_SEGMENT }
/** The rule of a directory. With a file name, it is a path of at most 512 characters. */
export const DIRECTORY_RULE: PathRule = {
  pattern: `^${SEGMENT}(?:/${SEGMENT}){0,${MAX_SEGMENTS - 1}}$`,
  maxLength: 256,
}

/** Returns the violation of a file name, or `undefined` if it is valid. */
export const findFilenameViolation = (name: string): Violation | undefined =>
  fits(name, FILENAME_RULE) ? undefined : NO_FILENAME
const NO_FILENAME: Violation = [
  'filename',
  `must be at most ${FILENAME_RULE.maxLength} characters long: a letter or digit, followed by letters, digits, ".", "_" and "-"`,
  { limit: FILENAME_RULE.maxLength },
]

/** Returns the violation of a directory, or `undefined` if it is valid. */
export const findDirectoryViolation = (directory: string): Violation | undefined =>
  fits(directory, DIRECTORY_RULE) ? undefined : NO_DIRECTORY
const NO_DIRECTORY: Violation = [
  'directory',
  `must be a path such as images/2026, at most ${DIRECTORY_RULE.maxLength} characters long, with at most ${MAX_SEGMENTS} segments of letters, digits, ".", "_" and "-"`,
  { limit: DIRECTORY_RULE.maxLength, segments: MAX_SEGMENTS },
]

const fits = (text: string, { pattern, maxLength }: PathRule): boolean =>
  text.length <= maxLength && new RegExp(pattern).test(text)

/** The maximum length of the part of an original name in a generated name, in characters. */
const MAX_BASE = 80
/** The number of random bytes in a generated name, so that names cannot be guessed. */
const RANDOM_BYTES = 16

/** Creates a safe and unique file name that resembles the original one. */
export function createFilename(original: string): string {
  const plain = original.normalize('NFKD').replace(/\p{M}+/gu, '')
  const { base, ending } = splitEnding(plain)
  const safeBase = base
    .replace(/[^A-Za-z0-9]+/g, '-')
    .slice(0, MAX_BASE)
    .replace(/^-+|-+$/g, '')
  return `${safeBase === '' ? 'file' : safeBase}-${randomBytes(RANDOM_BYTES).toString('base64url')}${ending.toLowerCase()}`
}

/** The maximum length of a stored original name, in characters. */
const MAX_ORIGINAL = 255

/**
 * Cleans the original name of an upload: removes control characters and direction overrides, which can disguise an ending, and truncates a
 * name that is too long before its ending.
 */
export function cleanOriginalName(name: string): string {
  const { base, ending } = splitEnding(name.replace(/[\p{Cc}\p{Cs}\u202A-\u202E\u2066-\u2069]/gu, ''))
  return [...base].slice(0, MAX_ORIGINAL - ending.length).join('') + ending || 'file'
}

/** Splits a name into base and ending, such as `.txt` or `.tar.gz`. */
function splitEnding(name: string): { readonly base: string; readonly ending: string } {
  const ending = /(?:\.tar)?\.[A-Za-z0-9]{1,10}$/i.exec(name)?.[0] ?? ''
  return { base: name.slice(0, name.length - ending.length), ending }
}
