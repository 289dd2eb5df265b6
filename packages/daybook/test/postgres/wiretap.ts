import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server } from 'node:net'

/** A message of a client: the startup message, a simple query, or a statement to prepare. */
export interface Said {
  readonly kind: 'start' | 'query' | 'parse'
  /** For `start`, alternating names and values of settings. */
  readonly texts: readonly string[]
}

/** A proxy to a PostgreSQL on 127.0.0.1 that records the messages of clients (PostgreSQL's manual, "Message Formats"). */
export class Wiretap implements Disposable {
  readonly said: Said[] = []
  readonly #server: Server

  private constructor(target: number) {
    this.#server = createServer((client) => {
      const server = connect(target, '127.0.0.1')
      const listener = new Listener(this.said)
      client.on('data', (chunk) => listener.hear(chunk))
      client.pipe(server).pipe(client)
      for (const [socket, peer] of [
        [client, server],
        [server, client],
      ] as const)
        socket.on('error', () => {}).on('close', () => peer.destroy())
    })
  }

  static async on(target: number): Promise<Wiretap> {
    const tap = new Wiretap(target)
    tap.#server.listen(0, '127.0.0.1')
    await once(tap.#server, 'listening')
    return tap
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  /** The SQL of all queries and statements. */
  get sql(): readonly string[] {
    return this.said.flatMap(({ kind, texts }) => (kind === 'start' ? [] : texts.slice(-1)))
  }

  [Symbol.dispose](): void {
    this.#server.close()
  }
}

/** Splits the messages of one client. */
class Listener {
  readonly #said: Said[]
  #rest: Buffer = Buffer.alloc(0)
  #isStarted = false

  constructor(said: Said[]) {
    this.#said = said
  }

  hear(chunk: Buffer): void {
    this.#rest = Buffer.concat([this.#rest, chunk])
    for (;;) {
      // Every message but the first has a type byte before its length.
      const at = this.#isStarted ? 1 : 0
      if (this.#rest.length < at + 4) return
      const end = at + this.#rest.readUInt32BE(at)
      if (this.#rest.length < end) return
      this.#note(this.#isStarted ? String.fromCharCode(Number(this.#rest[0])) : '', this.#rest.subarray(at + 4, end))
      this.#isStarted = true
      this.#rest = this.#rest.subarray(end)
    }
  }

  #note(type: string, content: Buffer): void {
    // The startup message begins with the version of the protocol.
    const texts = content.toString('latin1', type === '' ? 4 : 0).split('\0')
    if (type === '') this.#said.push({ kind: 'start', texts })
    if (type === 'Q') this.#said.push({ kind: 'query', texts: texts.slice(0, 1) })
    if (type === 'P') this.#said.push({ kind: 'parse', texts: texts.slice(0, 2) })
  }
}
