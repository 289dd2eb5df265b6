import { mkdtemp, readdir, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import sharp from 'sharp'
import { afterAll, describe, expect, test } from 'vitest'
import {
  type ImageProcessor,
  type ImageProcessorOptions,
  openImageProcessor,
} from '../../../src/assets/images/processor/image-processor.ts'
import type { ImageTransformation } from '../../../src/assets/images/processor/job.ts'
import { eventually } from '../../support/timeouts.ts'
import { FORMATS, picture, plainPicture } from './pictures.ts'

const PATIENT = { timeMs: 120_000 }

function open(options: ImageProcessorOptions = {}): ImageProcessor {
  const processor = openImageProcessor({ ...PATIENT, ...options })
  if (!processor) throw new Error('sharp is not installed.')
  return processor
}

const processor = open()
afterAll(() => processor.close())

const content = (bytes: Buffer) => async (): Promise<Readable> => Readable.from([bytes])

const PLAIN: ImageTransformation = { fit: 'inside', format: 'png', quality: 75 }

/** Four coloured quarters: red and green above, blue and white below. */
function quarters(width: number, height: number): Promise<Buffer> {
  const half = { width: width / 2, height: height / 2, channels: 3 as const }
  const field = (background: string, left: number, top: number) => ({
    input: { create: { ...half, background } },
    left,
    top,
  })
  const canvas = sharp({ create: { width, height, channels: 3, background: '#fff' } })
  const fields = [field('#f00', 0, 0), field('#0f0', width / 2, 0), field('#00f', 0, height / 2)]
  return canvas.composite(fields).png().toBuffer()
}

async function colourAt(bytes: Uint8Array, left: number, top: number): Promise<readonly number[]> {
  const area = { left, top, width: 1, height: 1 }
  return [...(await sharp(bytes).extract(area).removeAlpha().raw().toBuffer())]
}

describe('a picture is created', () => {
  test.each(FORMATS)('in the format %s, upright and without metadata', async (format) => {
    const result = await processor.transform(content(await picture('jpeg', 64, 40)), { ...PLAIN, format })
    const { exif, xmp, orientation, width, height } = await sharp(result.bytes).metadata()
    expect({ exif, xmp, orientation, width, height }).toEqual({ width: 40, height: 64 })
    expect([result.width, result.height]).toEqual([40, 64])
  })

  test.each([
    [{ width: 100 }, [100, 50]],
    [{ height: 50 }, [100, 50]],
    [{ width: 100, height: 10 }, [20, 10]],
    [{ width: 100, height: 100, fit: 'cover' }, [100, 100]],
    [{ width: 100, height: 100, fit: 'contain' }, [100, 100]],
    [{ width: 1000 }, [400, 200]],
    [{ width: 1000, height: 1000, fit: 'cover' }, [200, 200]],
    [{ width: 1000, height: 1000, fit: 'contain' }, [400, 400]],
    [{}, [400, 200]],
  ] as const)('of 400 x 200 pixels with %j in the size %j, never larger', async (wanted, size) => {
    const result = await processor.transform(content(await quarters(400, 200)), { ...PLAIN, ...wanted })
    expect([result.width, result.height]).toEqual(size)
  })

  test.each([
    ['left', { x: 0, y: 0.5 }, [255, 0, 0]],
    ['right', { x: 1, y: 0.5 }, [0, 255, 0]],
  ] as const)('and cut so that its focal point on the %s stays in sight', async (_side, focal, colour) => {
    const wanted = { ...PLAIN, width: 100, height: 200, fit: 'cover', focal } as const
    const result = await processor.transform(content(await quarters(400, 200)), wanted)
    expect(await colourAt(result.bytes, 5, 10)).toEqual(colour)
    expect(await colourAt(result.bytes, 94, 10)).toEqual(colour)
  })

  test('as JPEG with white bars, with fit: contain', async () => {
    const wanted = { ...PLAIN, width: 100, height: 100, fit: 'contain', format: 'jpeg' } as const
    const result = await processor.transform(content(await quarters(400, 200)), wanted)
    expect(await colourAt(result.bytes, 50, 2)).toEqual([255, 255, 255])
  })

  test('from the first frame of an animation', async () => {
    const frames = await Promise.all(['#f00', '#0f0'].map((background) => field(background)))
    const gif = await sharp(frames, { join: { animated: true } })
      .gif()
      .toBuffer()
    const result = await processor.transform(content(gif), PLAIN)
    expect((await sharp(result.bytes).metadata()).pages).toBeUndefined()
    expect(await colourAt(result.bytes, 3, 3)).toEqual([255, 0, 0])
  })
})

const field = (background: string): Promise<Buffer> =>
  sharp({ create: { width: 20, height: 20, channels: 3, background } })
    .png()
    .toBuffer()

describe('a description', () => {
  test.each(FORMATS)('of a picture of type %s has its size as shown, and a placeholder', async (format) => {
    const file = await plainPicture(300, 200).toFormat(format).toBuffer()
    const described = await processor.describe(content(file))
    expect(described).toMatchObject({ width: 300, height: 200 })
    const { placeholder = '' } = described ?? {}
    expect(placeholder.length).toBeLessThanOrEqual(700)
    const shown = await sharp(Buffer.from(placeholder.replace('data:image/webp;base64,', ''), 'base64')).metadata()
    expect(Math.max(shown.width, shown.height)).toBeLessThanOrEqual(32)
  })

  test('of noise has a smaller placeholder', async () => {
    const noise = sharp({
      create: {
        width: 64,
        height: 64,
        channels: 4,
        background: '#fff',
        noise: { type: 'gaussian', mean: 128, sigma: 90 },
      },
    })
    const described = await processor.describe(content(await noise.png().toBuffer()))
    expect(described?.placeholder.length).toBeLessThanOrEqual(700)
  })
})

const SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/></svg>'

describe('no picture is created', () => {
  test.each([
    ['SVG', () => Promise.resolve(Buffer.from(SVG))],
    ['a text', () => Promise.resolve(Buffer.from('II*\0 no picture'))],
    [
      'a malformed TIFF',
      () => Promise.resolve(Buffer.concat([Buffer.from('49492a0008000000ffff', 'hex'), Buffer.alloc(900, 7)])),
    ],
    ['half a picture', async () => (await plainPicture(200, 200).png().toBuffer()).subarray(0, 1000)],
    ['an empty file', () => Promise.resolve(Buffer.alloc(0))],
  ] as const)('of %s', async (_name, file) => {
    const bytes = await file()
    await expect(processor.transform(content(bytes), PLAIN)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' })
    expect(await processor.describe(content(bytes))).toBeUndefined()
  })

  test('of a picture with too many pixels', async () => {
    const strict = open({ maxPixels: 99 })
    try {
      const file = await plainPicture(10, 10).png().toBuffer()
      await expect(strict.transform(content(file), PLAIN)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' })
    } finally {
      strict.close()
    }
  })

  test('of a picture that takes too long; the next one succeeds', async () => {
    const hasty = open({ timeMs: 1 })
    try {
      await expect(hasty.transform(content(await picture('jpeg')), PLAIN)).rejects.toMatchObject({
        code: 'VALIDATION_ERROR',
      })
    } finally {
      hasty.close()
    }
    expect(await processor.describe(content(await picture('jpeg')))).toBeDefined()
  })

  test('while too many pictures wait', async () => {
    const narrow = open({ atOnce: 1, maxWaiting: 1 })
    try {
      const file = await picture('jpeg')
      const runs = Array.from({ length: 4 }, () => narrow.transform(content(file), PLAIN))
      const settled = await Promise.allSettled(runs)
      expect(settled.map(({ status }) => status)).toContain('rejected')
      expect(settled.find(({ status }) => status === 'rejected')).toMatchObject({
        reason: { code: 'SERVICE_UNAVAILABLE' },
      })
      expect(settled[0]?.status).toBe('fulfilled')
    } finally {
      narrow.close()
    }
  })

  test('without sharp', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'daybook-images-'))
    expect(openImageProcessor({ resolveFrom: join(folder, 'none.js') })).toBeUndefined()
  })
})

