/** Tags of TIFF 6.0 and Exif 3.0 (section 4.6). */
const TAG = { subIfds: 0x014a, xmp: 0x02bc, exif: 0x8769, gps: 0x8825 } as const

/** The bytes of one value, by its type's number (TIFF 6.0, section 2; 13 is an IFD). */
const VALUE_BYTES: readonly number[] = [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4]

const ENTRY_BYTES = 12

/** A structure that leads to more directories than this is not followed further. */
const MAX_DIRECTORIES = 64

interface Entry {
  readonly at: number
  readonly tag: number
  /** Where its value is, and how many bytes of it there are. */
  readonly start: number
  readonly length: number
}

/** A part of a buffer with numbers in the byte order of its TIFF header. */
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

  /** The entries of a directory, as far as they are there. */
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

  /** Where the directory after this one begins; 0: there is none. */
  after(directory: number): number {
    if (!this.has(directory, 2)) return 0
    const at = directory + 2 + this.u16(directory) * ENTRY_BYTES
    return this.has(at, 4) ? this.u32(at) : 0
  }

  /** The places that an entry leads to. */
  pointers({ start, length }: Entry): readonly number[] {
    const count = Math.min(Math.floor(length / 4), MAX_DIRECTORIES)
    return Array.from({ length: count }, (_, index) => this.u32(start + index * 4))
  }
}

/**
 * Blanks the position in Exif data, a TIFF structure whose header is at the start: all GPS directories lose their entries and
 * values, and XMP packets their positions. What cannot be read stays as it is.
 */
export function blankTiff(bytes: Buffer, blankXmp: (packet: Buffer) => void): void {
  const tiff = openTiff(bytes)
  if (!tiff) return
  const seen = new Set<number>()
  const open = [tiff.u32(4)]
  for (let at = open.pop(); at !== undefined && seen.size < MAX_DIRECTORIES; at = open.pop()) {
    if (at === 0 || seen.has(at)) continue
    seen.add(at)
    open.push(...blankDirectory(tiff, at, blankXmp))
  }
}

function openTiff(bytes: Buffer): TiffBytes | undefined {
  const order = bytes.toString('latin1', 0, 4)
  const isLittle = order === 'II*\0'
  if (bytes.length < 8 || !(isLittle || order === 'MM\0*')) return undefined
  return new TiffBytes(bytes, isLittle)
}

/** Blanks what one directory says, and returns the directories that it leads to. */
function blankDirectory(tiff: TiffBytes, directory: number, blankXmp: (packet: Buffer) => void): readonly number[] {
  const next = [tiff.after(directory)]
  for (const entry of [...tiff.entries(directory)]) {
    if (entry.tag === TAG.gps) for (const gps of tiff.pointers(entry)) blankGps(tiff, gps)
    else if (entry.tag === TAG.xmp) blankXmp(tiff.bytes.subarray(entry.start, entry.start + entry.length))
    else if (entry.tag === TAG.exif || entry.tag === TAG.subIfds) next.push(...tiff.pointers(entry))
  }
  return next
}

function blankGps(tiff: TiffBytes, directory: number): void {
  // The first 8 bytes are the header of the file: nothing that leads there is a directory.
  if (directory < 8 || !tiff.has(directory, 2)) return
  const entries = [...tiff.entries(directory)]
  for (const { at, start, length } of entries) {
    tiff.bytes.subarray(start, start + length).fill(0)
    tiff.bytes.fill(0, at, at + ENTRY_BYTES)
  }
  tiff.bytes.fill(0, directory, directory + 2)
}
