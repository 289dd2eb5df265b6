// The floor of uploads: a bare server that writes the file of a form to a folder, and answers when it is on the disk.
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import busboy from 'busboy'

const folder = process.argv[2] ?? ''

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const form = busboy({ headers: request.headers })
  const written: Promise<void>[] = []
  form.on('file', (_name, file) => {
    written.push(pipeline(file, createWriteStream(join(folder, randomUUID()), { flush: true })))
  })
  await pipeline(request, form)
  await Promise.all(written)
  response.writeHead(201, { 'Content-Type': 'application/json' }).end('{}')
}

const server = createServer({ requestTimeout: 0 }, (request, response) => {
  answer(request, response).catch(() => response.writeHead(500).end())
})
server.listen(0, '127.0.0.1')
await once(server, 'listening')
process.stdout.write(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}\n`)
process.on('SIGTERM', () => process.exit())
