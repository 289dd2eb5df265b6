import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { digestOf, verifyDigest } from '../../content/assets/digest.ts'
import { ProcessName } from '../../content/assets/process-name.ts'

/** Whether a text is the digest of a file, as the names of a {@link FileFolder} are. */
export const isDigest = (text: unknown): text is string => typeof text === 'string' && /^[0-9a-f]{64}$/.test(text)

/** A folder of files that are named by their digests, `ab/abcdef…`: the same bytes are there once. */
export class FileFolder {
  readonly #path: string
  readonly #process = new ProcessName()

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

  /** Removes what writes that broke off have left. */
  async sweep(): Promise<void> {
    for (const entry of await readdir(this.#path, { withFileTypes: true }).catch(() => []))
      if (entry.isDirectory()) await removeParts(join(this.#path, entry.name), this.#process)
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
    const part = join(dirname(path), partName(sha256, this.#process))
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

/** The age at which a part whose process is unknown is removed, in milliseconds. */
const MAX_PART_MS = 24 * 60 * 60 * 1000

/** Names a file that is not whole yet, after its process. The first word contains no dot. */
export const partName = (word: string, process: ProcessName): string => `${word}.${process.newName()}.part`

/** Removes the parts that ended processes have left in a folder. */
export async function removeParts(folder: string, process: ProcessName): Promise<void> {
  for (const name of await readdir(folder)) {
    const [, holder] = /^[^.]+\.(.+)\.part$/.exec(name) ?? []
    if (holder === undefined) continue
    const path = join(folder, name)
    const isLeft = process.isGone(holder) || (await stat(path)).mtimeMs < Date.now() - MAX_PART_MS
    if (isLeft) await rm(path, { force: true })
  }
}

/** Makes sure that a file, or the names in a folder, outlast a loss of power. */
export async function syncPath(path: string): Promise<void> {
  const handle = await open(path)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
