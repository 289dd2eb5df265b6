// The entry point of a process for pictures: a picture that makes a decoder crash, hang or exhaust memory ends only this process.
import { pathToFileURL } from 'node:url'
import type { Sharp, default as SharpModule } from 'sharp'
import { createMessage, isMessage } from '../../../threads/messages.ts'
import type {
  FocalPoint,
  ImageDescription,
  ImageFailure,
  ImageFormat,
  ImageJob,
  ImageResults,
  ImageTransformation,
  TransformedImage,
} from './job.ts'

/** The decoders that may run. Those of SVG and PDF may not, because they read other files. */
const DECODERS = ['Jpeg', 'Png', 'Webp', 'Heif', 'Nsgif', 'Tiff'] as const

/** Loads `sharp` from the module that the first argument names. */
async function loadSharp(): Promise<typeof SharpModule> {
  const [, , file = ''] = process.argv
  const { default: sharp } = (await import(pathToFileURL(file).href)) as { readonly default: typeof SharpModule }
  sharp.cache(false)
  sharp.concurrency(1)
  sharp.block({ operation: ['VipsForeignLoad'] })
  sharp.unblock({ operation: DECODERS.map((name) => `VipsForeignLoad${name}`) })
  return sharp
}

function runJob(sharp: typeof SharpModule, job: ImageJob, bytes: Buffer): Promise<ImageResults[ImageJob['kind']]> {
  const open = (): Sharp =>
    sharp(bytes, { limitInputPixels: job.maxPixels, failOn: 'error' }).timeout({ seconds: job.seconds })
  return job.kind === 'describe' ? describeImage(open) : transformImage(open, job.transformation)
}

async function respond(number: number, job: ImageJob, bytes: Buffer): Promise<void> {
  const fail = (failure: ImageFailure, error: unknown): void => {
    process.send?.(createMessage('failure', number, { failure, reason: String(error) }))
  }
  const sharp = await loaded.catch((error: unknown) => fail('unavailable', error))
  if (!sharp) return
  await runJob(sharp, job, bytes).then(
    (result) => process.send?.(createMessage('result', number, result)),
    (error: unknown) => fail('unreadable', error),
  )
}

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

/** Describes a picture. If its placeholder is too long, half the pixels are tried. */
async function describeImage(open: () => Sharp): Promise<ImageDescription> {
  const size = await readShownSize(open())
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

async function transformImage(open: () => Sharp, transformation: ImageTransformation): Promise<TransformedImage> {
  const size = await readShownSize(open())
  const oriented = open().autoOrient()
  const { format, quality } = transformation
  const encoded = ENCODERS[format](resize(oriented, size, transformation), quality)
  const { data, info } = await encoded.toBuffer({ resolveWithObject: true })
  return { bytes: data, width: info.width, height: info.height }
}

async function readShownSize(image: Sharp): Promise<Size> {
  const { width, height } = (await image.metadata()).autoOrient
  return { width, height }
}

function resize(image: Sharp, size: Size, transformation: ImageTransformation): Sharp {
  const { width, height, fit, format, focal = CENTRE } = transformation
  if (width === undefined || height === undefined || fit === 'inside') {
    return image.resize({ fit: 'inside', withoutEnlargement: true, width, height })
  }
  if (fit === 'contain') {
    const background = { r: 255, g: 255, b: 255, alpha: format === 'jpeg' ? 1 : 0 }
    const bounds = shrink({ width, height }, Math.max(size.width / width, size.height / height))
    return image.resize({ ...bounds, fit, background })
  }
  const area = placeArea(focal, size, width / height)
  return image.extract(area).resize({ ...shrink({ width, height }, area.width / width), fit: 'fill' })
}

/** Multiplies a size by a factor, unless that would enlarge it. */
function shrink({ width, height }: Size, factor: number): Size {
  const scale = Math.min(1, factor)
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) }
}

/** Returns the largest area with these proportions, with its centre as close to the point as possible. */
function placeArea({ x, y }: FocalPoint, size: Size, ratio: number): Area {
  const width = Math.max(1, Math.min(size.width, Math.round(size.height * ratio)))
  const height = Math.max(1, Math.min(size.height, Math.round(size.width / ratio)))
  const place = (point: number, total: number, length: number): number =>
    Math.round(Math.min(Math.max(point * total - length / 2, 0), total - length))
  return { left: place(x, size.width, width), top: place(y, size.height, height), width, height }
}

const ENCODERS: Readonly<Record<ImageFormat, (image: Sharp, quality: number) => Sharp>> = {
  // The default effort of 4 takes over ten times as long, and makes files of the same size (measured with photographs of 24 megapixels).
  avif: (image, quality) => image.avif({ quality, effort: 2 }),
  webp: (image, quality) => image.webp({ quality }),
  jpeg: (image, quality) => image.flatten({ background: '#fff' }).jpeg({ quality, mozjpeg: true }),
  png: (image) => image.png(),
}

const loaded = loadSharp()
// The response to the first job contains the failure.
loaded.catch(() => {})

/** The received bytes of the next picture. */
let pieces: Uint8Array[] = []

process.on('message', (received: unknown) => {
  if (isMessage<'piece', Uint8Array>(received, 'piece')) pieces.push(received.body)
  if (!isMessage<'image', ImageJob>(received, 'image')) return
  const bytes = Buffer.concat(pieces)
  pieces = []
  void respond(received.job, received.body, bytes)
})
process.once('disconnect', () => process.exit())
