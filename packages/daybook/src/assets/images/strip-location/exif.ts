import type { Walk } from '../byte-walk.ts'
import { blankXmp } from './xmp.ts'

/** Tags of TIFF 6.0 and Exif 3.0 (section 4.6). */
const TAG = { subIfds: 0x014a, xmp: 0x02bc, exif: 0x8769, gps: 0x8825 } as const

/** The number of bytes of a value, by the number of its type (TIFF 6.0, section 2; 13 is an IFD). */
const VALUE_BYTES: readonly number[] = [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4]

const ENTRY_BYTES = 12

/** The maximum number of directories that are followed. */
const MAX_DIRECTORIES = 64

interface Entry {
  readonly at: number
  readonly tag: number
  /** The range of its value, as far as it is within the data. */
  readonly start: number
  readonly length: number
}

/** Exif data with numbers in the byte order of its TIFF header. */
class TiffBytes {
  readonly bytes: Buffer
  readonly #isLittle: boolean

  constructor(bytes: Buffer, isLittle: boolean) {
    this.bytes = bytes
    this.#isLittle = isLittle
  }

  has(at: number, length: number): boolean {
    return at >= 0 && at + length <= this.bytes.length
  }

  u16(at: number): number {
    return this.#isLittle ? this.bytes.readUInt16LE(at) : this.bytes.readUInt16BE(at)
  }

  u32(at: number): number {
    return this.#isLittle ? this.bytes.readUInt32LE(at) : this.bytes.readUInt32BE(at)
  }

  /** Reads the entries of a directory, as far as they are within the data. */
  *entries(directory: number): Generator<Entry> {
    if (!this.has(directory, 2)) return
    const count = this.u16(directory)
    for (let index = 0; index < count; index += 1) {
      const at = directory + 2 + index * ENTRY_BYTES
      if (!this.has(at, ENTRY_BYTES)) return
      const size = (VALUE_BYTES[this.u16(at + 2)] ?? 0) * this.u32(at + 4)
      const start = size > 4 ? this.u32(at + 8) : at + 8
      yield { at, tag: this.u16(at), start, length: Math.max(0, Math.min(size, this.bytes.length - start)) }
    }
  }

  /** Returns the offset of the next directory, or 0 if there is none. */
  nextDirectory(directory: number): number {
    if (!this.has(directory, 2)) return 0
    const at = directory + 2 + this.u16(directory) * ENTRY_BYTES
    return this.has(at, 4) ? this.u32(at) : 0
  }

  /** Returns the offsets in the value of an entry. */
  pointers({ start, length }: Entry): readonly number[] {
    const count = Math.min(Math.floor(length / 4), MAX_DIRECTORIES)
    return Array.from({ length: count }, (_, index) => this.u32(start + index * 4))
  }
}

const EXIF_PREFIX = 'Exif\0\0'

/**
 * Blanks the location in Exif data, with or without the prefix of JPEG: all GPS directories lose their entries and values, and XMP
 * packets their locations. Data that cannot be read stays as it is.
 */
export function blankExif(bytes: Buffer): void {
  const hasPrefix = bytes.toString('latin1', 0, EXIF_PREFIX.length) === EXIF_PREFIX
  const tiff = openTiff(hasPrefix ? bytes.subarray(EXIF_PREFIX.length) : bytes)
  if (!tiff) return
  const seen = new Set<number>()
  const pending = [tiff.u32(4)]
  for (let at = pending.pop(); at !== undefined && seen.size < MAX_DIRECTORIES; at = pending.pop()) {
    if (at === 0 || seen.has(at)) continue
    seen.add(at)
    pending.push(...blankDirectory(tiff, at))
  }
}

/** Metadata longer than this, in bytes, is not held back to be read, but blanked as a whole. Exif in JPEG has at most 64 KiB. */
export const MAX_METADATA_BYTES: number = 1024 * 1024

/** Blanks a block of metadata with an edit, or as a whole if it is too long to be held back. */
export function* blankBlock(length: number, edit: (content: Buffer) => void): Walk {
  if (length > MAX_METADATA_BYTES) yield { pass: length, edit: (piece) => piece.fill(0) }
  else edit(yield { hold: length })
}

function openTiff(bytes: Buffer): TiffBytes | undefined {
  const order = bytes.toString('latin1', 0, 4)
  const isLittle = order === 'II*\0'
  if (bytes.length < 8 || !(isLittle || order === 'MM\0*')) return undefined
  return new TiffBytes(bytes, isLittle)
}

/** Blanks the location in a directory, and returns the offsets of the directories to which it leads. */
function blankDirectory(tiff: TiffBytes, directory: number): readonly number[] {
  const next = [tiff.nextDirectory(directory)]
  for (const entry of [...tiff.entries(directory)]) {
    if (entry.tag === TAG.gps) for (const gps of tiff.pointers(entry)) blankGps(tiff, gps)
    else if (entry.tag === TAG.xmp) blankXmp(tiff.bytes.subarray(entry.start, entry.start + entry.length))
    else if (entry.tag === TAG.exif || entry.tag === TAG.subIfds) next.push(...tiff.pointers(entry))
  }
  return next
}

function blankGps(tiff: TiffBytes, directory: number): void {
  // The first 8 bytes are the header, so no directory begins there.
  if (directory < 8 || !tiff.has(directory, 2)) return
  for (const { at, start, length } of [...tiff.entries(directory)]) {
    tiff.bytes.subarray(start, start + length).fill(0)
    tiff.bytes.fill(0, at, at + ENTRY_BYTES)
  }
  tiff.bytes.fill(0, directory, directory + 2)
}
