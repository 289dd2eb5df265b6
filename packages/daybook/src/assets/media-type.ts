import { lookup } from 'mrmime'

/** How many of its first bytes tell the type of a file. */
export const SIGNATURE_BYTES = 4100

/** The type of bytes of which nothing is known. */
const UNKNOWN = 'application/octet-stream'

/** Types whose bytes are those of a container, which does not tell what is in it. */
const CONTAINERS: Readonly<Record<string, RegExp>> = {
  'application/zip': /[+.-]zip$|openxmlformats|opendocument|\.ms-|java-archive/,
  'application/x-cfb': /msword|\.ms-/,
  'application/xml': /xml/,
}

/**
 * The media type of a file: what its first bytes are; where no signature tells, what its name says.
 *
 * @param head its first {@link SIGNATURE_BYTES} bytes, or all
 */
export async function detectMediaType(head: Uint8Array, name: string): Promise<string> {
  const named = lookup(name)?.toLowerCase()
  // Loaded by the first upload: a start does without it.
  const { fileTypeFromBuffer, supportedMimeTypes } = await import('file-type')
  const sniffed = await sniff(() => fileTypeFromBuffer(head))
  // All files of some types begin with a signature: one without it is of another type.
  const isSigned = (type: string): boolean => supportedMimeTypes.has(type as never) && CONTAINERS[type] === undefined
  if (sniffed === undefined) return named === undefined || isSigned(named) ? UNKNOWN : named
  return named !== undefined && CONTAINERS[sniffed]?.test(named) ? named : sniffed
}

async function sniff(look: () => Promise<{ readonly mime: string } | undefined>): Promise<string | undefined> {
  try {
    return (await look())?.mime.split(';')[0]
  } catch {
    // The rest of what the signature promises lies behind the head.
    return undefined
  }
}

/** Types that a browser may show on the origin of a site: pictures, sound, films, fonts and plain text. */
const INERT = /^(?:image\/(?!svg)[\w.+-]+|audio\/[\w.+-]+|video\/[\w.+-]+|font\/[\w.+-]+|text\/plain)$/

/** Whether a browser must save a file of this type and not show it: it may hold scripts. */
export const mustBeSaved = (type: string): boolean => !INERT.test(type)

/** A picture that can hold scripts, which do not run in the `<img>` of a page. */
const SVG = 'image/svg+xml'

/**
 * The media type that a file is sent with. A type that must be saved becomes `application/octet-stream`: pages of the same origin
 * would otherwise run the file as their script or use it as their style sheet. SVG keeps its type, because pages show it in
 * `<img>`, and no browser takes it for a script.
 */
export const servedType = (type: string): string => (mustBeSaved(type) && type !== SVG ? UNKNOWN : type)

/** Whether a type is within one of these ranges, `image/*` or `application/pdf`. */
export const matchesMediaRange = (type: string, ranges: readonly string[]): boolean =>
  ranges.some((range) => (range.endsWith('/*') ? type.startsWith(range.slice(0, -1)) : type === range))

/**
 * The `Content-Disposition` of a file (RFC 6266): shown in the page where that is safe, else saved.
 *
 * @param filename of ASCII characters that need no quoting
 * @param isSaved whether it must be saved; by default, by its type
 */
export function formatDisposition(
  type: string,
  filename: string,
  originalName: string,
  isSaved: boolean = mustBeSaved(type),
): string {
  const encoded = encodeURIComponent(originalName.toWellFormed()).replace(/['()*]/g, toEscape)
  return `${isSaved ? 'attachment' : 'inline'}; filename="${filename}"; filename*=UTF-8''${encoded}`
}

/** Characters that `encodeURIComponent` leaves, and RFC 8187 does not allow. */
const toEscape = (character: string): string => `%${character.charCodeAt(0).toString(16).toUpperCase()}`
