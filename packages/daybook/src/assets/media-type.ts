import { lookup } from 'mrmime'

/** The number of bytes at the start of a file that identify its type. */
export const SIGNATURE_BYTES = 4100

const UNKNOWN = 'application/octet-stream'

/** Container types, each with the types that it may contain. */
const CONTAINERS: Readonly<Record<string, RegExp>> = {
  'application/zip': /[+.-]zip$|openxmlformats|opendocument|\.ms-|java-archive/,
  'application/x-cfb': /msword|\.ms-/,
  'application/xml': /xml/,
}

/**
 * Detects the media type of a file by its first bytes, or by its name if they have no signature.
 *
 * @param head the first {@link SIGNATURE_BYTES} bytes, or all
 */
export async function detectMediaType(head: Uint8Array, name: string): Promise<string> {
  const typeByName = lookup(name)?.toLowerCase()
  // Loaded with the first upload, to keep the start fast.
  const { fileTypeFromBuffer, supportedMimeTypes } = await import('file-type')
  const sniffed = await sniff(() => fileTypeFromBuffer(head))
  // Files of these types always begin with a signature. Without it, the type in the name is wrong.
  const isSigned = (type: string): boolean => supportedMimeTypes.has(type as never) && CONTAINERS[type] === undefined
  if (sniffed === undefined) return typeByName === undefined || isSigned(typeByName) ? UNKNOWN : typeByName
  return typeByName !== undefined && CONTAINERS[sniffed]?.test(typeByName) ? typeByName : sniffed
}

async function sniff(detect: () => Promise<{ readonly mime: string } | undefined>): Promise<string | undefined> {
  try {
    return (await detect())?.mime.split(';')[0]
  } catch {
    // The structure that the signature announces continues after the head.
    return undefined
  }
}

/** Types that a browser may display on the origin of a site: pictures, audio, video, fonts and plain text. */
const INERT = /^(?:image\/(?!svg)[\w.+-]+|audio\/[\w.+-]+|video\/[\w.+-]+|font\/[\w.+-]+|text\/plain)$/

/** Returns true if a browser must save a file of this type instead of displaying it, because it may contain scripts. */
export const mustBeSaved = (type: string): boolean => !INERT.test(type)

/** The type of pictures with scripts, which do not run in an `<img>`. */
const SVG = 'image/svg+xml'

/**
 * Returns the media type for sending a file. A type that must be saved becomes `application/octet-stream`, because pages of the same origin
 * could otherwise run the file as a script or use it as a style sheet. SVG keeps its type, because pages show it in `<img>`, and no browser
 * runs it as a script.
 */
export const servedType = (type: string): string => (mustBeSaved(type) && type !== SVG ? UNKNOWN : type)

/** Returns true if a type is within one of these ranges, such as `image/*` or `application/pdf`. */
export const matchesMediaRange = (type: string, ranges: readonly string[]): boolean =>
  ranges.some((range) => (range.endsWith('/*') ? type.startsWith(range.slice(0, -1)) : type === range))

/**
 * Formats the `Content-Disposition` of a file (RFC 6266): displayed if that is safe, else saved.
 *
 * @param filename in ASCII characters that need no quoting
 * @param isSaved true if it must be saved; by default, by its type
 */
export function formatDisposition(
  type: string,
  filename: string,
  originalName: string,
  isSaved: boolean = mustBeSaved(type),
): string {
  const encoded = encodeURIComponent(originalName.toWellFormed()).replace(/['()*]/g, escapeCharacter)
  return `${isSaved ? 'attachment' : 'inline'}; filename="${filename}"; filename*=UTF-8''${encoded}`
}

/** Escapes a character that `encodeURIComponent` leaves, but RFC 8187 does not allow. */
const escapeCharacter = (character: string): string => `%${character.charCodeAt(0).toString(16).toUpperCase()}`
