import type { Transform } from 'node:stream'
import { validationErrorAt } from '../../errors.ts'
import { type Walk, WalkTransform } from './byte-walk.ts'

/** Walks that call a function for each frame. */
const WALKS: Readonly<Record<string, (onFrame: () => void) => Walk>> = {
  'image/gif': gifFrames,
  'image/webp': webpFrames,
  'image/png': pngFrames,
  'image/apng': pngFrames,
}

/**
 * Returns a stream that passes the bytes of a picture, and fails with VALIDATION_ERROR if it has more than `maxFrames`.
 *
 * @param type the media type of the bytes
 * @returns `undefined` for a type without frames
 */
export function limitFrames(type: string, maxFrames: number): Transform | undefined {
  let frames = 0
  const walk = WALKS[type]?.(() => {
    frames += 1
    if (frames > maxFrames) {
      const message = `The file has too many frames. Send an animation of at most ${maxFrames} frames.`
      throw validationErrorAt('file', 'max_frames', message, { limit: maxFrames })
    }
  })
  return walk && new WalkTransform(walk)
}

const GIF = { headBytes: 13, extension: 0x21, image: 0x2c } as const

/** Returns the size of a GIF colour table in bytes, by the flags before it (GIF89a, sections 18 and 20). */
const countTableBytes = (flags: number): number => (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0)

function* gifFrames(onFrame: () => void): Walk {
  const head = yield { hold: GIF.headBytes }
  yield { pass: countTableBytes(head[10] ?? 0) }
  for (;;) {
    const block = (yield { hold: 1 })[0]
    if (block === GIF.extension) yield { pass: 1 }
    else if (block === GIF.image) {
      onFrame()
      const descriptor = yield { hold: 9 }
      yield { pass: countTableBytes(descriptor[8] ?? 0) + 1 }
    } else return
    yield* skipGifSubBlocks()
  }
}

function* skipGifSubBlocks(): Walk {
  for (;;) {
    const length = (yield { hold: 1 })[0] ?? 0
    if (length === 0) return
    yield { pass: length }
  }
}

function* webpFrames(onFrame: () => void): Walk {
  yield { pass: 12 }
  for (;;) {
    const head = yield { hold: 8 }
    if (head.length < 8) return
    if (head.toString('latin1', 0, 4) === 'ANMF') onFrame()
    const length = head.readUInt32LE(4)
    yield { pass: length + (length % 2) }
  }
}

function* pngFrames(onFrame: () => void): Walk {
  yield { pass: 8 }
  for (;;) {
    const head = yield { hold: 8 }
    if (head.length < 8) return
    if (head.toString('latin1', 4) === 'fcTL') onFrame()
    yield { pass: head.readUInt32BE() + 4 }
  }
}
