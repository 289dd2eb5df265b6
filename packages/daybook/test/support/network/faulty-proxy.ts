import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import { type Fate, type Faults, FaultyLink } from './faulty-link.ts'
import { freePort } from './free-port.ts'

/** A local network between a service and a server, with faults on demand. */
export class FaultyProxy implements AsyncDisposable {
  /** The port for clients on 127.0.0.1, the same for the life of the proxy. */
  readonly port: number
  readonly #target: number
  readonly #links = new Set<FaultyLink>()
  readonly #faults: Faults = { delayMs: 0, passing: Promise.resolve(), trap: undefined }
  #server: Server | undefined
  #letPass: (() => void) | undefined

  private constructor(port: number, target: number) {
    this.port = port
    this.#target = target
  }

  /** A proxy without faults. @param target the port of the server on 127.0.0.1 */
  static async to(target: number): Promise<FaultyProxy> {
    const proxy = new FaultyProxy(await freePort(), target)
    await proxy.#listen()
    return proxy
  }

  get connections(): number {
    return this.#links.size
  }

  /** Refuses new connections; open ones stay. */
  refuse(): void {
    // Listening ends at once; only the event `close` waits for the connections.
    this.#server?.close()
    this.#server = undefined
  }

  /** Resets every open connection on both sides. New ones are accepted. */
  cut(): void {
    for (const link of this.#links) link.cut()
  }

  /** Delivers nothing in either direction. Connections stay open, and new ones are accepted. */
  blackHole(): void {
    if (this.#letPass) return
    this.#faults.passing = new Promise((resolve) => {
      this.#letPass = resolve
    })
  }

  /** Delays all later data, in either direction and in order. */
  delay(milliseconds: number): void {
    this.#faults.delayMs = milliseconds
  }

  /**
   * Cuts the connection of the next message with this text to the server, and resolves after the cut. With `delivered`, the server has
   * started to respond; with `lost`, it never gets the whole message.
   */
  cutAt(text: RegExp, fate: Fate): Promise<void> {
    return new Promise((resolve) => {
      this.#faults.trap = { text, fate, sprung: resolve }
    })
  }

  /** Ends every fault: accepts connections, delivers delayed data, and drops a pending cut. */
  async heal(): Promise<void> {
    this.#faults.delayMs = 0
    this.#faults.trap = undefined
    this.#letPass?.()
    this.#letPass = undefined
    if (!this.#server) await this.#listen()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.refuse()
    this.cut()
    this.#letPass?.()
  }

  async #listen(): Promise<void> {
    const server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => this.#take(client))
    server.listen(this.port, '127.0.0.1')
    await once(server, 'listening')
    this.#server = server
  }

  #take(client: Socket): void {
    const link = new FaultyLink(client, this.#target, this.#faults)
    this.#links.add(link)
    link.closed.then(() => this.#links.delete(link))
  }
}
