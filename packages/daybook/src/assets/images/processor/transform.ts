import type { OutputInfo, ResizeOptions, Sharp } from 'sharp'
import type { FocalPoint, ImageDescription, ImageFormat, ImageTransformation, TransformedImage } from './job.ts'

interface Size {
  readonly width: number
  readonly height: number
}

interface Area extends Size {
  readonly left: number
  readonly top: number
}

const PLACEHOLDER = { pixels: 32, quality: 20, bytes: 480 } as const

const CENTRE: FocalPoint = { x: 0.5, y: 0.5 }

/** Describes a picture; a placeholder that is too long as WebP is tried again with half the pixels. */
export async function describeImage(open: () => Sharp): Promise<ImageDescription> {
  const size = await shownSize(open())
  for (let pixels: number = PLACEHOLDER.pixels; ; pixels /= 2) {
    const small = open().autoOrient().resize({ width: pixels, height: pixels, fit: 'inside' })
    const bytes = await small
      .webp({ quality: PLACEHOLDER.quality, alphaQuality: PLACEHOLDER.quality, effort: 6 })
      .toBuffer()
    if (bytes.length <= PLACEHOLDER.bytes || pixels <= 2) {
      return { ...size, placeholder: `data:image/webp;base64,${bytes.toString('base64')}` }
    }
  }
}

/** Makes a picture from another. */
export async function transformImage(open: () => Sharp, wanted: ImageTransformation): Promise<TransformedImage> {
  const size = await shownSize(open())
  const oriented = open().autoOrient()
  const { data, info }: { data: Buffer; info: OutputInfo } = await encode(
    resize(oriented, size, wanted),
    wanted,
  ).toBuffer({
    resolveWithObject: true,
  })
  return { bytes: data, width: info.width, height: info.height }
}

async function shownSize(image: Sharp): Promise<Size> {
  const { width, height } = (await image.metadata()).autoOrient
  return { width, height }
}

function resize(image: Sharp, size: Size, wanted: ImageTransformation): Sharp {
  const { width, height, fit, format, focal = CENTRE } = wanted
  if (width === undefined || height === undefined || fit === 'inside') {
    return image.resize(limits(width, height))
  }
  if (fit === 'contain') {
    const background = { r: 255, g: 255, b: 255, alpha: format === 'jpeg' ? 1 : 0 }
    const bounds = shrunk({ width, height }, Math.max(size.width / width, size.height / height))
    return image.resize({ ...bounds, fit, background })
  }
  const area = areaAround(focal, size, width / height)
  return image.extract(area).resize({ ...shrunk({ width, height }, area.width / width), fit: 'fill' })
}

function limits(width: number | undefined, height: number | undefined): ResizeOptions {
  return {
    fit: 'inside',
    withoutEnlargement: true,
    ...(width === undefined ? {} : { width }),
    ...(height === undefined ? {} : { height }),
  }
}

/** A size with the same proportions, made smaller by a factor below 1. */
function shrunk({ width, height }: Size, factor: number): Size {
  const scale = Math.min(1, factor)
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) }
}

/** The largest area with these proportions, as near around the point as the picture allows. */
function areaAround({ x, y }: FocalPoint, size: Size, ratio: number): Area {
  const width = Math.max(1, Math.min(size.width, Math.round(size.height * ratio)))
  const height = Math.max(1, Math.min(size.height, Math.round(size.width / ratio)))
  const start = (point: number, whole: number, part: number): number =>
    Math.round(Math.min(Math.max(point * whole - part / 2, 0), whole - part))
  return { left: start(x, size.width, width), top: start(y, size.height, height), width, height }
}

function encode(image: Sharp, { format, quality }: ImageTransformation): Sharp {
  return ENCODERS[format](image, quality)
}

const ENCODERS: Readonly<Record<ImageFormat, (image: Sharp, quality: number) => Sharp>> = {
  // Effort 4, the default, takes over ten times as long, for files of the same size (measured on photographs of 24 megapixels).
  avif: (image, quality) => image.avif({ quality, effort: 2 }),
  webp: (image, quality) => image.webp({ quality }),
  jpeg: (image, quality) => image.flatten({ background: '#fff' }).jpeg({ quality, mozjpeg: true }),
  png: (image) => image.png(),
}
