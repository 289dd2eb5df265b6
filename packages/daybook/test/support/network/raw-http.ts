import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { TestResponse } from '../scenarios/transports.ts'
import { WAIT_TIMEOUT_MS } from '../timeouts.ts'

/**
 * Sends bytes as they are and reads until the server closes the connection.
 *
 * @throws {Error} when the server keeps the connection open
 */
export async function exchange(
  port: number,
  ...parts: readonly (string | Uint8Array)[]
): Promise<readonly TestResponse[]> {
  const socket = connect({ port, host: '127.0.0.1' })
  await once(socket, 'connect')
  const received = readAll(socket)
  for (const part of parts) socket.write(part)
  return parseResponses(await received)
}

/** Everything until the connection ends; a reset counts as an end. */
export function readAll(socket: Socket): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    const timer = setTimeout(() => {
      socket.destroy()
      reject(new Error(`The server kept the connection open after: ${Buffer.concat(chunks).toString().slice(0, 300)}`))
    }, WAIT_TIMEOUT_MS)
    socket.on('data', (chunk: Buffer) => chunks.push(chunk))
    socket.on('error', () => {})
    socket.once('close', () => {
      clearTimeout(timer)
      resolve(Buffer.concat(chunks).toString())
    })
  })
}

/** Parses the bytes of a connection into responses (RFC 9112, section 6). */
export function parseResponses(received: string): readonly TestResponse[] {
  const responses: TestResponse[] = []
  for (let rest = Buffer.from(received); rest.length > 0; ) {
    const end = rest.indexOf('\r\n\r\n')
    if (end < 0) throw new Error(`Not an HTTP response: ${rest.toString().slice(0, 200)}`)
    const [line = '', ...lines] = rest.subarray(0, end).toString().split('\r\n')
    const headers = new Headers(
      lines.map((header) => [header.slice(0, header.indexOf(':')), header.slice(header.indexOf(':') + 1).trim()]),
    )
    const { text, length } = readBody(line, headers, rest.subarray(end + 4))
    responses.push({ status: Number(line.split(' ')[1]), headers, text })
    rest = rest.subarray(end + 4 + length)
  }
  return responses
}

/** The body at the start of `rest`, and how many bytes it takes there. */
function readBody(line: string, headers: Headers, rest: Buffer): { readonly text: string; readonly length: number } {
  if (/^HTTP\/1\.1 (?:1\d\d|204|304)/.test(line)) return { text: '', length: 0 }
  if (headers.get('transfer-encoding') === 'chunked') return readChunks(rest)
  const length = Number(headers.get('content-length') ?? rest.length)
  return { text: rest.subarray(0, length).toString(), length }
}

function readChunks(rest: Buffer): { readonly text: string; readonly length: number } {
  const chunks: Buffer[] = []
  for (let at = 0; ; ) {
    const lineEnd = rest.indexOf('\r\n', at)
    const size = Number.parseInt(rest.subarray(at, lineEnd).toString(), 16)
    if (lineEnd < 0 || Number.isNaN(size)) throw new Error('Not a chunked body')
    at = lineEnd + 2 + size + 2
    if (size === 0) return { text: Buffer.concat(chunks).toString(), length: at }
    chunks.push(rest.subarray(lineEnd + 2, lineEnd + 2 + size))
  }
}

/** The text of a request; a line for `Host` is added. */
export function requestText(line: string, headers: readonly string[] = [], body = ''): string {
  return [`${line} HTTP/1.1`, 'Host: daybook.test', ...headers, '', body].join('\r\n')
}
