import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { DAYBOOK } from '../support/built/command.ts'
import { memoryFolder } from '../support/stores/folder.ts'

const PACKAGE = join(import.meta.dirname, '../../src/index.ts')

export interface Ended {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

export async function daybook(cwd: string, ...args: readonly string[]): Promise<Ended> {
  const child = spawn(process.execPath, [...DAYBOOK, ...args], { cwd, stdio: ['ignore', 'pipe', 'pipe'] })
  const ended = once(child, 'close')
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)])
  const [status] = await ended
  return { status, stdout, stderr }
}

/** Starts `daybook start` in a folder; returns its URL and a function that stops it. */
export async function start(cwd: string, ...args: readonly string[]) {
  const child = spawn(process.execPath, [...DAYBOOK, 'start', '--port', '0', '--log', 'silent', ...args], {
    cwd,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [chunk] = await once(child.stdout, 'data')
  const url = /listening on (http:\S+)/.exec(String(chunk))?.[1] ?? ''
  const stop = async (signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> => {
    const ended = once(child, 'exit')
    child.kill(signal)
    return (await ended)[0]
  }
  return { url, pid: child.pid, stop }
}

/** Creates a folder with files; `dispose` deletes it. A config imports Daybook's sources as `'DAYBOOK'`. */
export async function folderOf(files: Readonly<Record<string, string>>) {
  const path = await mkdtemp(join(await memoryFolder(), 'daybook-cli-'))
  const write = async (more: Readonly<Record<string, string>>): Promise<void> => {
    for (const [name, content] of Object.entries(more)) {
      await mkdir(dirname(join(path, name)), { recursive: true })
      await writeFile(join(path, name), content.replaceAll("'DAYBOOK'", `'${PACKAGE}'`))
    }
  }
  await write(files)
  return { path, write, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) }
}
