// Messages of PostgreSQL's protocol: https://www.postgresql.org/docs/18/protocol-message-formats.html

/** Types of messages from clients. The server completes each `QUERY` and `SYNC` with "ready for query". */
export const QUERY = 'Q'
export const SYNC = 'S'
export const TERMINATE = 'X'

/** The size of a type byte and a length, which includes itself. */
const HEAD_BYTES = 5

/**
 * Receives a message.
 *
 * @param first the first byte of its content; '' if it is empty
 */
type OnMessage = (type: string, first: string) => void

/** Finds the messages in a stream of bytes, without buffering their content. */
export class Messages {
  readonly #onMessage: OnMessage
  /** The start of a message whose length is incomplete. */
  #partial: Buffer = Buffer.alloc(0)
  /** The number of bytes that the current message still lacks. */
  #missing = 0

  constructor(onMessage: OnMessage) {
    this.#onMessage = onMessage
  }

  read(chunk: Buffer): void {
    this.passUntil(chunk, undefined)
  }

  /** Returns the bytes up to a message of this type, without a message whose length is incomplete. */
  passUntil(chunk: Buffer, last: string | undefined): { readonly passed: Buffer; readonly isEnd: boolean } {
    const all = this.#partial.length > 0 ? Buffer.concat([this.#partial, chunk]) : chunk
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
    this.#partial = all.subarray(at)
    return { passed: all.subarray(0, at), isEnd: false }
  }
}

/** Splits bytes that end with a complete message into messages. */
export function wholeMessages(all: Buffer): readonly Buffer[] {
  const messages: Buffer[] = []
  for (let at = 0; at < all.length; ) {
    const end = at + 1 + all.readInt32BE(at + 1)
    messages.push(all.subarray(at, end))
    at = end
  }
  return messages
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

/** Parses the parameters of a startup message. */
export function parameterText(start: Buffer): Readonly<Record<string, string>> {
  const words = start.toString('utf8', 8).split('\0')
  const pairs: [string, string][] = []
  for (let at = 0; words[at]; at += 2) pairs.push([words[at] as string, words[at + 1] ?? ''])
  return Object.fromEntries(pairs)
}