test('a stream that fails affects its own picture only', async () => {
  const broken = async (): Promise<Readable> => Readable.from(failing())
  async function* failing(): AsyncGenerator<Buffer> {
    yield (await picture('jpeg')).subarray(0, 500)
    throw new Error('the store is away')
  }
  await expect(processor.transform(broken, PLAIN)).rejects.toThrow('the store is away')
  expect(await processor.describe(content(await picture('jpeg')))).toBeDefined()
})

async function children(): Promise<readonly number[]> {
  const all = await readdir('/proc').then((names) => names.filter((name) => /^\d+$/.test(name)))
  const parents = await Promise.all(all.map(async (pid) => [pid, await parentOf(pid)] as const))
  return parents.filter(([, parent]) => parent === process.pid).map(([pid]) => Number(pid))
}

async function parentOf(pid: string): Promise<number | undefined> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  return Number(/^PPid:\s+(\d+)/m.exec(status)?.[1])
}

// Only Linux shows the parent of a process (/proc).
describe.runIf(process.platform === 'linux')('a process', () => {
  test('that dies while working fails its own picture only', async () => {
    const before = await children()
    const fragile = open()
    try {
      const stalled = new Readable({ read() {} })
      const lost = fragile.transform(async () => stalled, PLAIN)
      const victim = await eventually(async () => {
        const [pid] = (await children()).filter((child) => !before.includes(child))
        expect(pid).toBeDefined()
        return pid ?? 0
      })
      process.kill(victim, 'SIGSEGV')
      await expect(lost).rejects.toMatchObject({ code: 'VALIDATION_ERROR' })
      expect(await fragile.describe(content(await picture('jpeg')))).toBeDefined()
    } finally {
      fragile.close()
    }
  })

  test('ends when it has been idle, and when the processor closes', async () => {
    const before = await children()
    const brief = open({ idleMs: 1 })
    await brief.describe(content(await picture('jpeg')))
    await eventually(async () => expect((await children()).filter((child) => !before.includes(child))).toEqual([]))
    const pending = open()
    await pending.describe(content(await picture('jpeg')))
    pending.close()
    await eventually(async () => expect((await children()).filter((child) => !before.includes(child))).toEqual([]))
  })
})
