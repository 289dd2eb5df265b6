import type { Connection } from '../connection.ts'
import { build, param, prepare, preparePut } from '../statement.ts'

export interface LeaseClaim {
  readonly name: string
  readonly holder: string
  /** The duration, in milliseconds. */
  readonly ms: number
}

/** The stored leases, inside one transaction. Holders use `Lease`. */
export class LeaseRecords {
  readonly #connection: Connection
  readonly #now: () => Promise<number>

  /** @param now the database's clock, in milliseconds since 1970 */
  constructor(connection: Connection, now: () => Promise<number>) {
    this.#connection = connection
    this.#now = now
  }

  /** Grants or extends a lease. Returns its token; `undefined` if another holder has it. */
  async take({ name, holder, ms }: LeaseClaim): Promise<number | undefined> {
    const now = await this.#now()
    const lease = await this.#connection.get(LEASE, { name })
    const isHolder = lease?.holder === holder && lease.until >= now
    if (lease && !isHolder && lease.until >= now) return undefined
    const token = isHolder ? lease.token : (lease?.token ?? 0) + 1
    await this.#connection.run(PUT_LEASE, { name, holder, token, until: now + ms })
    return token
  }

  /** True if the lease with this token has not expired. */
  async holds(name: string, token: number): Promise<boolean> {
    const lease = await this.#connection.get(LEASE, { name })
    return lease?.token === token && lease.until >= (await this.#now())
  }

  /** Ends a lease before it expires. */
  async end(name: string, token: number): Promise<void> {
    await this.#connection.run(END_LEASE, { name, token })
  }
}

const LEASE = prepare(build.selectFrom('daybook$leases').selectAll().where('name', '=', param<string>('name')))
const PUT_LEASE = preparePut('daybook$leases')
const END_LEASE = prepare(
  build
    .updateTable('daybook$leases')
    .set({ until: 0 })
    .where('name', '=', param<string>('name'))
    .where('token', '=', param<number>('token')),
)
