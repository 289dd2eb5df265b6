import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { type Place, pinCommand } from './cores.ts'

export const programPath = (file: string): string => fileURLToPath(new URL(file, import.meta.url))

/** Time that a process has to end after SIGTERM, in milliseconds. */
const END_TIMEOUT_MS = 10_000

/** A child process on its cores, which responds to messages one at a time. */
export class Child implements AsyncDisposable {
  readonly #process: ChildProcess
  readonly #ended: Promise<never>

  /** @param args the arguments of Node */
  constructor(place: Place, args: readonly string[], env: NodeJS.ProcessEnv = {}) {
    const [program = '', ...rest] = pinCommand(place, [process.execPath, ...args])
    this.#process = spawn(program, rest, {
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
      env: { ...process.env, ...env },
    })
    this.#ended = once(this.#process, 'exit').then(() => {
      throw new Error('A process of the bench ended by itself; its message stands above.')
    })
    this.#ended.catch(() => {})
  }

  async request<Response>(message: unknown): Promise<Response> {
    const responded = once(this.#process, 'message')
    this.#process.send(message as object)
    const [response] = await Promise.race([responded, this.#ended])
    return response as Response
  }

  async waitForUrl(): Promise<string> {
    if (!this.#process.stdout) throw new Error('The process has no output.')
    for await (const line of createInterface(this.#process.stdout)) {
      const url = /^listening on (\S+)/.exec(line)?.[1]
      if (url) return url
    }
    throw new Error('A server ended before it listened; its message stands above.')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { exitCode, signalCode } = this.#process
    if (exitCode !== null || signalCode !== null) return
    const ended = once(this.#process, 'exit')
    const timer = setTimeout(() => this.#process.kill('SIGKILL'), END_TIMEOUT_MS)
    this.#process.kill('SIGTERM')
    await ended
    clearTimeout(timer)
  }
}

/** A server under load, which reports the processor time and memory that it used. */
export class Server implements AsyncDisposable {
  readonly url: string
  readonly #child: Child

  private constructor(child: Child, url: string) {
    this.#child = child
    this.url = url
  }

  static async start(args: readonly string[], env: NodeJS.ProcessEnv = {}, place: Place = 'server'): Promise<Server> {
    const child = new Child(place, ['--import', programPath('probe.ts'), ...args], env)
    return new Server(child, await child.waitForUrl())
  }

  /** The user and system time of the process so far, in microseconds. */
  async cpu(): Promise<number> {
    const { user, system } = await this.#child.request<NodeJS.CpuUsage>('cpu')
    return user + system
  }

  /** The resident memory of the process, in bytes. */
  memory(): Promise<number> {
    return this.#child.request<number>('memory')
  }

  /** The largest resident memory that the process has had, in bytes. */
  peakMemory(): Promise<number> {
    return this.#child.request<number>('peak')
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#child[Symbol.asyncDispose]()
  }
}
