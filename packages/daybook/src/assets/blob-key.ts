/** The longest key, in bytes. */
const MAX_KEY = 900
/** The longest segment of a key, in bytes. */
const MAX_SEGMENT = 200
const SEGMENT = /^[A-Za-z0-9._-]+$/

const isSegment = (text: string): boolean =>
  text.length <= MAX_SEGMENT && SEGMENT.test(text) && text !== '.' && text !== '..'

/** The first segment of what a store keeps for itself: staged blobs. */
export const INCOMING = '.incoming'

/** Whether a text is a key, as {@link BlobStore} describes them. */
export function isBlobKey(text: string): boolean {
  const segments = text.split('/')
  return text.length <= MAX_KEY && segments.every(isSegment) && segments[0]?.toLowerCase() !== INCOMING
}

/** @throws {TypeError} when a text is no key */
export function requireKey(key: string): void {
  if (!isBlobKey(key)) throw new TypeError(`${JSON.stringify(key)} is no key of a blob.`)
}

/** @throws {TypeError} when a text is no name of a staged blob */
export function requireName(name: string): void {
  if (!isSegment(name)) throw new TypeError(`${JSON.stringify(name)} is no name of a staged blob.`)
}

/** @throws {TypeError} when no key begins with a text */
export function requirePrefix(prefix: string): void {
  if (prefix === '' || isBlobKey(prefix) || isBlobKey(`${prefix}x`)) return
  throw new TypeError(`No key of a blob begins with ${JSON.stringify(prefix)}.`)
}

/** Whether a key belongs to Daybook itself, not to the content. */
export const isOwnKey = (key: string): boolean => key.startsWith('.')
