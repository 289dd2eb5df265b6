import { createHash, randomUUID } from 'node:crypto'
import { hostname } from 'node:os'

/** Names a process among all that may use a store of files: `HOST.PID.RANDOM`, in characters of a segment of a path. */
export class ProcessName {
  readonly text: string
  readonly #host = createHash('sha256').update(hostname()).digest('hex').slice(0, 12)
  readonly #run = randomUUID().replaceAll('-', '')

  constructor() {
    this.text = [this.#host, process.pid, this.#run].join('.')
  }

  /** A name of something that this process makes; {@link isGone} tells from it whether the process has ended. */
  createName(): string {
    return `${this.text}.${randomUUID()}`
  }

  /** Whether the process that made a name has ended for sure. Of processes of other machines, nothing is known. */
  isGone(name: string): boolean {
    const [host, pid, run] = name.split('.')
    if (host !== this.#host || run === this.#run) return false
    // Another process had this number before.
    if (Number(pid) === process.pid) return true
    return !isRunning(Number(pid))
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    // Without the right to signal it, there is one.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
