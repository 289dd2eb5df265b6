import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The folder of a run of `daybook dev`, for the processes that serve one after the other. */
export class DevSession {
  /** Creates the first account. It stays the same, so that its link survives restarts. */
  readonly setupSecret: string
  readonly #greetingFile: string

  private constructor(folder: string, setupSecret: string) {
    this.setupSecret = setupSecret
    this.#greetingFile = join(folder, 'greeting')
  }

  /** Creates the folder, which only this user can read. */
  static async create(): Promise<{ readonly folder: string; remove(): Promise<void> }> {
    const folder = await mkdtemp(join(tmpdir(), 'daybook-dev-'))
    await writeFile(join(folder, 'setup'), randomBytes(32).toString('base64url'), { mode: 0o600 })
    return { folder, remove: () => rm(folder, { recursive: true, force: true }) }
  }

  static async open(folder: string): Promise<DevSession> {
    return new DevSession(folder, await readFile(join(folder, 'setup'), 'utf8'))
  }

  /** Returns false if the last process of this run printed the same text. */
  async isNewGreeting(text: string): Promise<boolean> {
    const printed = await readFile(this.#greetingFile, 'utf8').catch(() => '')
    if (printed === text) return false
    await writeFile(this.#greetingFile, text, { mode: 0o600 })
    return true
  }
}
