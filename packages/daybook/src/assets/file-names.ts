import { randomBytes } from 'node:crypto'
import type { Violation } from '../issues.ts'

/** The longest segment of a path, in characters: what stores of files take. */
const MAX_SEGMENT = 200
const SEGMENT = `[A-Za-z0-9][A-Za-z0-9._-]{0,${MAX_SEGMENT - 1}}`
const MAX_SEGMENTS = 8

/** What a text of a path may be; the schema of an upload says the same. */
interface PathRule {
  readonly pattern: string
  /** In characters. */
  readonly maxLength: number
}

/** A file's name: one segment of a path in a store of files. */
export const FILENAME_RULE: PathRule = { pattern: `^${SEGMENT}$`, maxLength: MAX_SEGMENT }
/** A directory: segments of a path. With a name, it is a path of at most 512 characters. */
export const DIRECTORY_RULE: PathRule = {
  pattern: `^${SEGMENT}(?:/${SEGMENT}){0,${MAX_SEGMENTS - 1}}$`,
  maxLength: 256,
}

/** Returns the rule that a file's name breaks. */
export const findFilenameViolation = (name: string): Violation | undefined =>
  fits(name, FILENAME_RULE) ? undefined : NO_FILENAME
const NO_FILENAME: Violation = [
  'filename',
  `must be a letter or digit, followed by letters, digits, ".", "_" and "-"; ${FILENAME_RULE.maxLength} characters at most`,
  { limit: FILENAME_RULE.maxLength },
]

/** Returns the rule that a directory breaks. */
export const findDirectoryViolation = (directory: string): Violation | undefined =>
  fits(directory, DIRECTORY_RULE) ? undefined : NO_DIRECTORY
const NO_DIRECTORY: Violation = [
  'directory',
  `must be a path such as images/2026: at most ${MAX_SEGMENTS} segments of letters, digits, ".", "_" and "-"; ${DIRECTORY_RULE.maxLength} characters at most`,
  { limit: DIRECTORY_RULE.maxLength, segments: MAX_SEGMENTS },
]

const fits = (text: string, { pattern, maxLength }: PathRule): boolean =>
  text.length <= maxLength && new RegExp(pattern).test(text)

/** The longest part of an original name that a made name keeps, in characters. */
const MAX_KEPT = 80
/** Bytes of chance in a name that is made, so that none can be guessed. */
const RANDOM_BYTES = 16

/** A safe file name that is like the original one and that no other file has. */
export function createFilename(original: string): string {
  const plain = original.normalize('NFKD').replace(/\p{M}+/gu, '')
  const { base, ending } = splitEnding(plain)
  const kept = base
    .replace(/[^A-Za-z0-9]+/g, '-')
    .slice(0, MAX_KEPT)
    .replace(/^-+|-+$/g, '')
  return `${kept === '' ? 'file' : kept}-${randomBytes(RANDOM_BYTES).toString('base64url')}${ending.toLowerCase()}`
}

/** The longest original name that is kept, in characters. */
const MAX_ORIGINAL = 255

/**
 * The name that an upload gives its file, as it is kept: without control characters and those that override the direction of text, which
 * make `exe.png` of another ending. A name that is too long is cut before its ending, which tells the type of the file.
 */
export function cleanOriginalName(given: string): string {
  const { base, ending } = splitEnding(given.replace(/[\p{Cc}\p{Cs}\u202A-\u202E\u2066-\u2069]/gu, ''))
  return [...base].slice(0, MAX_ORIGINAL - ending.length).join('') + ending || 'file'
}

/** A name in front of its ending, and the ending: `.txt`, `.tar.gz`, or nothing. */
function splitEnding(name: string): { readonly base: string; readonly ending: string } {
  const ending = /(?:\.tar)?\.[A-Za-z0-9]{1,10}$/i.exec(name)?.[0] ?? ''
  return { base: name.slice(0, name.length - ending.length), ending }
}
