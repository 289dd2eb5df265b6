import { fileTypeFromBuffer, supportedMimeTypes } from 'file-type'
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
export async function mediaTypeOf(head: Uint8Array, name: string): Promise<string> {
  const named = lookup(name)?.toLowerCase()
  const sniffed = await sniff(head)
  if (sniffed === undefined) return named === undefined || hasSignature(named) ? UNKNOWN : named
  return named !== undefined && CONTAINERS[sniffed]?.test(named) ? named : sniffed
}

async function sniff(head: Uint8Array): Promise<string | undefined> {
  try {
    return (await fileTypeFromBuffer(head))?.mime.split(';')[0]
  } catch {
    // The rest of what the signature promises lies behind the head.
    return undefined
  }
}

/** Whether all files of a type begin with a signature, so that one without it is of another type. */
const hasSignature = (type: string): boolean => supportedMimeTypes.has(type as never) && CONTAINERS[type] === undefined

/** Types that a browser may show on the origin of a site: pictures, sound, films, fonts and plain text. */
const INERT = /^(?:image\/(?!svg)[\w.+-]+|audio\/[\w.+-]+|video\/[\w.+-]+|font\/[\w.+-]+|text\/plain)$/

/** Whether a browser must save a file of this type and not show it: it may hold scripts. */
export const mustBeSaved = (type: string): boolean => !INERT.test(type)

/** Whether a type is within one of these ranges, `image/*` or `application/pdf`. */
export const isAccepted = (type: string, ranges: readonly string[]): boolean =>
  ranges.some((range) => (range.endsWith('/*') ? type.startsWith(range.slice(0, -1)) : type === range))
