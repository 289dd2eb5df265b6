import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { computeDigest, verifyDigest } from '../../content/assets/digest.ts'
import { ProcessName } from '../../content/assets/process-name.ts'

/** True if a text is the digest of a file, like the names in a {@link DigestFolder}. */
export const isDigest = (text: unknown): text is string => typeof text === 'string' && /^[0-9a-f]{64}$/.test(text)

/** A folder of files named by their digests, `ab/abcdef…`, so that equal bytes are stored once. */
export class DigestFolder {
  readonly #path: string
  readonly #process = new ProcessName()

  constructor(path: string) {
    this.#path = path
  }

  getPath(sha256: string): string {
    return join(this.#path, sha256.slice(0, 2), sha256)
  }

  async has(sha256: string): Promise<boolean> {
    return (await this.exists(sha256)) && (await computeDigest(this.read(sha256))) === sha256
  }

  async exists(sha256: string): Promise<boolean> {
    const status = await stat(this.getPath(sha256)).catch(() => undefined)
    return status?.isFile() === true
  }

  /** Removes partial files of interrupted writes. */
  async sweep(): Promise<void> {
    for (const entry of await readdir(this.#path, { withFileTypes: true }).catch(() => []))
      if (entry.isDirectory()) await removeParts(join(this.#path, entry.name), this.#process)
  }

  read(sha256: string): Readable {
    return createReadStream(this.getPath(sha256))
  }

  /**
   * Writes a file that only its owner can read. It is renamed when it is complete.
   *
   * @throws {DigestMismatch} if the bytes have another digest
   */
  async write(sha256: string, content: Readable): Promise<void> {
    const path = this.getPath(sha256)
    const part = join(dirname(path), makePartName(sha256, this.#process))
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    try {
      await pipeline(content, verifyDigest(sha256), createWriteStream(part, { flags: 'wx', mode: 0o600, flush: true }))
      await rename(part, path)
      await syncPath(dirname(path))
    } catch (error) {
      await rm(part, { force: true })
      throw error
    }
  }
}

/** The age at which a partial file of an unknown process is removed, in milliseconds. */
const MAX_PART_MS = 24 * 60 * 60 * 1000

/** Names a partial file after its process. The first word contains no dot. */
export const makePartName = (word: string, process: ProcessName): string => `${word}.${process.createName()}.part`

/** Removes partial files of ended processes from a folder. */
export async function removeParts(folder: string, process: ProcessName): Promise<void> {
  for (const name of await readdir(folder)) {
    const [, holder] = /^[^.]+\.(.+)\.part$/.exec(name) ?? []
    if (holder === undefined) continue
    const path = join(folder, name)
    const isAbandoned = process.isGone(holder) || (await stat(path)).mtimeMs < Date.now() - MAX_PART_MS
    if (isAbandoned) await rm(path, { force: true })
  }
}

/** Makes sure that a file, or the names in a folder, survive a power loss. */
export async function syncPath(path: string): Promise<void> {
  const handle = await open(path)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
