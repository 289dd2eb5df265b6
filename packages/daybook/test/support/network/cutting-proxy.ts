import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server } from 'node:net'

/** A proxy to a local server whose connections break after a number of bytes to the server. */
export class CuttingProxy implements AsyncDisposable {
  /** The number of broken connections. */
  cuts = 0
  readonly #server: Server

  private constructor(target: number, after: readonly number[]) {
    const left = [...after]
    this.#server = createServer((client) => {
      const server = connect(target, '127.0.0.1')
      for (const socket of [client, server]) socket.on('error', () => {})
      client.on('close', () => server.destroy())
      server.pipe(client)
      let passed = 0
      client.on('data', (chunk: Buffer) => {
        const limit = left[0] ?? Number.POSITIVE_INFINITY
        server.write(chunk.subarray(0, Math.max(0, limit - passed)))
        passed += chunk.length
        if (passed < limit) return
        left.shift()
        this.cuts += 1
        client.resetAndDestroy()
        server.resetAndDestroy()
      })
    })
  }

  /** @param after the bytes after which each connection breaks, in order; later connections do not break */
  static async to(target: number, after: readonly number[]): Promise<CuttingProxy> {
    const proxy = new CuttingProxy(target, after)
    proxy.#server.listen(0, '127.0.0.1')
    await once(proxy.#server, 'listening')
    return proxy
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close()
  }
}
