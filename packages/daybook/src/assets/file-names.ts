import { randomBytes } from 'node:crypto'

/** A segment of a path in a store of files. */
const SEGMENT = /^[A-Za-z0-9][A-Za-z0-9._-]*$/
const MAX_SEGMENT = 255
const MAX_SEGMENTS = 8
/** The longest path, in characters. */
const MAX_PATH = 512

/** Says what is wrong with a file's name; `undefined`: nothing. */
export const filenameFault = (name: string): string | undefined =>
  SEGMENT.test(name) && name.length <= MAX_SEGMENT
    ? undefined
    : `must be a letter or digit, followed by letters, digits, ".", "_" and "-"; ${MAX_SEGMENT} characters at most`

/** Says what is wrong with a directory; `undefined`: nothing. */
export function directoryFault(directory: string): string | undefined {
  const segments = directory.split('/')
  const isRight = segments.length <= MAX_SEGMENTS && segments.every((one) => filenameFault(one) === undefined)
  return isRight && directory.length < MAX_PATH - MAX_SEGMENT
    ? undefined
    : `must be a relative path such as images/2026: at most ${MAX_SEGMENTS} segments of letters, digits, ".", "_" and "-", ${MAX_PATH - MAX_SEGMENT - 1} characters in all`
}

/** The longest part of an original name that a made name keeps, in characters. */
const MAX_KEPT = 80
/** Bytes of chance in a name that is made, so that none can be guessed. */
const RANDOM_BYTES = 16

/** A safe file name that is like the original one and that no other file has. */
export function makeFilename(original: string): string {
  const plain = original.normalize('NFKD').replace(/\p{M}+/gu, '')
  const [, base = '', extension = ''] = /^(.*?)(\.[A-Za-z0-9]{1,10})?$/su.exec(plain) ?? []
  const kept = base
    .replace(/[^A-Za-z0-9]+/g, '-')
    .slice(0, MAX_KEPT)
    .replace(/^-+|-+$/g, '')
  return `${kept === '' ? 'file' : kept}-${randomBytes(RANDOM_BYTES).toString('base64url')}${extension.toLowerCase()}`
}

/** The longest original name that is kept, in characters. */
const MAX_ORIGINAL = 255

/** The name that an upload gives its file, as it is kept: without control characters, cut to its length. */
export const keptName = (given: string): string =>
  [...given.replace(/[\p{Cc}\p{Cs}]/gu, '')].slice(0, MAX_ORIGINAL).join('') || 'file'
