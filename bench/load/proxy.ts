// A bare reverse proxy: gives each request to the next of the nodes, on connections that it keeps.
import { once } from 'node:events'
import { Agent, createServer, type IncomingHttpHeaders, request } from 'node:http'
import type { AddressInfo } from 'node:net'

const nodes = process.argv.slice(2).map((url) => new URL(url))
const agent = new Agent({ keepAlive: true })
let turn = 0

/** Headers without those of one connection (RFC 9110, section 7.6.1). */
function passedOn({ connection: _one, 'keep-alive': _other, ...headers }: IncomingHttpHeaders): IncomingHttpHeaders {
  return headers
}

const proxyServer = createServer({ keepAliveTimeout: 10_000 }, (incoming, outgoing) => {
  const { hostname, port } = nodes[turn++ % nodes.length] as URL
  const options = {
    agent,
    hostname,
    port,
    method: incoming.method,
    path: incoming.url,
    headers: passedOn(incoming.headers),
  }
  const passed = request(options, (answer) => {
    outgoing.writeHead(answer.statusCode ?? 502, passedOn(answer.headers))
    answer.pipe(outgoing)
  })
  // The load counts it as a failure, and the run ends.
  passed.on('error', () => outgoing.destroy())
  incoming.pipe(passed)
})
proxyServer.listen(0, '127.0.0.1')
await once(proxyServer, 'listening')
process.stdout.write(`listening on http://127.0.0.1:${(proxyServer.address() as AddressInfo).port}\n`)
process.once('SIGTERM', () => process.exit(0))
