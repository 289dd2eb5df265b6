import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'

/** Where an export goes. */
export interface Output {
  write(text: string): Promise<void>
  /** All of it was written. */
  finish(): Promise<void>
  /** Some of it is missing. */
  discard(): Promise<void>
}

/** Exit status after a signal: 128 and its number, as shells have it. */
const STATUS = { SIGINT: 130, SIGTERM: 143 } as const

/**
 * Writes a file that has its name only when it is whole. Only its owner may read it: it holds what readers of the service
 * may not see.
 */
export async function openOutputFile(path: string): Promise<Output> {
  const part = `${path}.${process.pid}.part`
  const handle = await open(part, 'wx', 0o600)
  const listeners = Object.entries(STATUS).map(([signal, status]) => {
    const end = (): void => {
      rmSync(part, { force: true })
      process.exit(status)
    }
    process.once(signal, end)
    return () => process.removeListener(signal, end)
  })
  const close = async (): Promise<void> => {
    await handle.close()
    for (const remove of listeners) remove()
  }
  return {
    write: (text) => handle.appendFile(text),
    finish: async () => {
      await handle.sync()
      await rename(part, path)
      await close()
    },
    discard: async () => {
      await close()
      await rm(part, { force: true })
    },
  }
}

/** Writes to standard output, as fast as it is read. */
export function openStandardOutput(): Output {
  const { stdout } = process
  let failure: unknown
  stdout.on('error', (error) => {
    failure = error
  })
  return {
    write: async (text) => {
      if (failure) throw failure
      if (!stdout.write(text)) await once(stdout, 'drain')
    },
    finish: async () => {},
    discard: async () => {},
  }
}
