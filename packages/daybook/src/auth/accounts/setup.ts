import { createHash, timingSafeEqual } from 'node:crypto'
import type { AuthRecords, RecordReader } from '../records.ts'
import { getRecordKind } from './revocation.ts'

const SETUP_KIND = 'setup'
/** There is one record at most, so that at most one of several concurrent requests claims it. */
const SETUP_ID = 'first-account'

const digestSecret = (secret: string): string => createHash('sha256').update(secret).digest('base64url')

/** The claimed right to create the first administrator, which cannot be claimed again. */
export interface ClaimedSetup {
  /** Makes the secret usable again after a failed creation. */
  release(): Promise<void>
}

/** The creation of the first administrator by whoever knows a secret, while there is no account. Only the digest of the secret is stored. */
export class Setup {
  readonly #records: AuthRecords

  constructor(records: AuthRecords) {
    this.#records = records
  }

  /** Accepts a secret instead of an earlier one. Returns false if there are accounts. */
  open(secret: string): Promise<boolean> {
    return this.#records.transaction(async (writer) => {
      if (await hasAccounts(writer)) return false
      await writer.put(SETUP_KIND, { id: SETUP_ID, digest: digestSecret(secret) })
      return true
    })
  }

  /** Claims the setup. Returns `undefined` if the secret is wrong, was used or replaced, or if there are accounts. */
  claim(secret: string): Promise<ClaimedSetup | undefined> {
    const digest = digestSecret(secret)
    return this.#records.transaction(async (writer) => {
      const record = await writer.get(SETUP_KIND, SETUP_ID)
      if (!record || !isEqualDigest(String(record.digest), digest) || (await hasAccounts(writer))) return undefined
      await writer.delete(SETUP_KIND, SETUP_ID)
      return { release: () => this.#release(digest) }
    })
  }

  async #release(digest: string): Promise<void> {
    await this.#records.transaction(async (writer) => {
      // A restart may have stored another secret meanwhile.
      if (await writer.get(SETUP_KIND, SETUP_ID)) return
      await writer.put(SETUP_KIND, { id: SETUP_ID, digest })
    })
  }
}

const hasAccounts = async (reader: RecordReader): Promise<boolean> =>
  (await reader.list(getRecordKind('user'), { limit: 1 })).length > 0

const isEqualDigest = (a: string, b: string): boolean =>
  a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b))
