import { isUtf8 } from 'node:buffer'
import { createHash } from 'node:crypto'
import { type FileHandle, open } from 'node:fs/promises'
import type { ExportCounts } from '../../content/transfer/index.ts'
import { formatCount } from '../output.ts'

/** The number of bytes that are read at a time. */
const CHUNK_BYTES = 1024 * 1024
/** The longest line, in bytes: half of the longest string of V8. */
const MAX_LINE_BYTES = 256 * 1024 * 1024
const LINE_FEED = 10

export interface FileLine {
  /** The first one is 1. */
  readonly number: number
  readonly text: string
}

/** A file that cannot be read as lines of text. */
export class FileFault extends Error {
  override readonly name = 'FileFault'
}

/** A file of lines, of any length. */
export class ExportFile {
  readonly path: string

  constructor(path: string) {
    this.path = path
  }

  /** Returns the first line; an empty text if the file has none. */
  async first(): Promise<string> {
    for await (const { text } of this.lines()) return text
    return ''
  }

  /** Returns the last line, if it is no longer than a megabyte; `undefined` without a line feed at its end. */
  async last(): Promise<string | undefined> {
    const handle = await open(this.path)
    try {
      const { size } = await handle.stat()
      const length = Math.min(size, CHUNK_BYTES)
      const { buffer } = await handle.read(Buffer.alloc(length), 0, length, size - length)
      if (buffer.at(-1) !== LINE_FEED) return undefined
      return buffer.toString('utf8', buffer.subarray(0, -1).lastIndexOf(LINE_FEED) + 1, length - 1)
    } finally {
      await handle.close()
    }
  }

  /**
   * Reads every line, in order.
   *
   * @param onBytes called with all bytes as they are read
   * @throws {FileFault} if a line is no text, or too long
   */
  async *lines(onBytes?: (bytes: Uint8Array) => void): AsyncGenerator<FileLine, void> {
    const handle = await open(this.path)
    try {
      let number = 0
      let rest: Buffer[] = []
      let restBytes = 0
      for (let chunk = await readChunk(handle); chunk.length > 0; chunk = await readChunk(handle)) {
        onBytes?.(chunk)
        let from = 0
        for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, from)) {
          const part = chunk.subarray(from, end)
          number += 1
          yield { number, text: decodeLine(rest.length > 0 ? Buffer.concat([...rest, part]) : part, number) }
          rest = []
          restBytes = 0
          from = end + 1
        }
        if (from < chunk.length) rest.push(chunk.subarray(from))
        restBytes += chunk.length - from
        if (restBytes > MAX_LINE_BYTES)
          throw new FileFault(`Line ${number + 1} is longer than ${MAX_LINE_BYTES} bytes.`)
      }
      if (rest.length > 0) yield { number: number + 1, text: decodeLine(Buffer.concat(rest), number + 1) }
    } finally {
      await handle.close()
    }
  }
}

/** Reads the next bytes into a new buffer, which is empty at the end of the file. */
async function readChunk(handle: FileHandle): Promise<Buffer> {
  const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(CHUNK_BYTES), 0, CHUNK_BYTES)
  return buffer.subarray(0, bytesRead)
}

function decodeLine(bytes: Buffer, number: number): string {
  if (!isUtf8(bytes)) throw new FileFault(`Line ${number} is not UTF-8 text.`)
  return bytes.toString('utf8')
}

/** A digest that is computed while a file is read. */
export class FileDigest {
  readonly #hash = createHash('sha256')

  add(bytes: Uint8Array): void {
    this.#hash.update(bytes)
  }

  /** Returns the digest in base64url. */
  end(): string {
    return this.#hash.digest('base64url')
  }
}

/** Describes the amount of content in an export. */
export function describeCounts({ collections, globals, deleted }: ExportCounts): string {
  const entries = Object.values(collections).reduce((sum, count) => sum + count, 0)
  const parts = [formatCount(entries, 'entry', 'entries'), formatCount(globals, 'global')]
  if (deleted !== undefined) parts.push(formatCount(deleted, 'deletion'))
  return parts.join(', ')
}
