// Messages of PostgreSQL's protocol: https://www.postgresql.org/docs/18/protocol-message-formats.html

/** Types of messages that a client sends: each of the first two is answered by one that says that the server is ready. */
export const QUERY = 'Q'
export const SYNC = 'S'
export const TERMINATE = 'X'

/** A type of one byte, and a length that counts itself. */
const HEAD_BYTES = 5

/**
 * Told of a message.
 *
 * @param first the first byte of what it says, '' where it says nothing
 */
type OnMessage = (type: string, first: string) => void

/** Finds where messages begin in a stream of bytes, and keeps nothing of what they say. */
export class Messages {
  readonly #onMessage: OnMessage
  /** The beginning of a message whose length has not come. */
  #begun: Buffer = Buffer.alloc(0)
  /** Bytes of the present message that are still to come. */
  #missing = 0

  constructor(onMessage: OnMessage) {
    this.#onMessage = onMessage
  }

  /** Reads on. */
  read(chunk: Buffer): void {
    this.passUntil(chunk, undefined)
  }

  /** What has come up to a message of this type, but for the beginning of one whose length has not come. */
  passUntil(chunk: Buffer, last: string | undefined): { readonly passed: Buffer; readonly isEnd: boolean } {
    const all = this.#begun.length > 0 ? Buffer.concat([this.#begun, chunk]) : chunk
    let at = Math.min(this.#missing, all.length)
    this.#missing -= at
    while (at + HEAD_BYTES <= all.length) {
      const end = at + 1 + all.readInt32BE(at + 1)
      const isEmpty = end === at + HEAD_BYTES
      if (!isEmpty && at + HEAD_BYTES === all.length) break
      const type = String.fromCharCode(all[at] as number)
      if (type === last) return { passed: all.subarray(0, at), isEnd: true }
      this.#onMessage(type, isEmpty ? '' : String.fromCharCode(all[at + HEAD_BYTES] as number))
      this.#missing = Math.max(0, end - all.length)
      at = Math.min(end, all.length)
    }
    this.#begun = all.subarray(at)
    return { passed: all.subarray(0, at), isEnd: false }
  }
}

/** The messages in bytes that end with one. */
export function wholeMessages(all: Buffer): readonly Buffer[] {
  const found: Buffer[] = []
  for (let at = 0; at < all.length; ) {
    const end = at + 1 + all.readInt32BE(at + 1)
    found.push(all.subarray(at, end))
    at = end
  }
  return found
}

const texts = (...parts: readonly string[]): Buffer => Buffer.from(parts.map((part) => `${part}\0`).join(''))

function message(type: string, content: Buffer): Buffer {
  const head = Buffer.alloc(HEAD_BYTES)
  head.write(type)
  head.writeInt32BE(content.length + 4, 1)
  return Buffer.concat([head, content])
}

export const queryMessage = (sql: string): Buffer => message(QUERY, texts(sql))

/** @param code an SQLSTATE */
export const errorMessage = (code: string, text: string): Buffer =>
  message('E', texts('SFATAL', 'VFATAL', `C${code}`, `M${text}`, ''))

/** What a client says of the session that it wants, by name. */
export function parameterText(start: Buffer): Readonly<Record<string, string>> {
  const words = start.toString('utf8', 8).split('\0')
  const pairs: [string, string][] = []
  for (let at = 0; words[at]; at += 2) pairs.push([words[at] as string, words[at + 1] ?? ''])
  return Object.fromEntries(pairs)
}
