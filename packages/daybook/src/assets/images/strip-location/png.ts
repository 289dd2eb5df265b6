import { crc32 } from 'node:zlib'
import type { Walk } from '../byte-walk.ts'
import { blankExif, MAX_METADATA_BYTES } from './exif.ts'
import { XmpBlanker } from './xmp.ts'

type Edit = (piece: Buffer) => void

const SIGNATURE_BYTES = 8
const LONGEST_KEYWORD = 79
const XMP_KEYWORD = 'XML:com.adobe.xmp'
/** The keywords of texts in which ImageMagick stores the metadata of other formats, in hexadecimal digits. */
const RAW_PROFILE = /^Raw profile type (?:exif|app1|xmp|iptc|8bim)$/i

/** An empty text, compressed (RFC 1950). The rest of the chunk is ignored. */
const EMPTY_ZLIB: readonly number[] = [0x78, 0x01, 0x01, 0x00, 0x00, 0xff, 0xff, 0x00, 0x00, 0x00, 0x01]

/** The bytes before compressed text: its method; in `iTXt` its flag and method, an empty language and an empty translated keyword. */
const COMPRESSED_HEAD: Readonly<Record<string, readonly number[]>> = { zTXt: [0], iTXt: [1, 0, 0, 0] }

/** Follows the chunks of a PNG file (PNG 3rd edition, section 5.3), and updates the checksums of those that it changes. */
export function* pngWalk(): Walk {
  yield { pass: SIGNATURE_BYTES }
  for (;;) {
    const head = yield { hold: 8 }
    if (head.length < 8) return
    const length = head.readUInt32BE()
    const type = head.toString('latin1', 4)
    if (type === 'eXIf') yield* blankExifChunk(length)
    else if (type === 'tEXt' || type === 'zTXt' || type === 'iTXt') yield* blankTextChunk(type, length)
    else yield { pass: length + 4 }
  }
}

function* blankExifChunk(length: number): Walk {
  const sums = new Checksums('eXIf')
  if (length > MAX_METADATA_BYTES) yield { pass: length, edit: sums.track((piece) => piece.fill(0)) }
  else sums.track(blankExif)(yield { hold: length })
  yield* updateChecksum(sums)
}

/** Blanks the locations in readable text, and compressed or encoded metadata as a whole. */
function* blankTextChunk(type: string, length: number): Walk {
  const sums = new Checksums(type)
  const head = yield { hold: Math.min(length, LONGEST_KEYWORD + 1) }
  const end = head.indexOf(0) + 1
  const edit = selectEdit(type, head.toString('latin1', 0, Math.max(0, end - 1)), head[end])
  sums.track(() => edit?.(head.subarray(end)))(head)
  yield { pass: length - head.length, ...(edit ? { edit: sums.track(edit) } : {}) }
  if (edit) yield* updateChecksum(sums)
  else yield { pass: 4 }
}

/** Returns the edit of the bytes after the keyword, or `undefined` if they stay as they are. */
function selectEdit(type: string, keyword: string, flag: number | undefined): Edit | undefined {
  const isXmp = keyword === XMP_KEYWORD
  if (!(isXmp || RAW_PROFILE.test(keyword))) return undefined
  if (type === 'zTXt' || (type === 'iTXt' && flag === 1))
    return overwriteWith([...(COMPRESSED_HEAD[type] ?? []), ...EMPTY_ZLIB])
  if (isXmp) return new XmpBlanker().blank
  return type === 'tEXt' ? (piece) => piece.fill(' ') : overwriteWith([0, 0, 0, 0])
}

/** Returns an edit that writes these bytes, and zeros after them. */
function overwriteWith(bytes: readonly number[]): Edit {
  let at = 0
  return (piece) => {
    piece.fill(0)
    piece.set(bytes.slice(at, at + piece.length))
    at += piece.length
  }
}

/** The checksum of a chunk before and after its edits. */
class Checksums {
  before: number
  after: number

  constructor(type: string) {
    this.before = crc32(type)
    this.after = this.before
  }

  track(edit: Edit): Edit {
    return (piece) => {
      this.before = crc32(piece, this.before)
      edit(piece)
      this.after = crc32(piece, this.after)
    }
  }
}

/** Updates a checksum. That of an unchanged chunk stays as it is, even if it is wrong. */
function* updateChecksum({ before, after }: Checksums): Walk {
  const stored = yield { hold: 4 }
  if (stored.length === 4 && before !== after) stored.writeUInt32BE(after)
}
