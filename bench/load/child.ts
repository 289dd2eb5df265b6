import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { Metered } from '../databases/databases.ts'
import { commandIn, type Place } from './cores.ts'

const PROBE = fileURLToPath(new URL('./probe.ts', import.meta.url))
/** How long a process may take to end by itself, in milliseconds. */
const PATIENCE_MS = 10_000

/** The path of a file of this folder. */
export const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url))

/** A child process in its place, that answers messages one at a time. */
export class Child implements AsyncDisposable {
  readonly #process: ChildProcess
  readonly #ended: Promise<never>

  /** @param args what Node is to run */
  constructor(place: Place, args: readonly string[], env: NodeJS.ProcessEnv = {}, isLogDropped = false) {
    const [program = '', ...rest] = commandIn(place, [process.execPath, ...args])
    this.#process = spawn(program, rest, {
      stdio: ['ignore', 'pipe', isLogDropped ? 'pipe' : 'inherit', 'ipc'],
      env: { ...process.env, ...env },
    })
    this.#process.stderr?.resume()
    this.#ended = once(this.#process, 'exit').then(() => {
      throw new Error('A process of the bench ended by itself; its message stands above.')
    })
    this.#ended.catch(() => {})
  }

  /** Sends a message and waits for the answer. */
  async ask<Answer>(message: unknown): Promise<Answer> {
    const answered = once(this.#process, 'message')
    this.#process.send(message as object)
    const [answer] = await Promise.race([answered, this.#ended])
    return answer as Answer
  }

  /** The first address that the process says it listens on. */
  async listening(): Promise<string> {
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
    const timer = setTimeout(() => this.#process.kill('SIGKILL'), PATIENCE_MS)
    this.#process.kill('SIGTERM')
    await ended
    clearTimeout(timer)
  }
}

/** How a server is started. */
export interface ServerOptions {
  /** @default 'server' */
  readonly place?: Place
  /** Whether what it logs goes through a pipe and nowhere, as by default it would to a collector of logs. @default false */
  readonly isLogDropped?: boolean
}

/** A server that takes load, and says how much processor time it used. */
export class Server implements Metered, AsyncDisposable {
  readonly url: string
  readonly #child: Child

  private constructor(child: Child, url: string) {
    this.#child = child
    this.url = url
  }

  static async start(
    args: readonly string[],
    env: NodeJS.ProcessEnv = {},
    { place = 'server', isLogDropped = false }: ServerOptions = {},
  ): Promise<Server> {
    const child = new Child(place, ['--import', PROBE, ...args], env, isLogDropped)
    return new Server(child, await child.listening())
  }

  async cpu(): Promise<number> {
    const { user, system } = await this.#child.ask<NodeJS.CpuUsage>('cpu')
    return user + system
  }

  /** How much memory the process holds, in bytes. */
  memory(): Promise<number> {
    return this.#child.ask<number>('memory')
  }

  /** The most memory that the process has held, in bytes. */
  peak(): Promise<number> {
    return this.#child.ask<number>('peak')
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#child[Symbol.asyncDispose]()
  }
}
