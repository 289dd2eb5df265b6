import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { PostgresOptions } from 'daybook/postgres'
import { DAYBOOK } from '../support/built/command.ts'
import { SLOW_MACHINE_DATABASE } from '../support/postgres/slow-machine-postgres.ts'
import type { Door } from './load.ts'

const CONFIG = join(import.meta.dirname, 'daybook.config.ts')
const TOKEN = 'token-of-the-nodes-0123456789abcdef'

export interface NodeOptions {
  readonly options?: PostgresOptions
  /** A module that is loaded before anything else. */
  readonly preload?: string
}

/** Runs `daybook start` with the config beside this file. The data folder is never used. */
function spawnNode(url: string | undefined, { options = {}, preload }: NodeOptions): ChildProcess {
  const args = ['start', '--config', CONFIG, '--data', '/nowhere', '--port', '0', '--log', 'silent']
  const { DATABASE_URL: _, ...env } = process.env
  return spawn(process.execPath, [...(preload ? ['--import', preload] : []), ...DAYBOOK, ...args], {
    env: {
      ...env,
      ...(url === undefined ? {} : { DATABASE_URL: url }),
      DATABASE_OPTIONS: JSON.stringify({ ...SLOW_MACHINE_DATABASE, ...options }),
      DAYBOOK_SERVICE_TOKEN: TOKEN,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

/** The result of a start that failed. */
export interface Refused {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Starts a node that is expected to fail. */
export async function startInVain(url: string | undefined, options: NodeOptions = {}): Promise<Refused> {
  const child = spawnNode(url, options)
  const ended = once(child, 'close')
  const [stdout, stderr] = await Promise.all([text(child.stdout as never), text(child.stderr as never)])
  return { status: (await ended)[0], stdout, stderr }
}

/** A service in its own process. */
export class ServiceNode implements Door, AsyncDisposable {
  readonly token = TOKEN
  readonly #child: ChildProcess
  #url = ''
  #stderr = ''

  private constructor(child: ChildProcess) {
    this.#child = child
    child.stderr?.on('data', (chunk) => {
      this.#stderr += chunk
    })
  }

  static spawn(url: string, options: NodeOptions = {}): ServiceNode {
    return new ServiceNode(spawnNode(url, options))
  }

  /** Starts a node, and waits until it listens. */
  static async start(url: string, options: NodeOptions = {}): Promise<ServiceNode> {
    const node = ServiceNode.spawn(url, options)
    await node.listening()
    return node
  }

  get url(): string {
    return this.#url
  }

  /** @throws {Error} if it does not start, with its output */
  async listening(): Promise<void> {
    let output = ''
    for await (const chunk of this.#child.stdout as AsyncIterable<Buffer>) {
      output += chunk
      this.#url = /listening on (http:\S+)/.exec(output)?.[1] ?? ''
      if (this.#url !== '') return
    }
    throw new Error(`The node did not start. ${this.#stderr}`)
  }

  /** Sends a request over HTTP. @throws if there is no response */
  readonly fetch = async (request: Request): Promise<Response> => {
    const { pathname, search } = new URL(request.url)
    return fetch(new Request(new URL(pathname + search, this.#url), request))
  }

  async kill(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    const ended = once(this.#child, 'exit')
    this.#child.kill('SIGKILL')
    await ended
  }

  /** Stops the process until {@link resume}. */
  pause(): void {
    this.#child.kill('SIGSTOP')
  }

  resume(): void {
    this.#child.kill('SIGCONT')
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.kill()
  }
}
