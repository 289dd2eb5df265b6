import type { Connection } from '../connection.ts'
import { build, param, prepare, preparePut } from '../statement.ts'

/** A claim to a lease: its holder, and for how long. */
export interface LeaseClaim {
  readonly name: string
  readonly holder: string
  /** In milliseconds. */
  readonly ms: number
}

/** The leases that nodes hold, inside one transaction; a holder uses {@link Lease}. */
export class LeaseRecords {
  readonly #connection: Connection
  readonly #now: () => Promise<number>

  /** @param now the database's clock, in milliseconds since 1970 */
  constructor(connection: Connection, now: () => Promise<number>) {
    this.#connection = connection
    this.#now = now
  }

  /** Grants or extends a lease; `undefined`: another holder has it. */
  async take({ name, holder, ms }: LeaseClaim): Promise<number | undefined> {
    const now = await this.#now()
    const held = await this.#connection.get(LEASE, { name })
    const isOwn = held?.holder === holder && held.until >= now
    if (held && !isOwn && held.until >= now) return undefined
    const token = isOwn ? held.token : (held?.token ?? 0) + 1
    await this.#connection.run(PUT_LEASE, { name, holder, token, until: now + ms })
    return token
  }

  /** Whether the holder of that token may still act. */
  async holds(name: string, token: number): Promise<boolean> {
    const held = await this.#connection.get(LEASE, { name })
    return held?.token === token && held.until >= (await this.#now())
  }

  /** Ends a lease before its time. */
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
