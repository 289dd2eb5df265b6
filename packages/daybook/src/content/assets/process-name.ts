import { createHash, randomUUID } from 'node:crypto'
import { hostname } from 'node:os'

/** The name of a process among all that use a store of files: `HOST.PID.RANDOM`, valid as a segment of a path. */
export class ProcessName {
  readonly text: string
  readonly #host = createHash('sha256').update(hostname()).digest('hex').slice(0, 12)
  readonly #run = randomUUID().replaceAll('-', '')

  constructor() {
    this.text = [this.#host, process.pid, this.#run].join('.')
  }

  /** Creates a unique name, from which {@link isGone} can tell if this process has ended. */
  createName(): string {
    return `${this.text}.${randomUUID()}`
  }

  /** Returns true if the process that created a name has certainly ended. Processes of other machines never count as ended. */
  isGone(name: string): boolean {
    const [host, pid, run] = name.split('.')
    if (host !== this.#host || run === this.#run) return false
    // This is the number of an earlier process.
    if (Number(pid) === process.pid) return true
    return !isRunning(Number(pid))
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    // A missing permission to signal it means that the process exists.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
