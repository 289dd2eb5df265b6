import type { Walk } from '../byte-walk.ts'
import { blankExif, MAX_HELD } from './blank.ts'
import { XmpBlanker } from './xmp.ts'

const RIFF_HEAD_BYTES = 12

/** Follows the chunks of a WebP file (RFC 9649, section 2.3); each is padded to an even length. */
export function* webpWalk(): Walk {
  yield { pass: RIFF_HEAD_BYTES }
  for (;;) {
    const head = yield { hold: 8 }
    if (head.length < 8) return
    const length = head.readUInt32LE(4)
    const type = head.toString('latin1', 0, 4)
    if (type === 'EXIF') yield* exifChunk(length)
    else yield { pass: length, ...(type === 'XMP ' ? { edit: new XmpBlanker().blank } : {}) }
    yield { pass: length % 2 }
  }
}

function* exifChunk(length: number): Walk {
  if (length > MAX_HELD) yield { pass: length, edit: (piece) => piece.fill(0) }
  else blankExif(yield { hold: length })
}
