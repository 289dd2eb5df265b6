// The baseline of uploads: writes the file of a form to a folder, and responds when it is on the disk.
import { randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import busboy from 'busboy'

const folder = process.argv[2] ?? ''

async function saveUpload(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const form = busboy({ headers: request.headers })
  const writes: Promise<void>[] = []
  form.on('file', (_name, file) => {
    writes.push(pipeline(file, createWriteStream(join(folder, randomUUID()), { flush: true })))
  })
  await pipeline(request, form)
  await Promise.all(writes)
  response.writeHead(201, { 'Content-Type': 'application/json' }).end('{}')
}

const server = createServer({ requestTimeout: 0 }, (request, response) => {
  saveUpload(request, response).catch(() => response.writeHead(500).end())
})
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}\n`)
})
process.once('SIGTERM', () => process.exit(0))
