import { createHash } from 'node:crypto'
import { type Readable, Transform, type TransformCallback } from 'node:stream'
import { pipeline } from 'node:stream/promises'

/** The digest of all bytes of a stream, in hex. */
export async function computeDigest(content: Readable): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(content, hash)
  return hash.digest('hex')
}

/** Bytes that are not those that were expected. */
export class DigestMismatch extends Error {
  override readonly name = 'OtherBytes'
}

/** Passes bytes on, and fails with {@link DigestMismatch} at their end when their digest is another one. */
export function verifyDigest(sha256: string): Transform {
  const hash = createHash('sha256')
  return new Transform({
    transform(chunk: Buffer, _encoding: string, done: TransformCallback): void {
      hash.update(chunk)
      done(null, chunk)
    },
    flush(done: TransformCallback): void {
      done(hash.digest('hex') === sha256 ? null : new DigestMismatch('Their digest is another one.'))
    },
  })
}
