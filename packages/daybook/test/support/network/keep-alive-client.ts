import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'

export interface ClientReport {
  readonly statuses: readonly number[]
  /** The number of requests that were sent before the server announced the end of the connection, and got no response. */
  readonly lost: number
}

/**
 * Waits until sockets have been read again. A client without processor time for a while finds a response together with the end of the
 * connection, and would send its next request to a closed connection.
 */
export async function whatHasCome(): Promise<void> {
  // The first turn may be the current one, in which sockets have been read already.
  for (let turn = 0; turn < 2; turn += 1) await nextTurn()
}

/** Repeats a request on one connection until the server closes it. */
export class KeepAliveClient {
  readonly report: Promise<ClientReport>
  readonly #socket: Socket
  readonly #statuses: number[] = []
  #received = Buffer.alloc(0)
  #isEnded = false

  private constructor(socket: Socket, request: string, pauseMs: () => number) {
    this.#socket = socket
    socket.on('data', (chunk: Buffer) => {
      this.#received = Buffer.concat([this.#received, chunk])
      socket.emit('change')
    })
    // A reset ends the connection, too. Lost requests are counted.
    socket.on('error', () => {})
    for (const event of ['end', 'close']) {
      socket.once(event, () => {
        this.#isEnded = true
        socket.emit('change')
      })
    }
    this.report = this.#run(request, pauseMs)
  }

  /** @param pauseMs the pause between a response and the next request, in milliseconds */
  static async open(url: string, request: string, pauseMs: () => number): Promise<KeepAliveClient> {
    const { hostname: host, port } = new URL(url)
    const socket = connect({ host, port: Number(port) })
    await once(socket, 'connect')
    return new KeepAliveClient(socket, request, pauseMs)
  }

  async reached(count: number): Promise<void> {
    while (this.#statuses.length < count && !this.#isEnded) await once(this.#socket, 'change')
  }

  async #run(request: string, pauseMs: () => number): Promise<ClientReport> {
    let lost = 0
    for (let isOver = false; !isOver; ) {
      this.#socket.write(request)
      const head = await this.#readHead()
      if (head === undefined) lost += 1
      else this.#statuses.push(Number(head.split(' ')[1]))
      const pause = pauseMs()
      if (pause > 0) await sleep(pause)
      await whatHasCome()
      isOver = this.#isEnded || head === undefined || /^connection: close\r?$/im.test(head)
    }
    this.#socket.end()
    return { statuses: this.#statuses, lost }
  }

  /** Reads the next response, and returns its head; `undefined` if there is none. */
  async #readHead(): Promise<string | undefined> {
    for (;;) {
      const end = this.#received.indexOf('\r\n\r\n')
      const head = this.#received.subarray(0, Math.max(end, 0)).toString()
      const size = end + 4 + Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? 0)
      if (end >= 0 && this.#received.length >= size) {
        this.#received = this.#received.subarray(size)
        return head
      }
      if (this.#isEnded) return undefined
      await once(this.#socket, 'change')
    }
  }
}
