import { createHash, randomBytes, randomUUID } from 'node:crypto'
import type { CreatedInvitation, Invitation, NewInvitation } from '../account-manager.ts'
import type { AuthRecord, AuthRecords } from '../records.ts'

const INVITATION_KIND = 'invitation'

const digestSecret = (secret: string): string => createHash('sha256').update(secret).digest('base64url')

/** A claimed invitation, which cannot be used again. */
export interface ClaimedInvitation {
  readonly roles: readonly string[]
  /** Makes the invitation usable again after a failed registration. */
  release(): Promise<void>
}

/** Invitations to create an account. Only digests of their secrets are stored. */
export class Invitations {
  readonly #records: AuthRecords

  constructor(records: AuthRecords) {
    this.#records = records
  }

  /** Creates an invitation, and deletes earlier ones for this address. */
  async create({ email, roles, expiresAt }: NewInvitation): Promise<CreatedInvitation> {
    const secret = randomBytes(32).toString('base64url')
    const invitation: Invitation = { id: randomUUID(), email: email.toLowerCase(), roles, expiresAt }
    const record = { ...invitation, digest: digestSecret(secret) }
    await this.#records.transaction(async (writer) => {
      for (const { id } of await writer.find(INVITATION_KIND, 'email', record.email))
        await writer.delete(INVITATION_KIND, id)
      await writer.put(INVITATION_KIND, record, indexed(record))
    })
    return { ...invitation, secret }
  }

  /** Lists the invitations that can still be used, the first to expire first. */
  async list(): Promise<readonly Invitation[]> {
    const records = await this.#records.list(INVITATION_KIND)
    return records
      .filter(isOpen)
      .map(({ digest: _digest, ...invitation }) => invitation as unknown as Invitation)
      .sort((a, b) => Date.parse(a.expiresAt) - Date.parse(b.expiresAt))
  }

  /** Deletes an invitation. Returns false if there was none. */
  withdraw(id: string): Promise<boolean> {
    return this.#records.transaction((writer) => writer.delete(INVITATION_KIND, id))
  }

  /** Claims an invitation. One of several concurrent requests gets it. */
  async claim(secret: string, email: string): Promise<ClaimedInvitation | undefined> {
    const record = await this.#records.transaction(async (writer) => {
      const [invitation] = await writer.find(INVITATION_KIND, 'digest', digestSecret(secret))
      if (!invitation || !isFor(invitation, email)) return undefined
      return (await writer.delete(INVITATION_KIND, invitation.id)) ? invitation : undefined
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

const isFor = (record: AuthRecord, email: string): boolean => record.email === email.toLowerCase() && isOpen(record)

const indexed = (record: AuthRecord) => ({
  keys: { email: String(record.email), digest: String(record.digest) },
  until: Date.parse(String(record.expiresAt)),
})
