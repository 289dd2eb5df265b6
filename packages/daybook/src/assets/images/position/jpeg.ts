import type { Walk } from '../byte-walk.ts'
import { blankExif, blankXmp } from './blank.ts'
import { blankIptc } from './iptc.ts'
import { XmpBlanker } from './xmp.ts'

const MARKER = { start: 0xd8, end: 0xd9, scan: 0xda, app1: 0xe1, app13: 0xed } as const

/** A prefix and the header of a TIFF structure. Millions of empty segments cost less than reading each. */
const SHORTEST_METADATA = 14

const XMP = 'http://ns.adobe.com/xap/1.0/\0'
const EXTENDED_XMP = 'http://ns.adobe.com/xmp/extension/\0'
/** A digest, a length and an offset come before each portion of extended XMP (XMP part 3, section 1.1.3.1). */
const EXTENDED_HEAD = 40

/** Whether a marker stands alone, without a length: TEM, RST0 to RST7, SOI, EOI (ISO/IEC 10918-1, B.1.1.3). */
const standsAlone = (marker: number): boolean => marker <= 0x01 || (marker >= 0xd0 && marker <= MARKER.end)

/**
 * Follows the markers of a JPEG file (ISO/IEC 10918-1, annex B), also those after its end: a file may hold further pictures, such
 * as previews and gain maps, each with metadata of its own.
 */
export function* jpegWalk(): Walk {
  const extended = new XmpBlanker()
  for (;;) {
    yield { passBefore: 0xff }
    const marker = (yield { hold: 2 })[1] ?? 0
    // A fill byte: the second one may begin the marker.
    if (marker === 0xff) yield* fillBytes(extended)
    else if (!standsAlone(marker)) yield* segment(marker, extended)
  }
}

/** Bytes 0xFF before a marker; the last of them belongs to it. */
function* fillBytes(extended: XmpBlanker): Walk {
  let marker = 0xff
  while (marker === 0xff) {
    const next = (yield { hold: 1 })[0]
    if (next === undefined) return
    marker = next
  }
  if (!standsAlone(marker)) yield* segment(marker, extended)
}

function* segment(marker: number, extended: XmpBlanker): Walk {
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
  const starts = (text: string): boolean => content.toString('latin1', 0, text.length) === text
  if (starts(XMP)) blankXmp(content.subarray(XMP.length))
  else if (starts(EXTENDED_XMP)) extended.blank(content.subarray(EXTENDED_XMP.length + EXTENDED_HEAD))
  else blankExif(content)
}
