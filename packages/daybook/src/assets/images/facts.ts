import { imageSize } from 'image-size'
import { invalidAt } from '../../errors.ts'
import { boxesIn, boxIn } from './boxes.ts'

/** How large a picture is, in pixels, as it is shown. */
export interface ImageSize {
  readonly width: number
  readonly height: number
}

/** How many of the first bytes of a file its size is read from. */
export const FACTS_BYTES: number = 512 * 1024

/** The formats that `image-size` reads here. It takes quadratic time for HEIF, and SVG has no pixels. */
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

/** From this value of Exif's orientation on, the picture is shown on its side. */
const FIRST_SIDEWAYS = 5

/** The bytes of a full box's version and flags. */
const VERSION_BYTES = 4

const NOTHING: Buffer = Buffer.alloc(0)

/**
 * Reads how large a picture is from the start of its file.
 *
 * @param head the first bytes of the file; what comes after {@link FACTS_BYTES} does not count
 * @param type the media type that the bytes have
 * @param maxPixels the most pixels that a picture may have
 * @returns `undefined` when it is no picture, or one whose size cannot be read
 * @throws VALIDATION_ERROR when it has more pixels than it may
 */
export function readImageSize(head: Buffer, type: string, maxPixels: number): ImageSize | undefined {
  const size = measure(head.subarray(0, FACTS_BYTES), type)
  if (size && pixelsOf(size) > maxPixels) {
    const message = `has ${size.width} x ${size.height} pixels; send a picture of at most ${maxPixels} pixels`
    throw invalidAt('file', 'max_pixels', message, { ...size, limit: maxPixels })
  }
  return size
}

function measure(head: Buffer, type: string): ImageSize | undefined {
  try {
    const size = HEIF.has(type) ? heifSize(head) : MEASURED.has(type) ? otherSize(head) : undefined
    return size && size.width > 0 && size.height > 0 ? size : undefined
  } catch {
    // A file that is no picture inside, however it begins, has no size.
    return undefined
  }
}

/** The size by `image-size`, which throws what it likes. The copy keeps it from reading bytes beside those of the file. */
function otherSize(head: Buffer): ImageSize {
  const { width, height, orientation = 1 } = imageSize(new Uint8Array(head))
  return orientation >= FIRST_SIDEWAYS ? { width: height, height: width } : { width, height }
}

/** The largest size that the properties of a HEIF file declare: the others are of tiles and previews. */
function heifSize(head: Buffer): ImageSize | undefined {
  const meta = boxIn(head, 'meta')?.subarray(VERSION_BYTES)
  const properties = [...boxesIn(boxIn(boxIn(meta ?? NOTHING, 'iprp') ?? NOTHING, 'ipco') ?? NOTHING)]
  const isSideways = properties.some(({ type, content: [turns = 0] }) => type === 'irot' && (turns & 1) === 1)
  const [first, ...others] = properties
    .filter(({ type }) => type === 'ispe')
    .map(({ content }) => declaredSize(content))
  if (!first) return undefined
  const { width, height } = others.reduce(
    (largest, size) => (pixelsOf(size) > pixelsOf(largest) ? size : largest),
    first,
  )
  return isSideways ? { width: height, height: width } : { width, height }
}

const pixelsOf = ({ width, height }: ImageSize): number => width * height

const declaredSize = (content: Buffer): ImageSize => ({
  width: content.readUInt32BE(VERSION_BYTES),
  height: content.readUInt32BE(VERSION_BYTES + 4),
})
