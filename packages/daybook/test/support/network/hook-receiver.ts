import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

export interface ReceivedHook {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly message: HookMessage
}

export interface HookMessage {
  readonly type: string
  readonly timestamp: string
  readonly data: Readonly<Record<string, unknown>> & { readonly seq: number; readonly entry: never }
}

type Respond = (hook: ReceivedHook, response: ServerResponse) => unknown

/** A local server that receives messages. */
export class HookReceiver implements AsyncDisposable {
  readonly received: ReceivedHook[] = []
  respond: Respond
  readonly #server: Server
  #connections = 0

  private constructor(respond: Respond) {
    this.respond = respond
    this.#server = createServer((request, response) => void this.#take(request, response))
    this.#server.on('connection', () => {
      this.#connections += 1
    })
  }

  static async open(respond: Respond = (_hook, response) => response.end()): Promise<HookReceiver> {
    const receiver = new HookReceiver(respond)
    receiver.#server.listen(0, '127.0.0.1')
    await once(receiver.#server, 'listening')
    return receiver
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/hook`
  }

  /** The number of connections so far. */
  get connections(): number {
    return this.#connections
  }

  /** The types of the messages, in the order in which they came. */
  get types(): readonly string[] {
    return this.received.map(({ message }) => message.type)
  }

  /** The numbers of the changes, in the order in which their messages came. */
  get seqs(): readonly number[] {
    return this.received.map(({ message }) => message.data.seq)
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request).catch(() => '')
    if (body === '') return void response.destroy()
    const headers = request.headers as Readonly<Record<string, string>>
    const hook: ReceivedHook = { path: request.url ?? '', headers, body, message: JSON.parse(body) }
    this.received.push(hook)
    this.respond(hook, response)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#server, 'close')
    this.#server.close()
    this.#server.closeAllConnections()
    await closed
  }
}
