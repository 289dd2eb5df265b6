import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'

/** Reads process ids. When its input ends, it stops the process of the last id and removes the folders. */
const SCRIPT = `
trap '' HUP INT TERM
lock=$1/postmaster.pid pid=
shift
while read -r line; do pid=$line; done
if [ -n "$pid" ] && kill -QUIT "$pid"; then
  kill -CONT "$pid"
  tries=0
  while [ -e "$lock" ] && kill -0 "$pid" && [ $tries -lt 1000 ]; do
    sleep 0.02
    tries=$((tries + 1))
  done
fi
rm -rf "$@"
`

/** Stops a server and removes its folders, even if the process that started it was killed. */
export class PostgresKeeper {
  readonly #process: ChildProcess

  /** @param data the data folder of the server; @param folders the folders to remove */
  constructor(data: string, folders: readonly string[]) {
    const args = ['-c', SCRIPT, 'keeper', data, ...folders]
    this.#process = spawn('sh', args, { detached: true, stdio: ['pipe', 'ignore', 'ignore'] })
    this.#process.stdin?.on('error', () => {})
  }

  /** Sets the process to stop; `undefined` if it has ended. */
  watch(pid: number | undefined): void {
    if (!this.#process.stdin?.writableEnded) this.#process.stdin?.write(`${pid ?? ''}\n`)
  }

  /** Stops the server, removes the folders, and waits for both. */
  async dismiss(): Promise<void> {
    if (this.#process.stdin?.writableEnded) return
    const done = once(this.#process, 'exit')
    this.#process.stdin?.end()
    await done
  }
}
