import { blankTiff } from './tiff.ts'
import { XmpBlanker } from './xmp.ts'

/** Metadata longer than this is not held back to be read: it is blanked as a whole. Exif in JPEG has at most 64 KiB. */
export const MAX_HELD: number = 1024 * 1024

const EXIF_PREFIX = 'Exif\0\0'

/** Blanks the position in Exif data, with or without the prefix of JPEG. */
export function blankExif(bytes: Buffer): void {
  const hasPrefix = bytes.toString('latin1', 0, EXIF_PREFIX.length) === EXIF_PREFIX
  blankTiff(hasPrefix ? bytes.subarray(EXIF_PREFIX.length) : bytes, blankXmp)
}

/** Blanks the positions in an XMP packet. */
export function blankXmp(packet: Buffer): void {
  new XmpBlanker().blank(packet)
}
