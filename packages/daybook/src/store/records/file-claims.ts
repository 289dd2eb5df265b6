import type { Connection } from '../connection.ts'
import { build, param, prepare, preparePut } from '../statement.ts'

/** The prefix of the names of claims in the table of leases. */
const PREFIX = 'file:'

export interface FileClaim {
  readonly path: string
  /** Identifies the upload, the restore or the sweep that holds the claim; empty if none does. */
  readonly holder: string
}

export type ClaimResult =
  | { readonly state: 'new' | 'taken' }
  | {
      /** A file may exist there that belongs to no asset. */
      readonly state: 'left'
      /** The number of the deletion in the journal whose bytes may lie there; 0 if none. */
      readonly deletion: number
    }

/**
 * Claims to the paths of files that belong to no asset, inside one transaction. A path is claimed before its file is stored, and by the
 * transaction that deletes its asset. So a file under a claimed path without a holder is kept for the deletion that the claim names, or else
 * is garbage.
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
   * Claims a path, or extends the claim.
   *
   * @param ms the duration of the claim, in milliseconds
   * @returns `taken` if another holder has the path
   */
  async take({ path, holder }: FileClaim, ms: number): Promise<ClaimResult> {
    const now = await this.#now()
    const claim = await this.#connection.get(CLAIM, { name: PREFIX + path })
    if (claim && claim.holder !== holder && claim.until >= now) return { state: 'taken' }
    const deletion = Number(claim?.token ?? 0)
    await this.#connection.run(PUT_CLAIM, { name: PREFIX + path, holder, token: deletion, until: now + ms })
    return claim ? { state: 'left', deletion } : { state: 'new' }
  }

  /** Records the deletion whose bytes will be stored under a claimed path; 0 for none. Returns false if the claim was lost. */
  async expectBytes({ path, holder }: FileClaim, deletion: number): Promise<boolean> {
    const claim = await this.#connection.get(CLAIM, { name: PREFIX + path })
    if (claim?.holder !== holder) return false
    await this.#connection.run(EXPECT_BYTES, { name: PREFIX + path, holder, token: deletion })
    return true
  }

  /** Ends the claim of a holder that is gone, so that it expires at once. */
  async release({ path, holder }: FileClaim): Promise<void> {
    await this.#connection.run(RELEASE_CLAIM, { name: PREFIX + path, holder })
  }

  /**
   * Claims the path of a deleted asset without a holder.
   *
   * @param deletion the number of the deletion in the journal for which the bytes are kept; 0 if they are garbage
   */
  async markDeleted(path: string, deletion: number): Promise<void> {
    await this.#connection.run(PUT_CLAIM, { name: PREFIX + path, holder: '', token: deletion, until: 0 })
  }

  /** Deletes a claim. Returns false if the holder has lost it. */
  async end({ path, holder }: FileClaim): Promise<boolean> {
    const claim = await this.#connection.get(CLAIM, { name: PREFIX + path })
    if (claim?.holder !== holder) return false
    await this.#connection.run(DROP_CLAIM, { name: PREFIX + path, holder })
    return true
  }
}

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
