import { Agent, request as httpRequest, type IncomingMessage } from 'node:http'
import { serve } from 'daybook/node'
import type { TestService } from 'daybook/testing'

/** A request of a scenario. The path is sent unchanged. */
export interface TestRequest {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array | undefined
}

export interface TestResponse {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/** A connection to a running service. Closing it closes the service, too. */
export interface Connection {
  send(sent: TestRequest): Promise<TestResponse>
  close(): Promise<void>
}

export interface Transport {
  readonly name: 'fetch' | 'socket'
  connect(service: TestService): Promise<Connection>
}

/** `service.fetch` inside the process. */
export const IN_PROCESS: Transport = {
  name: 'fetch',
  connect: async (service) => ({
    async send({ method, path, headers, body }) {
      const init = { method, headers, ...(body === undefined ? {} : { body }) }
      const response = await service.fetch(new Request(`http://daybook.test${path}`, init))
      return { status: response.status, headers: response.headers, text: await response.text() }
    },
    close: () => service.close(),
  }),
}

/** A real server on a free port of this machine. */
export const SOCKET: Transport = {
  name: 'socket',
  async connect(service) {
    const { port, stop } = await serve(service, { port: 0 })
    // On a busy machine, an idle connection can time out just as the next request is sent.
    const agent = new Agent({ keepAlive: false })
    return {
      send: (sent) => sendOverSocket(port, agent, sent),
      async close() {
        agent.destroy()
        await stop(1000)
      },
    }
  },
}

export const TRANSPORTS: readonly Transport[] = [IN_PROCESS, SOCKET]

function sendOverSocket(
  port: number,
  agent: Agent,
  { method, path, headers, body }: TestRequest,
): Promise<TestResponse> {
  return new Promise((resolve, reject) => {
    const request = httpRequest({ host: '127.0.0.1', port, agent, method, path, headers }, (response) => {
      readResponse(response).then(resolve, reject)
    })
    request.once('error', reject)
    request.end(body)
  })
}

async function readResponse(response: IncomingMessage): Promise<TestResponse> {
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk as Buffer)
  const headers = new Headers()
  for (let at = 0; at < response.rawHeaders.length; at += 2) {
    headers.append(String(response.rawHeaders[at]), String(response.rawHeaders[at + 1]))
  }
  return { status: response.statusCode ?? 0, headers, text: Buffer.concat(chunks).toString() }
}
