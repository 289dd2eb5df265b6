import { createHash, randomBytes, randomUUID } from 'node:crypto'
import type { AuthRecord, AuthRecords } from '../records.ts'
import type { NewInvitation } from './account-manager.ts'

const INVITATION_KIND = 'invitation'

const digestSecret = (secret: string): string => createHash('sha256').update(secret).digest('base64url')

/** A claimed invitation; it cannot be used again. */
export interface ClaimedInvitation {
  readonly roles: readonly string[]
  /** Lets it be used again, as nothing came of it. */
  giveBack(): Promise<void>
}

/** Invitations to make an account. Digests of their secrets are kept, not they. */
export class Invitations {
  readonly #records: AuthRecords

  constructor(records: AuthRecords) {
    this.#records = records
  }

  /** Answers the secret. An earlier invitation of this address is worth nothing any more. */
  async make({ email, roles, expiresAt }: NewInvitation): Promise<string> {
    const secret = randomBytes(32).toString('base64url')
    const record = { id: randomUUID(), email: email.toLowerCase(), roles, expiresAt, digest: digestSecret(secret) }
    await this.#records.transaction(async (writer) => {
      for (const { id } of await writer.find(INVITATION_KIND, 'email', record.email))
        await writer.delete(INVITATION_KIND, id)
      await writer.put(INVITATION_KIND, record, indexed(record))
    })
    return secret
  }

  /** Takes an invitation; of several requests that claim it at once, one gets it. */
  async claim(secret: string, email: string): Promise<ClaimedInvitation | undefined> {
    const record = await this.#records.transaction(async (writer) => {
      const [found] = await writer.find(INVITATION_KIND, 'digest', digestSecret(secret))
      if (!found || !isFor(found, email)) return undefined
      return (await writer.delete(INVITATION_KIND, found.id)) ? found : undefined
    })
    return (
      record && {
        roles: record.roles as readonly string[],
        giveBack: () => this.#records.transaction((writer) => writer.put(INVITATION_KIND, record, indexed(record))),
      }
    )
  }
}

const isFor = ({ email, expiresAt }: AuthRecord, own: string): boolean =>
  email === own.toLowerCase() && Date.parse(String(expiresAt)) > Date.now()

const indexed = (record: AuthRecord) => ({
  keys: { email: String(record.email), digest: String(record.digest) },
  until: Date.parse(String(record.expiresAt)),
})
