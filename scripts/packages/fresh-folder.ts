import { type ChildProcess, type ChildProcessByStdio, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { LocalRegistry } from './local-registry.ts'
import { packPackages } from './pack-packages.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

interface CommandResult {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

/** A service that runs until it is disposed of. */
export interface Serving extends AsyncDisposable {
  readonly url: string
  /** Its standard output so far. */
  readonly output: string
}

/**
 * A folder outside the checkout in which npm finds Daybook's packages as if they were published. Its cache contains everything that
 * npm has fetched on this machine; it adds only the two tarballs to the user's cache.
 */
export class FreshFolder implements AsyncDisposable {
  readonly path: string
  /** The environment of a user without the checkout. */
  readonly #env: NodeJS.ProcessEnv
  readonly #registry: LocalRegistry

  private constructor(path: string, registry: LocalRegistry) {
    this.path = path
    this.#registry = registry
    this.#env = {
      ...withoutCheckout(process.env),
      npm_config_cache: join(path, '.npm'),
      npm_config_registry: registry.url,
      // Tarballs outside the cache come from their registry.
      npm_config_replace_registry_host: 'never',
      npm_config_fetch_retries: '0',
      npm_config_update_notifier: 'false',
      npm_config_yes: 'true',
    }
  }

  static async make(): Promise<FreshFolder> {
    const path = await mkdtemp(join(tmpdir(), 'daybook-fresh-'))
    const packed = await packPackages(join(path, '.packed'))
    await shareContents(join(getNpmSetting('cache'), '_cacache/content-v2'), join(path, '.npm/_cacache/content-v2'))
    return new FreshFolder(path, await LocalRegistry.open(packed, getNpmSetting('registry')))
  }

  async run(folder: string, command: string, ...args: readonly string[]): Promise<CommandResult> {
    const child = this.#spawn(folder, command, args)
    const [stdout, stderr, [status]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
    return { status, stdout, stderr }
  }

  /** Starts a command, and waits until it prints its address. */
  async serve(folder: string, command: string, ...args: readonly string[]): Promise<Serving> {
    const child = this.#spawn(folder, command, args)
    const ended = once(child, 'close')
    const errors = text(child.stderr)
    const lines = createInterface(child.stdout)
    let output = ''
    const url = await new Promise<string | undefined>((resolve) => {
      lines.on('line', (line) => {
        output += `${line}\n`
        const [, address] = /^(?:listening on|The site is at) (\S+)/.exec(line) ?? []
        if (address !== undefined) resolve(address)
      })
      lines.once('close', () => resolve(undefined))
    })
    if (url === undefined) throw new Error(`${command} ended before it listened:\n${await errors}`)
    return {
      url,
      get output() {
        return output
      },
      [Symbol.asyncDispose]: () => endGroup(child, ended),
    }
  }

  /** Starts a command in a process group, because npm starts a shell, which starts the program. */
  #spawn(folder: string, command: string, args: readonly string[]): ChildProcessByStdio<null, Readable, Readable> {
    const cwd = join(this.path, folder)
    return spawn(command, args, { cwd, env: this.#env, stdio: ['ignore', 'pipe', 'pipe'], detached: true })
  }

  /** Closes the registry, so that npm has only its cache. */
  async goOffline(): Promise<void> {
    await this.#registry[Symbol.asyncDispose]()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#registry[Symbol.asyncDispose]()
    await rm(this.path, { recursive: true, force: true })
  }
}

async function endGroup({ pid, exitCode, signalCode }: ChildProcess, ended: Promise<unknown>): Promise<void> {
  if (pid !== undefined && exitCode === null && signalCode === null) process.kill(-pid, 'SIGTERM')
  await ended
}

function getNpmSetting(name: string): string {
  return spawnSync('npm', ['config', 'get', name], { cwd: ROOT, encoding: 'utf8' }).stdout.trim()
}

/** Shares the contents of npm's cache, which are stored by digest, without its index. */
async function shareContents(cache: string, link: string): Promise<void> {
  await mkdir(cache, { recursive: true })
  await mkdir(dirname(link), { recursive: true })
  await symlink(cache, link)
}

/** Removes the commands and settings that npm adds for scripts of the checkout. */
function withoutCheckout(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const settings = Object.entries(env).filter(([name]) => !name.startsWith('npm_'))
  const path = (env.PATH ?? '').split(delimiter).filter((folder) => !folder.startsWith(ROOT))
  return { ...Object.fromEntries(settings), PATH: [dirname(process.execPath), ...path].join(delimiter) }
}
