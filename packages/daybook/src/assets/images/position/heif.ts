import { boxIn, readBoxHead } from '../boxes.ts'
import type { Walk } from '../byte-walk.ts'
import { blankExif, MAX_HELD } from './blank.ts'
import { type MetadataExtent, metadataExtents } from './heif-items.ts'
import { XmpBlanker } from './xmp.ts'

/** The most boxes that may come before the `meta` box. */
const MAX_BOXES = 64

const VERSION_BYTES = 4

/**
 * Follows a HEIC or AVIF file: its `meta` box says where Exif and XMP are, further on in the file. Metadata that comes before the
 * `meta` box is out of reach by then; encoders write it after.
 */
export function* heifWalk(): Walk {
  let at = 0
  for (let boxes = 0; boxes < MAX_BOXES; boxes += 1) {
    const head = yield { hold: 8 }
    const box = readBoxHead(head)
    // A box with a length of eight bytes, or to the end of the file, is the content.
    if (!box || box.length === Number.POSITIVE_INFINITY) return
    at += box.length
    const length = box.length - head.length
    if (box.type !== 'meta') yield { pass: length }
    else if (length > MAX_HELD) return
    else return yield* itemsBehind(yield { hold: length }, at)
  }
}

/** @param meta the content of the `meta` box, still held back @param end where it ends in the file */
function* itemsBehind(meta: Buffer, end: number): Walk {
  const extents = metadataExtents(meta)
  const idat = boxIn(meta.subarray(VERSION_BYTES), 'idat')
  for (const extent of extents.filter(({ isInIdat }) => isInIdat)) {
    blankItem(extent, idat?.subarray(extent.offset, extent.offset + extent.length) ?? Buffer.alloc(0))
  }
  let at = end
  for (const extent of extents.filter(({ isInIdat }) => !isInIdat).sort((one, other) => one.offset - other.offset)) {
    if (extent.offset < at || extent.length === 0) continue
    yield { pass: extent.offset - at }
    yield* itemAt(extent)
    at = extent.offset + extent.length
  }
}

function* itemAt(extent: MetadataExtent): Walk {
  if (extent.length > MAX_HELD) yield { pass: extent.length, edit: (piece) => piece.fill(0) }
  else blankItem(extent, yield { hold: extent.length })
}

function blankItem({ kind, isWhole }: MetadataExtent, content: Buffer): void {
  if (!isWhole) content.fill(kind === 'xmp' ? ' ' : 0)
  else if (kind === 'xmp') new XmpBlanker().blank(content)
  // The distance to the TIFF header comes first (ISO/IEC 23008-12, A.2.1).
  else if (content.length > 4) blankExif(content.subarray(4 + content.readUInt32BE()))
}
