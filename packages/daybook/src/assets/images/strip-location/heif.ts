import type { Walk } from '../byte-walk.ts'
import { findBox, readBoxes, readBoxHead } from '../iso-boxes.ts'
import { blankBlock, blankExif, MAX_METADATA_BYTES } from './exif.ts'
import { blankXmp } from './xmp.ts'

/** The maximum number of boxes before the `meta` box. */
const MAX_BOXES = 64

/** The bytes of a full box's version and flags. */
const VERSION_BYTES = 4

/**
 * Follows a HEIC or AVIF file. Its `meta` box contains the offsets of Exif and XMP, which follow later in the file. Metadata before
 * the `meta` box has passed by then; encoders write it after.
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
    else if (length > MAX_METADATA_BYTES) return
    else return yield* blankItems(yield { hold: length }, at)
  }
}

/** @param meta the content of the `meta` box, still held back @param end the offset of its end in the file */
function* blankItems(meta: Buffer, end: number): Walk {
  const extents = readExtents(meta)
  const idat = findBox(meta.subarray(VERSION_BYTES), 'idat')
  for (const extent of extents.filter(({ isInIdat }) => isInIdat)) {
    blankItem(extent, idat?.subarray(extent.offset, extent.offset + extent.length) ?? Buffer.alloc(0))
  }
  let at = end
  for (const extent of extents.filter(({ isInIdat }) => !isInIdat).sort((a, b) => a.offset - b.offset)) {
    if (extent.offset < at || extent.length === 0) continue
    yield { pass: extent.offset - at }
    yield* blankBlock(extent.length, (content) => blankItem(extent, content))
    at = extent.offset + extent.length
  }
}

function blankItem({ kind, isWhole }: MetadataExtent, content: Buffer): void {
  if (!isWhole) content.fill(kind === 'xmp' ? ' ' : 0)
  else if (kind === 'xmp') blankXmp(content)
  // The content begins with the distance to the TIFF header (ISO/IEC 23008-12, A.2.1).
  else if (content.length > 4) blankExif(content.subarray(4 + content.readUInt32BE()))
}

/** A part of a file that contains metadata. */
interface MetadataExtent {
  readonly kind: 'exif' | 'xmp'
  /** Relative to the start of the file, or of the `idat` box. */
  readonly offset: number
  readonly length: number
  readonly isInIdat: boolean
  /** True if the item has a single extent. Exif in several extents is not joined. */
  readonly isWhole: boolean
}

/** The maximum number of extents that are followed. An iPhone writes one, and its pictures have about 50 items. */
const MAX_EXTENTS = 1024

/** Reads the extents of Exif and XMP from a `meta` box (ISO/IEC 14496-12, sections 8.11.3 and 8.11.6; 23008-12, annex A). */
function readExtents(meta: Buffer): readonly MetadataExtent[] {
  const content = meta.subarray(VERSION_BYTES)
  const infos = findBox(content, 'iinf')
  const locations = findBox(content, 'iloc')
  if (!infos || !locations) return []
  const kinds = readItemKinds(infos)
  const extents: MetadataExtent[] = []
  try {
    for (const { item, isInIdat, parts } of readItemLocations(new Cursor(locations))) {
      const kind = kinds.get(item)
      if (kind) extents.push(...parts.map((part) => ({ ...part, kind, isInIdat, isWhole: parts.length === 1 })))
      if (extents.length > MAX_EXTENTS) break
    }
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
  }
  return extents
}

/** Returns the kinds of items with metadata, by the number of the item. */
function readItemKinds(infos: Buffer): ReadonlyMap<number, 'exif' | 'xmp'> {
  const kinds = new Map<number, 'exif' | 'xmp'>()
  const isLong = (infos[0] ?? 0) > 0
  for (const { type, content } of readBoxes(infos.subarray(VERSION_BYTES + (isLong ? 4 : 2)))) {
    const version = content[0] ?? 0
    if (type !== 'infe' || version < 2 || content.length < VERSION_BYTES + 8) continue
    const idWidth = version === 2 ? 2 : 4
    const kind = readItemKind(content.subarray(VERSION_BYTES + idWidth + 2))
    if (kind) kinds.set(content.readUIntBE(VERSION_BYTES, idWidth), kind)
  }
  return kinds
}

/** @param info the bytes after the number of an item and its protection */
function readItemKind(info: Buffer): 'exif' | 'xmp' | undefined {
  const type = info.toString('latin1', 0, 4)
  if (type === 'Exif') return 'exif'
  return type === 'mime' && info.includes('application/rdf+xml') ? 'xmp' : undefined
}

interface ItemLocation {
  readonly item: number
  readonly isInIdat: boolean
  readonly parts: readonly { readonly offset: number; readonly length: number }[]
}

/** Reads numbers of any width, and throws a RangeError after the end. */
class Cursor {
  readonly #bytes: Buffer
  #at = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  number(width: number): number {
    const at = this.#at
    this.#at += width
    if (width === 0) return 0
    if (width === 8) return Number(this.#bytes.readBigUInt64BE(at))
    return this.#bytes.readUIntBE(at, width)
  }
}

/** Reads the entries of an `iloc` box. It begins with the widths of numbers, and its version decides which numbers it has. */
function* readItemLocations(cursor: Cursor): Generator<ItemLocation> {
  const version = cursor.number(1)
  cursor.number(3)
  const widths = cursor.number(2)
  const [offsetWidth, lengthWidth, baseWidth, indexWidth] = [12, 8, 4, 0].map((shift) => (widths >> shift) & 15) as [
    number,
    number,
    number,
    number,
  ]
  // Extents without a length are the whole file. A short box could list billions of them, because they take no bytes.
  if (offsetWidth + lengthWidth === 0) return
  const idWidth = version < 2 ? 2 : 4
  const count = cursor.number(idWidth)
  for (let index = 0; index < count; index += 1) {
    const item = cursor.number(idWidth)
    const method = version === 0 ? 0 : cursor.number(2) & 15
    cursor.number(2)
    const base = cursor.number(baseWidth)
    const parts = Array.from({ length: cursor.number(2) }, () => {
      if (version > 0) cursor.number(indexWidth)
      const offset = base + cursor.number(offsetWidth)
      return { offset, length: cursor.number(lengthWidth) }
    })
    if (method <= 1) yield { item, isInIdat: method === 1, parts }
  }
}
