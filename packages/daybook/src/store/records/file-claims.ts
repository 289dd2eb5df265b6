import type { Connection } from '../connection.ts'
import { build, param, prepare, preparePut } from '../statement.ts'

/** Names of claims among the leases. */
const PREFIX = 'file:'

/** A claim to the path of a file. */
export interface FileClaim {
  readonly path: string
  /** Names the upload, the restore or the sweep that has it; empty: nobody has. */
  readonly holder: string
}

/** The result of a claim to a path. */
export type ClaimResult =
  | { readonly state: 'new' | 'taken' }
  | {
      /** Something may lie there that no asset has. */
      readonly state: 'left'
      /** The number in the journal of the deletion whose bytes may lie there; 0: none. */
      readonly deletion: number
    }

/**
 * Claims to the paths of files that no asset has, inside one transaction. A path is claimed before its file is there, and by
 * the transaction that deletes its asset: so what lies under a claimed path without a holder is to be kept for the deletion that the
 * claim names, or else of no use any more.
 */
export class FileClaims {
  readonly #connection: Connection
  readonly #now: () => Promise<number>

  /** @param now the database's clock, in milliseconds since 1970 */
  constructor(connection: Connection, now: () => Promise<number>) {
    this.#connection = connection
    this.#now = now
  }

  /**
   * Claims a path, or keeps it for longer.
   *
   * @param ms how long the claim holds
   * @returns `taken`: another holder has it
   */
  async take({ path, holder }: FileClaim, ms: number): Promise<ClaimResult> {
    const now = await this.#now()
    const claim = await this.#connection.get(CLAIM, { name: PREFIX + path })
    if (claim && claim.holder !== holder && claim.until >= now) return { state: 'taken' }
    const deletion = Number(claim?.token ?? 0)
    await this.#connection.run(PUT_CLAIM, { name: PREFIX + path, holder, token: deletion, until: now + ms })
    return claim ? { state: 'left', deletion } : { state: 'new' }
  }

  /** Notes, of a claimed path where nothing lies, the deletion whose bytes come there next; 0: none. @returns `false`: the claim was lost */
  async expectBytes({ path, holder }: FileClaim, deletion: number): Promise<boolean> {
    const claim = await this.#connection.get(CLAIM, { name: PREFIX + path })
    if (claim?.holder !== holder) return false
    await this.#connection.run(EXPECT_BYTES, { name: PREFIX + path, holder, token: deletion })
    return true
  }

  /** Takes a claim away from a holder that is gone. */
  async release({ path, holder }: FileClaim): Promise<void> {
    await this.#connection.run(RELEASE_CLAIM, { name: PREFIX + path, holder })
  }

  /**
   * Leaves a path whose asset is deleted.
   *
   * @param deletion the number in the journal of the deletion for which the bytes are kept; 0: they are of no use
   */
  async markDeleted(path: string, deletion: number): Promise<void> {
    await this.#connection.run(PUT_CLAIM, { name: PREFIX + path, holder: '', token: deletion, until: 0 })
  }

  /** Ends a claim; `false`: the holder does not have it any more. */
  async end({ path, holder }: FileClaim): Promise<boolean> {
    const claim = await this.#connection.get(CLAIM, { name: PREFIX + path })
    if (claim?.holder !== holder) return false
    await this.#connection.run(DROP_CLAIM, { name: PREFIX + path, holder })
    return true
  }
}

/** Reads all claims, those that hold no more as well. */
export async function listClaims(connection: Connection): Promise<readonly FileClaim[]> {
  const rows = await connection.all(CLAIMS, { from: PREFIX, to: `${PREFIX.slice(0, -1)};` })
  return rows.map(({ name, holder }) => ({ path: name.slice(PREFIX.length), holder }))
}

const CLAIM = prepare(build.selectFrom('daybook$leases').selectAll().where('name', '=', param<string>('name')))
const CLAIMS = prepare(
  build
    .selectFrom('daybook$leases')
    .select(['name', 'holder'])
    .where('name', '>=', param<string>('from'))
    .where('name', '<', param<string>('to'))
    .orderBy('name'),
)
const PUT_CLAIM = preparePut('daybook$leases')
const EXPECT_BYTES = prepare(
  build
    .updateTable('daybook$leases')
    .set({ token: param<number>('token') })
    .where('name', '=', param<string>('name'))
    .where('holder', '=', param<string>('holder')),
)
const RELEASE_CLAIM = prepare(
  build
    .updateTable('daybook$leases')
    .set({ until: 0 })
    .where('name', '=', param<string>('name'))
    .where('holder', '=', param<string>('holder')),
)
const DROP_CLAIM = prepare(
  build
    .deleteFrom('daybook$leases')
    .where('name', '=', param<string>('name'))
    .where('holder', '=', param<string>('holder')),
)
