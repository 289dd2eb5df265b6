import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { DAYBOOK } from '../../support/built/command.ts'
import { WAIT_TIMEOUT_MS } from '../../support/timeouts.ts'

export const TOKEN = 'token-of-the-tests-of-workers-0123456789'
export const AUTH = { authorization: `Bearer ${TOKEN}` } as const

export type LogLine = Readonly<Record<string, unknown>>

/** Lines of the command line itself are not JSON. */
const readLine = (line: string): LogLine => (line.startsWith('{') ? JSON.parse(line) : { said: line })

const endedEarly = (before: string, log: readonly LogLine[]): Error =>
  new Error(`The process ended before it ${before}. Its log: ${JSON.stringify(log)}`)

/** Starts `daybook start` with workers in a folder, with the log level `info`. */
export function startSupervised(cwd: string, ...args: readonly string[]) {
  return startWith({}, cwd, ...args)
}

export async function startWith(env: Readonly<Record<string, string>>, cwd: string, ...args: readonly string[]) {
  const child = spawn(process.execPath, [...DAYBOOK, 'start', '--port', '0', ...args], {
    cwd,
    env: { ...process.env, DAYBOOK_SERVICE_TOKEN: TOKEN, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = once(child, 'exit')
  let isClosed = false
  child.once('close', () => {
    isClosed = true
  })
  const log: LogLine[] = []
  createInterface({ input: child.stderr }).on('line', (line) => log.push(readLine(line)))
  const stdout: string[] = []
  const lines = createInterface({ input: child.stdout }).on('line', (line) => stdout.push(line))
  await Promise.race([
    once(lines, 'line'),
    once(child, 'close').then(() => Promise.reject(endedEarly('listened', log))),
  ])
  return {
    url: stdout[0]?.replace('listening on ', '') ?? '',
    stdout,
    log,
    signal: (signal: NodeJS.Signals) => child.kill(signal),
    ended: ended.then(([status]) => status as number | null),
    /** Returns the current process of a worker slot. */
    pidOf: (worker: number) =>
      Number(log.findLast((line) => line.msg === 'worker listens' && line.worker === worker)?.pid),
    logged: async (message: string, times = 1) => {
      while (log.filter(({ msg }) => msg === message).length < times) {
        if (isClosed) throw endedEarly(`logged "${message}"`, log)
        await sleep(20)
      }
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM')
      await ended
    },
  }
}

/** A response; its status is 0 if the connection broke. */
export interface ServiceResponse {
  readonly status: number
  readonly body: string
}

/** Sends a request as the service principal, on a new connection unless an agent keeps connections alive. */
export function sendRequest(url: string, method = 'GET', body?: object, agent = new Agent()): Promise<ServiceResponse> {
  return new Promise((resolve, reject) => {
    const headers = { ...AUTH, 'content-type': 'application/json' }
    const sent = request(
      url,
      { method, headers, agent, signal: AbortSignal.timeout(WAIT_TIMEOUT_MS) },
      async (response) => {
        resolve({ status: response.statusCode ?? 0, body: await text(response).catch(() => '') })
      },
    )
    sent.on('error', (error) => {
      if (error.name === 'AbortError') reject(new Error(`${method} ${url} got no response`))
      else resolve({ status: 0, body: '' })
    })
    sent.end(body && JSON.stringify(body))
  })
}

/** Repeats work in several concurrent loops; the returned function stops them. */
export function load(clients: number, work: (count: number) => Promise<void>) {
  let isOver = false
  const run = async (client: number): Promise<void> => {
    for (let count = client; !isOver; count += clients) await work(count)
  }
  const all = Promise.all(Array.from({ length: clients }, (_, client) => run(client)))
  return async (): Promise<void> => {
    isOver = true
    await all
  }
}
