import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * A port of this machine that nobody listens on, for a listener that goes away and comes back. It lies below those that
 * systems hand to outgoing connections: one of them could take it in between.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(15_000, 32_000)
    const server = createServer()
    const taken = once(server, 'error').then(() => true)
    const free = once(server, 'listening').then(() => false)
    server.listen(port, '127.0.0.1')
    if (await Promise.race([taken, free.catch(() => true)])) continue
    server.close()
    await once(server, 'close')
    return port
  }
}
