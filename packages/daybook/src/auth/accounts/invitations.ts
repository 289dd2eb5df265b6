import { createHash, randomBytes, randomUUID } from 'node:crypto'
import type { CreatedInvitation, Invitation, NewInvitation } from '../account-manager.ts'
import type { AuthRecord, AuthRecords } from '../records.ts'

const INVITATION_KIND = 'invitation'

const digestSecret = (secret: string): string => createHash('sha256').update(secret).digest('base64url')

/** A claimed invitation; it cannot be used again. */
export interface ClaimedInvitation {
  readonly roles: readonly string[]
  /** Lets it be used again, as nothing came of it. */
  release(): Promise<void>
}

/** Invitations to make an account. Digests of their secrets are kept, not they. */
export class Invitations {
  readonly #records: AuthRecords

  constructor(records: AuthRecords) {
    this.#records = records
  }

  /** Makes an invitation. An earlier one of this address is worth nothing any more. */
  async create({ email, roles, expiresAt }: NewInvitation): Promise<CreatedInvitation> {
    const secret = randomBytes(32).toString('base64url')
    const told: Invitation = { id: randomUUID(), email: email.toLowerCase(), roles, expiresAt }
    const record = { ...told, digest: digestSecret(secret) }
    await this.#records.transaction(async (writer) => {
      for (const { id } of await writer.find(INVITATION_KIND, 'email', record.email))
        await writer.delete(INVITATION_KIND, id)
      await writer.put(INVITATION_KIND, record, indexed(record))
    })
    return { ...told, secret }
  }

  /** Those that can still be used, the one that ends first at the head. */
  async list(): Promise<readonly Invitation[]> {
    const all = await this.#records.list(INVITATION_KIND)
    return all
      .filter(isOpen)
      .map(({ digest: _digest, ...told }) => told as unknown as Invitation)
      .sort((one, other) => Date.parse(one.expiresAt) - Date.parse(other.expiresAt))
  }

  /** Ends an invitation; answers whether there was one. */
  withdraw(id: string): Promise<boolean> {
    return this.#records.transaction((writer) => writer.delete(INVITATION_KIND, id))
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
        release: () => this.#records.transaction((writer) => writer.put(INVITATION_KIND, record, indexed(record))),
      }
    )
  }
}

const isOpen = ({ expiresAt }: AuthRecord): boolean => Date.parse(String(expiresAt)) > Date.now()

const isFor = (record: AuthRecord, own: string): boolean => record.email === own.toLowerCase() && isOpen(record)

const indexed = (record: AuthRecord) => ({
  keys: { email: String(record.email), digest: String(record.digest) },
  until: Date.parse(String(record.expiresAt)),
})
