/** A box of an ISO base media file (ISO/IEC 14496-12, section 4.2). */
export interface Box {
  readonly type: string
  /** The bytes after its header. */
  readonly content: Buffer
}

interface BoxHead {
  readonly type: string
  /** The length of the whole box in bytes; `Infinity` if it extends to the end of the file. */
  readonly length: number
  readonly headBytes: number
}

const SHORT_HEAD = 8
const LONG_HEAD = 16

/** Reads the head of a box from the first 16 bytes of a buffer. Returns `undefined` if it is no valid head. */
export function readBoxHead(bytes: Buffer): BoxHead | undefined {
  if (bytes.length < SHORT_HEAD) return undefined
  const type = bytes.toString('latin1', 4, 8)
  const short = bytes.readUInt32BE()
  if (short === 0) return { type, length: Number.POSITIVE_INFINITY, headBytes: SHORT_HEAD }
  const isLong = short === 1
  if (isLong && bytes.length < LONG_HEAD) return undefined
  const headBytes = isLong ? LONG_HEAD : SHORT_HEAD
  const length = isLong ? Number(bytes.readBigUInt64BE(8)) : short
  return length < headBytes ? undefined : { type, length, headBytes }
}

/** Reads the boxes in a buffer, as far as they are complete. */
export function* readBoxes(bytes: Buffer): Generator<Box> {
  let rest = bytes
  for (let head = readBoxHead(rest); head; head = readBoxHead(rest)) {
    const end = Math.min(head.length, rest.length)
    if (head.length > rest.length && head.length !== Number.POSITIVE_INFINITY) return
    yield { type: head.type, content: rest.subarray(head.headBytes, end) }
    rest = rest.subarray(end)
  }
}

export function findBox(bytes: Buffer, type: string): Buffer | undefined {
  for (const box of readBoxes(bytes)) if (box.type === type) return box.content
  return undefined
}
