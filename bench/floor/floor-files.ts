// The floor of files: a bare server that streams the files of a folder, with the headers that Daybook sends.
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { pipeline } from 'node:stream'

const folder = process.argv[2] ?? ''

/** As many headers as Daybook sends, under the same names. */
const HEADERS = {
  'X-Request-Id': randomUUID(),
  'X-Content-Type-Options': 'nosniff',
  'Accept-Ranges': 'bytes',
  'Content-Type': 'application/octet-stream',
  'Content-Disposition': 'attachment; filename="floor.bin"',
  'Cache-Control': 'public, max-age=0, must-revalidate',
  'Content-Security-Policy': "default-src 'none'; sandbox",
  ETag: '"floor"',
}

async function answer({ url = '' }: IncomingMessage, response: ServerResponse): Promise<void> {
  const file = join(folder, url)
  const { size } = await stat(file)
  response.writeHead(200, { ...HEADERS, 'Content-Length': size })
  pipeline(createReadStream(file), response, () => {})
}

const server = createServer((request, response) => {
  answer(request, response).catch(() => response.writeHead(404).end())
})
server.listen(0, '127.0.0.1')
await once(server, 'listening')
process.stdout.write(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}\n`)
process.on('SIGTERM', () => process.exit())
