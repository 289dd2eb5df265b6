import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'

/** What a client saw until its connection ended. */
export interface ClientReport {
  /** The status of each answer. */
  readonly statuses: readonly number[]
  /** Requests that were sent before the server closed the connection or said that it does, and never answered. */
  readonly lost: number
}

/**
 * Waits until sockets have been read once more. A client that had no processor for a while finds an answer and, behind it, the end
 * of the connection: what it would send between the two was not sent to a server that listens.
 */
export async function whatHasCome(): Promise<void> {
  // The first turn may be the present one, in which sockets have been read already.
  for (let turn = 0; turn < 2; turn += 1) await nextTurn()
}

/** Asks the same on one connection again and again, until the server ends the connection. */
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
    // A reset is an end, too: what it costs is counted.
    socket.on('error', () => {})
    for (const event of ['end', 'close']) {
      socket.once(event, () => {
        this.#isEnded = true
        socket.emit('change')
      })
    }
    this.report = this.#run(request, pauseMs)
  }

  /** @param pauseMs how long to wait between an answer and the next request */
  static async open(url: string, request: string, pauseMs: () => number): Promise<KeepAliveClient> {
    const { hostname: host, port } = new URL(url)
    const socket = connect({ host, port: Number(port) })
    await once(socket, 'connect')
    return new KeepAliveClient(socket, request, pauseMs)
  }

  /** Waits until it has so many answers. */
  async reached(answers: number): Promise<void> {
    while (this.#statuses.length < answers && !this.#isEnded) await once(this.#socket, 'change')
  }

  async #run(request: string, pauseMs: () => number): Promise<ClientReport> {
    let lost = 0
    for (let isOver = false; !isOver; ) {
      this.#socket.write(request)
      const head = await this.#answer()
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

  /** The head of the next answer, once all of the answer has come; undefined when it does not come. */
  async #answer(): Promise<string | undefined> {
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
