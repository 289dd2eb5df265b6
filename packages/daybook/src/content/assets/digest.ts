import { createHash } from 'node:crypto'
import { type Readable, Transform, type TransformCallback } from 'node:stream'
import { pipeline } from 'node:stream/promises'

/** Computes the SHA-256 digest of a stream, in hex. */
export async function computeDigest(content: Readable): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(content, hash)
  return hash.digest('hex')
}

export class DigestMismatch extends Error {
  override readonly name = 'DigestMismatch'
}

/** Creates a stream that passes bytes through, and fails with {@link DigestMismatch} at the end if their digest differs. */
export function verifyDigest(sha256: string): Transform {
  const hash = createHash('sha256')
  return new Transform({
    transform(chunk: Buffer, _encoding: string, done: TransformCallback): void {
      hash.update(chunk)
      done(null, chunk)
    },
    flush(done: TransformCallback): void {
      done(
        hash.digest('hex') === sha256 ? null : new DigestMismatch('The digest of the bytes is not the expected one.'),
      )
    },
  })
}
