import type { Transform } from 'node:stream'
import { type Walk, WalkTransform } from '../byte-walk.ts'
import { blankBlock, blankExif } from './exif.ts'
import { heifWalk } from './heif.ts'
import { pngWalk } from './png.ts'
import { blankXmp, XmpBlanker } from './xmp.ts'

/** The walks through the formats whose metadata can contain a location. */
const WALKS: Readonly<Record<string, () => Walk>> = {
  'image/jpeg': jpegWalk,
  'image/png': pngWalk,
  'image/apng': pngWalk,
  'image/webp': webpWalk,
  'image/heic': heifWalk,
  'image/heif': heifWalk,
  'image/heic-sequence': heifWalk,
  'image/heif-sequence': heifWalk,
  'image/avif': heifWalk,
}

/**
 * Blanks the location of a picture in a stream of its bytes: the GPS directory of Exif, and the coordinates and places of XMP and
 * IPTC. Everything else stays, also orientation, copyright and colours, and so does the length. The stream holds back at most 1 MiB.
 *
 * @param type the media type of the bytes
 * @returns `undefined` for a type whose metadata contains no location that Daybook can blank
 */
export function stripLocation(type: string): Transform | undefined {
  const walk = WALKS[type]
  return walk && new WalkTransform(walk())
}

const MARKER = { start: 0xd8, end: 0xd9, scan: 0xda, app1: 0xe1, app13: 0xed } as const

/** The shortest segment that is read, in bytes: a prefix and the header of a TIFF structure. A file may have millions of empty segments. */
const SHORTEST_METADATA = 14

const XMP = 'http://ns.adobe.com/xap/1.0/\0'
const EXTENDED_XMP = 'http://ns.adobe.com/xmp/extension/\0'
/** The length of the digest, length and offset before each portion of extended XMP (XMP part 3, section 1.1.3.1), in bytes. */
const EXTENDED_HEAD = 40

/** True for markers without a length: TEM, RST0 to RST7, SOI and EOI (ISO/IEC 10918-1, B.1.1.3). */
const isStandalone = (marker: number): boolean => marker <= 0x01 || (marker >= 0xd0 && marker <= MARKER.end)

/**
 * Follows the markers of a JPEG file (ISO/IEC 10918-1, annex B), also those after its end: a file may contain further pictures, such
 * as previews and gain maps, each with its own metadata.
 */
function* jpegWalk(): Walk {
  const extended = new XmpBlanker()
  for (;;) {
    yield { passBefore: 0xff }
    const marker = (yield { hold: 2 })[1] ?? 0
    // The first byte is a fill byte, and the second one may begin the marker.
    if (marker === 0xff) yield* skipFillBytes(extended)
    else if (!isStandalone(marker)) yield* blankSegment(marker, extended)
  }
}

/** Skips bytes 0xFF before a marker; the last of them belongs to the marker. */
function* skipFillBytes(extended: XmpBlanker): Walk {
  let marker = 0xff
  while (marker === 0xff) {
    const next = (yield { hold: 1 })[0]
    if (next === undefined) return
    marker = next
  }
  if (!isStandalone(marker)) yield* blankSegment(marker, extended)
}

function* blankSegment(marker: number, extended: XmpBlanker): Walk {
  const head = yield { hold: 2 }
  const length = head.length === 2 ? head.readUInt16BE() - 2 : 0
  if (length <= 0) return
  if ((marker !== MARKER.app1 && marker !== MARKER.app13) || length < SHORTEST_METADATA) {
    yield { pass: length }
    return
  }
  const content = yield { hold: length }
  if (marker === MARKER.app13) blankIptc(content)
  else blankApp1(content, extended)
}

function blankApp1(content: Buffer, extended: XmpBlanker): void {
  const hasPrefix = (text: string): boolean => content.toString('latin1', 0, text.length) === text
  if (hasPrefix(XMP)) blankXmp(content.subarray(XMP.length))
  else if (hasPrefix(EXTENDED_XMP)) extended.blank(content.subarray(EXTENDED_XMP.length + EXTENDED_HEAD))
  else blankExif(content)
}

/** The data sets of IPTC IIM, record 2, that name locations: content location, city, sublocation, state, country. */
const IPTC_LOCATIONS: ReadonlySet<number> = new Set([26, 27, 90, 92, 95, 100, 101])

const IPTC_MARKER = 0x1c
const IPTC_HEAD_BYTES = 5

/**
 * Writes spaces over the locations in the IPTC records of a Photoshop segment. A data set begins with 0x1C, its record, its number and
 * a length of two bytes (IIM 4.2, section 1.5).
 */
function blankIptc(bytes: Buffer): void {
  if (!bytes.toString('latin1', 0, 14).startsWith('Photoshop 3.0\0')) return
  for (let at = bytes.indexOf(IPTC_MARKER); at >= 0; at = bytes.indexOf(IPTC_MARKER, at)) {
    at = blankDataSet(bytes, at)
  }
}

/** Returns the offset at which reading continues. */
function blankDataSet(bytes: Buffer, at: number): number {
  if (at + IPTC_HEAD_BYTES > bytes.length || (bytes[at + 1] ?? 0) !== 2) return at + 1
  const start = at + IPTC_HEAD_BYTES
  const end = start + bytes.readUInt16BE(at + 3)
  if (end > bytes.length) return at + 1
  if (IPTC_LOCATIONS.has(bytes[at + 2] ?? 0)) bytes.fill(0x20, start, end)
  return end
}

const RIFF_HEAD_BYTES = 12

/** Follows the chunks of a WebP file (RFC 9649, section 2.3); each is padded to an even length. */
function* webpWalk(): Walk {
  yield { pass: RIFF_HEAD_BYTES }
  for (;;) {
    const head = yield { hold: 8 }
    if (head.length < 8) return
    const length = head.readUInt32LE(4)
    const type = head.toString('latin1', 0, 4)
    if (type === 'EXIF') yield* blankBlock(length, blankExif)
    else yield { pass: length, ...(type === 'XMP ' ? { edit: new XmpBlanker().blank } : {}) }
    yield { pass: length % 2 }
  }
}
