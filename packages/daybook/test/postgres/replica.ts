import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { superuserUrlOf } from '../support/postgres/postgres-connection.ts'
import { PostgresServer } from '../support/postgres/postgres-server.ts'

const run = promisify(execFile)

/** A server and a streaming replica. */
export class ReplicatedServer implements AsyncDisposable {
  readonly primary: PostgresServer
  readonly replica: PostgresServer
  readonly #folder: string

  private constructor(primary: PostgresServer, replica: PostgresServer, folder: string) {
    this.primary = primary
    this.replica = replica
    this.#folder = folder
  }

  /** Makes the replica from the data folder of the stopped primary. */
  static async make(): Promise<ReplicatedServer> {
    const folder = await mkdtemp(join(tmpdir(), 'daybook-replica-'))
    // The account that the servers run as needs access.
    await run('chmod', ['755', folder])
    const data = join(folder, 'data')
    const copy = join(folder, 'copy')
    const primary = await PostgresServer.make({ data })
    await primary.stop()
    await run('cp', ['-Rp', data, copy])
    await writeFile(join(copy, 'standby.signal'), '')
    await primary.start()
    const settings = { primary_conninfo: superuserUrlOf(primary.address) }
    return new ReplicatedServer(primary, await PostgresServer.make({ data: copy, settings }), folder)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.replica[Symbol.asyncDispose]()
    await this.primary[Symbol.asyncDispose]()
    await rm(this.#folder, { recursive: true, force: true })
  }
}
