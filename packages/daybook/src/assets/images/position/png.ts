import { crc32 } from 'node:zlib'
import type { Walk } from '../byte-walk.ts'
import { blankExif, MAX_HELD } from './blank.ts'
import { XmpBlanker } from './xmp.ts'

type Edit = (piece: Buffer) => void

const SIGNATURE_BYTES = 8
const LONGEST_KEYWORD = 79
const XMP_KEYWORD = 'XML:com.adobe.xmp'
/** ImageMagick keeps metadata of other formats in texts of these names, in hexadecimal digits. */
const RAW_PROFILE = /^Raw profile type (?:exif|app1|xmp|iptc|8bim)$/i

/** No text at all, compressed (RFC 1950). What follows in the chunk is no part of it. */
const EMPTY_ZLIB: readonly number[] = [0x78, 0x01, 0x01, 0x00, 0x00, 0xff, 0xff, 0x00, 0x00, 0x00, 0x01]

/** What comes before compressed text: its method; in `iTXt` its flag and method, and no language and no translated keyword. */
const COMPRESSED_HEAD: Readonly<Record<string, readonly number[]>> = { zTXt: [0], iTXt: [1, 0, 0, 0] }

/** Follows the chunks of a PNG file (PNG 3rd edition, section 5.3), and writes the checksums of those that it changes. */
export function* pngWalk(): Walk {
  yield { pass: SIGNATURE_BYTES }
  for (;;) {
    const head = yield { hold: 8 }
    if (head.length < 8) return
    const length = head.readUInt32BE()
    const type = head.toString('latin1', 4)
    if (type === 'eXIf') yield* exifChunk(length)
    else if (type === 'tEXt' || type === 'zTXt' || type === 'iTXt') yield* textChunk(type, length)
    else yield { pass: length + 4 }
  }
}

function* exifChunk(length: number): Walk {
  const sums = new Checksums('eXIf')
  if (length > MAX_HELD) yield { pass: length, edit: sums.editing((piece) => piece.fill(0)) }
  else {
    const content = yield { hold: length }
    sums.editing(blankExif)(content)
  }
  yield* writeChecksum(sums)
}

/** Blanks the positions in readable text, and the whole of compressed or encoded metadata. */
function* textChunk(type: string, length: number): Walk {
  const sums = new Checksums(type)
  const head = yield { hold: Math.min(length, LONGEST_KEYWORD + 1) }
  const end = head.indexOf(0) + 1
  const edit = textEdit(type, head.toString('latin1', 0, Math.max(0, end - 1)), head[end])
  sums.editing(() => edit?.(head.subarray(end)))(head)
  yield { pass: length - head.length, ...(edit ? { edit: sums.editing(edit) } : {}) }
  if (edit) yield* writeChecksum(sums)
  else yield { pass: 4 }
}

/** How to change what follows the keyword; `undefined`: not at all. */
function textEdit(type: string, keyword: string, flag: number | undefined): Edit | undefined {
  const isXmp = keyword === XMP_KEYWORD
  if (!(isXmp || RAW_PROFILE.test(keyword))) return undefined
  if (type === 'zTXt' || (type === 'iTXt' && flag === 1))
    return overwriting([...(COMPRESSED_HEAD[type] ?? []), ...EMPTY_ZLIB])
  if (isXmp) return new XmpBlanker().blank
  return type === 'tEXt' ? (piece) => piece.fill(' ') : overwriting([0, 0, 0, 0])
}

/** Writes these bytes, and zeros after them. */
function overwriting(bytes: readonly number[]): Edit {
  let at = 0
  return (piece) => {
    piece.fill(0)
    piece.set(bytes.slice(at, at + piece.length))
    at += piece.length
  }
}

/** The checksum that a chunk had, and the one that it has now. */
class Checksums {
  before: number
  after: number

  constructor(type: string) {
    this.before = crc32(type)
    this.after = this.before
  }

  /** The same edit, with its pieces counted. */
  editing(edit: Edit): Edit {
    return (piece) => {
      this.before = crc32(piece, this.before)
      edit(piece)
      this.after = crc32(piece, this.after)
    }
  }
}

/** Leaves the checksum of an unchanged chunk as it is, even when it is wrong. */
function* writeChecksum({ before, after }: Checksums): Walk {
  const stored = yield { hold: 4 }
  if (stored.length === 4 && before !== after) stored.writeUInt32BE(after)
}
