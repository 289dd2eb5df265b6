import { randomUUID } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, open, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { digestOf, verifyDigest } from '../../content/assets/digest.ts'

/** Whether a text is the digest of a file, as the names of a {@link FileFolder} are. */
export const isDigest = (text: unknown): text is string => typeof text === 'string' && /^[0-9a-f]{64}$/.test(text)

/** A folder of files that are named by their digests, `ab/abcdef…`: the same bytes are there once. */
export class FileFolder {
  readonly #path: string

  constructor(path: string) {
    this.#path = path
  }

  /** The path of a file, for people as well. */
  pathOf(sha256: string): string {
    return join(this.#path, sha256.slice(0, 2), sha256)
  }

  /** Whether the file is there, with the bytes that its name says. */
  async has(sha256: string): Promise<boolean> {
    return (await this.exists(sha256)) && (await digestOf(this.read(sha256))) === sha256
  }

  /** Whether there is a file of that name. */
  async exists(sha256: string): Promise<boolean> {
    const found = await stat(this.pathOf(sha256)).catch(() => undefined)
    return found?.isFile() === true
  }

  read(sha256: string): Readable {
    return createReadStream(this.pathOf(sha256))
  }

  /**
   * Writes a file, which only its owner can read, and which has its name when it is whole.
   *
   * @throws {OtherBytes} when these are not its bytes
   */
  async write(sha256: string, content: Readable): Promise<void> {
    const path = this.pathOf(sha256)
    const part = `${path}.${randomUUID()}.part`
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    try {
      await pipeline(content, verifyDigest(sha256), createWriteStream(part, { flags: 'wx', mode: 0o600, flush: true }))
      await rename(part, path)
      await syncFolder(dirname(path))
    } catch (error) {
      await rm(part, { force: true })
      throw error
    }
  }
}

/** Makes sure that the name outlasts a loss of power. */
async function syncFolder(path: string): Promise<void> {
  const handle = await open(path)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
