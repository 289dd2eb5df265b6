import { boxesIn, boxIn } from '../boxes.ts'

/** A part of a file that holds metadata. */
export interface MetadataExtent {
  readonly kind: 'exif' | 'xmp'
  /** From the start of the file, or of the `idat` box. */
  readonly offset: number
  readonly length: number
  readonly isInIdat: boolean
  /** Whether the item has this extent alone; Exif in several is not put together. */
  readonly isWhole: boolean
}

/** More than this is not followed: an iPhone writes one, and its pictures have about 50 items. */
const MAX_EXTENTS = 1024

/** The bytes of a full box's version and flags. */
const VERSION_BYTES = 4

/** Where the items of a `meta` box keep Exif and XMP (ISO/IEC 14496-12, sections 8.11.3 and 8.11.6; 23008-12, annex A). */
export function metadataExtents(meta: Buffer): readonly MetadataExtent[] {
  const content = meta.subarray(VERSION_BYTES)
  const infos = boxIn(content, 'iinf')
  const locations = boxIn(content, 'iloc')
  if (!infos || !locations) return []
  const kinds = itemKinds(infos)
  const extents: MetadataExtent[] = []
  try {
    for (const { item, isInIdat, parts } of itemLocations(new Cursor(locations))) {
      const kind = kinds.get(item)
      if (kind) extents.push(...parts.map((part) => ({ ...part, kind, isInIdat, isWhole: parts.length === 1 })))
      if (extents.length > MAX_EXTENTS) break
    }
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
  }
  return extents
}

/** Which items are metadata, by their numbers. */
function itemKinds(infos: Buffer): ReadonlyMap<number, 'exif' | 'xmp'> {
  const kinds = new Map<number, 'exif' | 'xmp'>()
  const isLong = (infos[0] ?? 0) > 0
  for (const { type, content } of boxesIn(infos.subarray(VERSION_BYTES + (isLong ? 4 : 2)))) {
    const version = content[0] ?? 0
    if (type !== 'infe' || version < 2 || content.length < VERSION_BYTES + 8) continue
    const idWidth = version === 2 ? 2 : 4
    const kind = itemKind(content.subarray(VERSION_BYTES + idWidth + 2))
    if (kind) kinds.set(content.readUIntBE(VERSION_BYTES, idWidth), kind)
  }
  return kinds
}

/** @param info what follows the number of an item and its protection */
function itemKind(info: Buffer): 'exif' | 'xmp' | undefined {
  const type = info.toString('latin1', 0, 4)
  if (type === 'Exif') return 'exif'
  return type === 'mime' && info.includes('application/rdf+xml') ? 'xmp' : undefined
}

interface ItemLocation {
  readonly item: number
  readonly isInIdat: boolean
  readonly parts: readonly { readonly offset: number; readonly length: number }[]
}

/** Reads numbers of any width, and throws a RangeError behind the end. */
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

/** The entries of an `iloc` box: its widths come first, and its version decides which numbers are there. */
function* itemLocations(cursor: Cursor): Generator<ItemLocation> {
  const version = cursor.number(1)
  cursor.number(3)
  const widths = cursor.number(2)
  const [offsetWidth, lengthWidth, baseWidth, indexWidth] = [12, 8, 4, 0].map((shift) => (widths >> shift) & 15) as [
    number,
    number,
    number,
    number,
  ]
  // Extents without a length are the whole file, and as many of them as somebody likes take no room.
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
