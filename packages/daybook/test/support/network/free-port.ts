import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * Finds a free port for a listener that is closed and opened again. It is below the range of outgoing connections, one of which could
 * take it meanwhile.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(15_000, 32_000)
    const server = createServer()
    const isTaken = once(server, 'error').then(() => true)
    const isFree = once(server, 'listening').then(() => false)
    server.listen(port, '127.0.0.1')
    if (await Promise.race([isTaken, isFree.catch(() => true)])) continue
    server.close()
    await once(server, 'close')
    return port
  }
}
