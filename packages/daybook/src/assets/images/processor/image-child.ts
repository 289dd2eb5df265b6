// A process of its own: a picture that makes a decoder crash, hang or take too much memory ends this process, not the service.
import { pathToFileURL } from 'node:url'
import type SharpModule from 'sharp'
import { isMessage, message } from '../../../threads/message.ts'
import type { ImageFailure, ImageJob, ImageResults } from './job.ts'
import { describeImage, transformImage } from './transform.ts'

/** The decoders that may run. SVG and PDF are not among them: they read other files. */
const DECODERS = ['Jpeg', 'Png', 'Webp', 'Heif', 'Nsgif', 'Tiff'] as const

type Sharp = typeof SharpModule

/** Loads `sharp` from the module that the first argument names. */
async function loadSharp(): Promise<Sharp> {
  const [, , file = ''] = process.argv
  const { default: sharp } = (await import(pathToFileURL(file).href)) as { readonly default: Sharp }
  sharp.cache(false)
  sharp.concurrency(1)
  sharp.block({ operation: ['VipsForeignLoad'] })
  sharp.unblock({ operation: DECODERS.map((name) => `VipsForeignLoad${name}`) })
  return sharp
}

function work(sharp: Sharp, job: ImageJob, bytes: Buffer): Promise<ImageResults[ImageJob['kind']]> {
  const open = (): ReturnType<Sharp> =>
    sharp(bytes, { limitInputPixels: job.maxPixels, failOn: 'error' }).timeout({ seconds: job.seconds })
  return job.kind === 'describe' ? describeImage(open) : transformImage(open, job.transformation)
}

async function answer(number: number, job: ImageJob, bytes: Buffer): Promise<void> {
  const fail = (failure: ImageFailure, error: unknown): void => {
    process.send?.(message('failure', number, { failure, reason: String(error) }))
  }
  const sharp = await loaded.catch((error: unknown) => fail('unavailable', error))
  if (!sharp) return
  await work(sharp, job, bytes).then(
    (result) => process.send?.(message('result', number, result)),
    (error: unknown) => fail('unreadable', error),
  )
}

const loaded = loadSharp()
// The failure is the answer to the first job.
loaded.catch(() => {})

/** The bytes of the picture that is coming in. */
let pieces: Uint8Array[] = []

process.on('message', (received: unknown) => {
  if (isMessage<'piece', Uint8Array>(received, 'piece')) pieces.push(received.body)
  if (!isMessage<'image', ImageJob>(received, 'image')) return
  const bytes = Buffer.concat(pieces)
  pieces = []
  void answer(received.job, received.body, bytes)
})
process.once('disconnect', () => process.exit())
