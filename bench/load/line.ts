import { connect, type Socket } from 'node:net'

/** An answer of 200, or another, with its bytes. */
export interface LineAnswer {
  readonly status: number
  readonly body: Buffer
}

/** One connection on a bare socket, one request at a time: millions of questions take minutes with it, not an hour. */
export class Line implements Disposable {
  readonly #socket: Socket
  #pieces: Buffer[] = []
  /** Bytes of the answer that are still to come; undefined before its head. */
  #missing: number | undefined
  #status = 0
  #waiting: PromiseWithResolvers<LineAnswer> | undefined

  constructor(url: string) {
    const { hostname, port } = new URL(url)
    this.#socket = connect({ host: hostname, port: Number(port), noDelay: true })
    this.#socket.on('data', (chunk: Buffer) => this.#read(chunk))
    this.#socket.on('error', (cause) => this.#waiting?.reject(cause))
    this.#socket.on('close', () => this.#waiting?.reject(new Error('The server closed a connection.')))
  }

  /** Asks for an address, which has to be one that needs no escaping. */
  ask(path: string): Promise<LineAnswer> {
    this.#waiting = Promise.withResolvers()
    this.#socket.write(`GET ${path} HTTP/1.1\r\nHost: bench\r\n\r\n`)
    return this.#waiting.promise
  }

  [Symbol.dispose](): void {
    this.#socket.destroy()
  }

  /** Heads come in one piece, and say how long the body is. */
  #read(chunk: Buffer): void {
    let piece = chunk
    if (this.#missing === undefined) {
      const end = chunk.indexOf('\r\n\r\n')
      const head = chunk.toString('latin1', 0, end)
      this.#status = Number(head.slice(9, 12))
      this.#missing = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0)
      piece = chunk.subarray(end + 4)
    }
    this.#pieces.push(piece)
    this.#missing -= piece.length
    if (this.#missing > 0) return
    const answer = { status: this.#status, body: Buffer.concat(this.#pieces) }
    this.#pieces = []
    this.#missing = undefined
    this.#waiting?.resolve(answer)
  }
}
