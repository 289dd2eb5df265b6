import { randomUUID } from 'node:crypto'
import { chmodSync, closeSync, existsSync, openSync, readdirSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type NativeDatabase from 'better-sqlite3'
import type { ServingProcess } from '../serving-process.ts'
import { lockFile } from './sqlite-file.ts'

/** The name of a service file: a random id, the digest of the config, and the encoded name of the process. */
const FILE_NAME = /^service-[0-9a-f-]{36}\.([0-9a-f]{8})\.(.+%2F\d+)$/

/**
 * An empty file that a process keeps locked while it serves a data folder. The operating system releases the lock when the process ends,
 * even if it is killed.
 */
export class ServiceFile {
  readonly #path: string
  readonly #lock: NativeDatabase

  private constructor(path: string, lock: NativeDatabase) {
    this.#path = path
    this.#lock = lock
  }

  /**
   * Creates and locks the file of a process, and removes those of killed processes.
   *
   * @param database the database file that the process serves
   */
  static create(database: string, { name, config }: ServingProcess): ServiceFile {
    const data = dirname(database)
    listServices(data)
    for (;;) {
      const path = join(data, `service-${randomUUID()}.${config}.${encodeURIComponent(name)}`)
      closeSync(openSync(path, 'wx', 0o600))
      const lock = lockFile(path)
      // Another process may have removed the file before it was locked; then it is created again.
      if (lock && existsSync(path)) {
        // Users who can open the database can check the lock.
        chmodSync(path, statSync(database).mode)
        return new ServiceFile(path, lock)
      }
      lock?.close()
    }
  }

  /** Removes the file, since the process no longer serves the data folder. */
  release(): void {
    this.#lock.close()
    rmSync(this.#path, { force: true })
  }
}

/** Lists the processes that serve a data folder, and removes the files of killed ones. */
export function listServices(data: string): readonly ServingProcess[] {
  if (!existsSync(data)) return []
  return readdirSync(data).flatMap((fileName) => {
    const [, config, name] = FILE_NAME.exec(fileName) ?? []
    if (config === undefined || name === undefined || removeUnlocked(join(data, fileName))) return []
    return { name: decodeURIComponent(name), config }
  })
}

/** Removes a file unless a process has locked it. Returns true if none has. */
function removeUnlocked(path: string): boolean {
  let lock: NativeDatabase | undefined
  try {
    lock = lockFile(path)
    // While this lock is held, no process can start to use the file.
    if (lock) rmSync(path, { force: true })
  } catch {
    // The file may belong to another user, and Windows does not remove open files.
  } finally {
    lock?.close()
  }
  return lock !== undefined || !existsSync(path)
}
