import { imageSize } from 'image-size'
import { validationErrorAt } from '../../errors.ts'
import { findBox, readBoxes } from './iso-boxes.ts'

/** The size of a picture as shown, in pixels. */
export interface ImageSize {
  readonly width: number
  readonly height: number
}

/** The number of bytes at the start of a file from which its size is read. */
export const IMAGE_HEAD_BYTES: number = 512 * 1024

/** The formats that `image-size` reads. It is not used for HEIF, where it takes quadratic time, and SVG, which has no pixels. */
const MEASURED: ReadonlySet<string> = new Set([
  'image/jpeg',
  'image/png',
  'image/apng',
  'image/gif',
  'image/webp',
  'image/tiff',
  'image/bmp',
])

const HEIF: ReadonlySet<string> = new Set(['image/avif', 'image/heic', 'image/heif'])

/** The lowest value of Exif's orientation for which the picture is shown on its side. */
const FIRST_SIDEWAYS = 5

/** The bytes of a full box's version and flags. */
const VERSION_BYTES = 4

const NOTHING: Buffer = Buffer.alloc(0)

/**
 * Reads the size of a picture from the start of its file.
 *
 * @param head the first {@link IMAGE_HEAD_BYTES} of the file
 * @param type the media type of the bytes
 * @returns `undefined` for a file that is no picture, or whose size cannot be read
 * @throws VALIDATION_ERROR for a picture of more than `maxPixels`
 */
export function readImageSize(head: Buffer, type: string, maxPixels: number): ImageSize | undefined {
  const size = measure(head.subarray(0, IMAGE_HEAD_BYTES), type)
  if (size && countPixels(size) > maxPixels) {
    const message = `The file has ${size.width} x ${size.height} pixels. Send an image of at most ${maxPixels} pixels.`
    throw validationErrorAt('file', 'max_pixels', message, { ...size, limit: maxPixels })
  }
  return size
}

function measure(head: Buffer, type: string): ImageSize | undefined {
  try {
    const size = HEIF.has(type) ? readHeifSize(head) : MEASURED.has(type) ? readOtherSize(head) : undefined
    return size && size.width > 0 && size.height > 0 ? size : undefined
  } catch {
    // The file begins like a picture, but is none.
    return undefined
  }
}

/** Uses `image-size`, which throws errors of any type. The copy prevents it from reading bytes outside the file. */
function readOtherSize(head: Buffer): ImageSize {
  const { width, height, orientation = 1 } = imageSize(new Uint8Array(head))
  return orientation >= FIRST_SIDEWAYS ? { width: height, height: width } : { width, height }
}

/** Returns the largest size in the properties of a HEIF file; smaller ones are of tiles and previews. */
function readHeifSize(head: Buffer): ImageSize | undefined {
  const meta = findBox(head, 'meta')?.subarray(VERSION_BYTES)
  const properties = [...readBoxes(findBox(findBox(meta ?? NOTHING, 'iprp') ?? NOTHING, 'ipco') ?? NOTHING)]
  const isSideways = properties.some(({ type, content: [turns = 0] }) => type === 'irot' && (turns & 1) === 1)
  const [first, ...further] = properties
    .filter(({ type }) => type === 'ispe')
    .map(({ content }) => readDeclaredSize(content))
  if (!first) return undefined
  const { width, height } = further.reduce(
    (largest, size) => (countPixels(size) > countPixels(largest) ? size : largest),
    first,
  )
  return isSideways ? { width: height, height: width } : { width, height }
}

const countPixels = ({ width, height }: ImageSize): number => width * height

const readDeclaredSize = (content: Buffer): ImageSize => ({
  width: content.readUInt32BE(VERSION_BYTES),
  height: content.readUInt32BE(VERSION_BYTES + 4),
})
