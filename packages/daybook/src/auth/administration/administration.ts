import { DaybookError } from '../../errors.ts'
import type { AccountManager, Invitation, MadeInvitation } from '../accounts/account-manager.ts'
import type { Caller } from '../adapter.ts'
import { DuplicateKey } from '../records.ts'
import type { ScopedDocument } from '../scopes.ts'
import type { ApiToken, ApiTokens, MadeToken } from '../tokens/api-tokens.ts'
import { ADMINISTRATOR, isAdministrator } from './administrator.ts'
import { readInvitation, readToken } from './grants.ts'

/** The parts that {@link Administration} needs. */
export interface AdministrationParts {
  /** Opens what manages the accounts; asked when it is first needed. */
  manage(): Promise<AccountManager>
  readonly tokens: ApiTokens
  /** All collections and globals, as scopes name them. */
  readonly documents: readonly ScopedDocument[]
}

/** Invitations and tokens, as administrators manage them over HTTP. */
export class Administration {
  readonly #parts: AdministrationParts
  #manager: Promise<AccountManager> | undefined

  constructor(parts: AdministrationParts) {
    this.#parts = parts
  }

  /**
   * Sees that the caller is a person who administers the service: tokens of programs make no tokens.
   *
   * @throws FORBIDDEN
   */
  requireAdministrator(caller: Caller): void {
    if (isAdministrator(caller)) return
    throw new DaybookError('FORBIDDEN', `Only people with the role "${ADMINISTRATOR}" may do that.`)
  }

  /** The invitations that can still be used, the one that ends first at the head. */
  async invitations(): Promise<readonly Invitation[]> {
    return (await this.#accounts()).invitations()
  }

  /**
   * Makes an invitation. Its secret is told this once.
   *
   * @param input `{ email, roles?, days? }`
   * @throws VALIDATION_ERROR; CONFLICT when the address has an account, or when registration needs no invitation
   */
  async invite(input: unknown): Promise<MadeInvitation> {
    const invitation = readInvitation(input)
    return (await this.#accounts()).invite(invitation)
  }

  /** @throws NOT_FOUND */
  async withdrawInvitation(id: string): Promise<void> {
    return (await this.#accounts()).withdrawInvitation(id)
  }

  /** All tokens without their secrets, the newest first. */
  tokens(): Promise<readonly ApiToken[]> {
    return this.#parts.tokens.list()
  }

  /**
   * Makes a token. It is told this once.
   *
   * @param input `{ name, scopes, roles?, days? }`
   * @throws VALIDATION_ERROR; CONFLICT when there is one of this name
   */
  async createToken(input: unknown): Promise<MadeToken> {
    const { tokens, documents } = this.#parts
    try {
      return await tokens.create(readToken(input, documents))
    } catch (error) {
      if (!(error instanceof DuplicateKey)) throw error
      throw new DaybookError('CONFLICT', 'There is a token of this name. Revoke it, or choose another name.', {
        field: 'name',
      })
    }
  }

  /** @throws NOT_FOUND */
  async revokeToken(id: string): Promise<void> {
    if (!(await this.#parts.tokens.revokeById(id))) throw new DaybookError('NOT_FOUND', 'There is no such token.')
  }

  #accounts(): Promise<AccountManager> {
    this.#manager ??= this.#parts.manage().catch((error) => {
      // What failed once, as while the database was away, is tried again.
      this.#manager = undefined
      throw error
    })
    return this.#manager
  }
}
