import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import fc from 'fast-check'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { limitFrames } from '../../../src/assets/images/frame-limit.ts'
import { readImageSize } from '../../../src/assets/images/image-size.ts'
import { FORMATS, picture, plainPicture } from './pictures.ts'

const MAX_PIXELS = 100_000_000

describe('the size of a picture', () => {
  test.each([...FORMATS, 'gif', 'tiff'] as const)('is read from the start of a file of type %s', async (format) => {
    const file = await plainPicture(300, 200).toFormat(format).toBuffer()
    expect(readImageSize(file, `image/${format}`, MAX_PIXELS)).toEqual({ width: 300, height: 200 })
  })

  test('is that of the picture as shown', async () => {
    expect(readImageSize(await picture('jpeg', 300, 200), 'image/jpeg', MAX_PIXELS)).toEqual({
      width: 200,
      height: 300,
    })
  })

  test('of a rotated HEIF picture is that as shown, not that of its preview', () => {
    const file = heif(ispe(160, 120), ispe(4032, 3024), box('irot', Buffer.from([3])))
    expect(readImageSize(file, 'image/heic', MAX_PIXELS)).toEqual({ width: 3024, height: 4032 })
  })

  test.each(['image/svg+xml', 'application/pdf', 'text/html'])('is unknown in a file of type %s', (type) => {
    expect(readImageSize(Buffer.from('<svg width="10" height="10"/>'), type, MAX_PIXELS)).toBeUndefined()
  })

  test.each(['image/png', 'image/tiff', 'image/jpeg', 'image/avif'])(
    'is unknown in what is no picture, called %s',
    (type) => {
      expect(readImageSize(Buffer.from('II*\0\xff\xff\xff\xff'), type, MAX_PIXELS)).toBeUndefined()
    },
  )

  test.each([...FORMATS, 'gif', 'tiff'] as const)(
    'is a size or unknown in a damaged file of type %s',
    async (format) => {
      const whole = await plainPicture().toFormat(format).toBuffer()
      const change = fc.tuple(fc.nat(Math.min(400, whole.length - 1)), fc.integer({ min: 0, max: 255 }))
      const property = fc.property(fc.array(change), fc.nat(whole.length), (changes, end) => {
        const damaged = Buffer.from(whole)
        for (const [at, value] of changes) damaged[at] = value
        const size = readImageSize(damaged.subarray(0, end), `image/${format}`, Number.POSITIVE_INFINITY)
        expect(size === undefined || (size.width > 0 && size.height > 0)).toBe(true)
      })
      fc.assert(property, { numRuns: 800 })
    },
  )
})

test('a picture with too many pixels is rejected with the limit', () => {
  expect(() => readImageSize(pngHead(50_000, 50_000), 'image/png', MAX_PIXELS)).toThrow(
    expect.objectContaining({ code: 'VALIDATION_ERROR', message: expect.stringContaining('at most 100000000 pixels') }),
  )
})

describe('an animation', () => {
  const filtered = (bytes: Buffer, type: string, maxFrames: number, piece = 65_536): Promise<Buffer> => {
    const filter = limitFrames(type, maxFrames)
    const count = Math.ceil(bytes.length / piece)
    const pieces = Array.from({ length: count }, (_, index) => bytes.subarray(index * piece, (index + 1) * piece))
    return buffer(filter ? Readable.from(pieces).compose(filter) : Readable.from(pieces))
  }

  test('of a million frames is rejected', async () => {
    await expect(filtered(gif(1_000_000), 'image/gif', 10_000)).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      message: expect.stringContaining('at most 10000 frames'),
    })
  })

  test.each(['gif', 'webp'] as const)(
    'of type %s with the maximum number of frames passes unchanged',
    async (format) => {
      const file = await animation(format)
      expect((await filtered(file, `image/${format}`, 3, 7)).equals(file)).toBe(true)
      await expect(filtered(file, `image/${format}`, 2, 7)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' })
    },
  )

  test('of type apng with too many frames is rejected', async () => {
    const frame = Buffer.concat([Buffer.from('0000001a6663544c', 'hex'), Buffer.alloc(30)])
    const file = Buffer.concat([pngHead(10, 10), frame, frame, frame])
    await expect(filtered(file, 'image/apng', 2)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' })
    expect((await filtered(file, 'image/apng', 3)).equals(file)).toBe(true)
  })
})

/** Three different frames. */
async function animation(format: 'gif' | 'webp'): Promise<Buffer> {
  const frames = await Promise.all(
    [1, 2, 3].map((tint) =>
      plainPicture()
        .tint({ r: tint * 80, g: 9, b: 9 })
        .png()
        .toBuffer(),
    ),
  )
  return sharp(frames, { join: { animated: true } })
    .toFormat(format)
    .toBuffer()
}

function pngHead(width: number, height: number): Buffer {
  const head = Buffer.from('89504e470d0a1a0a0000000d49484452000000000000000008020000000000000000', 'hex').subarray(
    0,
    33,
  )
  head.writeUInt32BE(width, 16)
  head.writeUInt32BE(height, 20)
  return head
}

function gif(frames: number): Buffer {
  const frame = Buffer.from('2c0000000001000100000202440100', 'hex')
  return Buffer.concat([
    Buffer.from('GIF89a\x01\0\x01\0\0\0\0', 'latin1'),
    ...Array.from({ length: frames }, () => frame),
  ])
}

function box(type: string, ...content: readonly Buffer[]): Buffer {
  const body = Buffer.concat([Buffer.from(type), ...content])
  const length = Buffer.alloc(4)
  length.writeUInt32BE(body.length + 4)
  return Buffer.concat([length, body])
}

function ispe(width: number, height: number): Buffer {
  const content = Buffer.alloc(12)
  content.writeUInt32BE(width, 4)
  content.writeUInt32BE(height, 8)
  return box('ispe', content)
}

const heif = (...properties: readonly Buffer[]): Buffer =>
  Buffer.concat([
    box('ftyp', Buffer.from('heic\0\0\0\0')),
    box('meta', Buffer.alloc(4), box('iprp', box('ipco', ...properties))),
  ])
