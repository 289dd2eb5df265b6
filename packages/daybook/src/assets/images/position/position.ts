import type { Transform } from 'node:stream'
import { type Walk, WalkedBytes } from '../byte-walk.ts'
import { heifWalk } from './heif.ts'
import { jpegWalk } from './jpeg.ts'
import { pngWalk } from './png.ts'
import { webpWalk } from './webp.ts'

/** The formats whose metadata can say where a picture was taken, and how to follow each. */
const WALKS: Readonly<Record<string, () => Walk>> = {
  'image/jpeg': jpegWalk,
  'image/png': pngWalk,
  'image/apng': pngWalk,
  'image/webp': webpWalk,
  'image/heic': heifWalk,
  'image/heif': heifWalk,
  'image/heic-sequence': heifWalk,
  'image/heif-sequence': heifWalk,
  'image/avif': heifWalk,
}

/**
 * Blanks where a picture was taken, in a stream of its bytes: the GPS directory of Exif, and the coordinates and places of XMP and
 * IPTC. All else stays, also orientation, copyright and colours, and so does the length. At most 1 MiB is held back.
 *
 * @param type the media type that the bytes have; `undefined`: one whose metadata holds no position that Daybook can blank
 */
export function withoutPosition(type: string): Transform | undefined {
  const walk = WALKS[type]
  return walk && new WalkedBytes(walk())
}
