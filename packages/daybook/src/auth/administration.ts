import { DaybookError } from '../errors.ts'
import type { AccountManager, CreatedInvitation, Invitation } from './account-manager.ts'
import { type Caller, isHumanUser } from './adapter.ts'
import { parseApiToken, parseInvitation } from './administration-input.ts'
import type { ApiToken, ApiTokens, CreatedToken } from './api-tokens.ts'
import { DuplicateKeyError } from './records.ts'
import type { ScopedDocument } from './scopes.ts'

/** The role of people who administer the service. */
const ADMINISTRATOR = 'admin'

/** Whether the caller is a person who administers the service. */
function isAdministrator(caller: Caller): boolean {
  return isHumanUser(caller) && caller.identity?.roles.includes(ADMINISTRATOR) === true
}

/**
 * Sees that the caller may know how the service does: an administrator, or a program whose credential is for everything.
 *
 * @throws FORBIDDEN
 */
export function requireOperator(caller: Caller): void {
  const isService = caller.identity?.actorType === 'service' && caller.scopes === undefined
  if (isService || isAdministrator(caller)) return
  throw new DaybookError('FORBIDDEN', `Only people with the role "${ADMINISTRATOR}" and the service token may do that.`)
}

/** The parts that {@link Administration} needs. */
export interface AdministrationParts {
  /** Opens what manages the accounts; asked when it is first needed. */
  openAccountManager(): Promise<AccountManager>
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
  async listInvitations(): Promise<readonly Invitation[]> {
    return (await this.#accounts()).listInvitations()
  }

  /**
   * Makes an invitation. Its secret is told this once.
   *
   * @param input `{ email, roles?, days? }`
   * @throws VALIDATION_ERROR; CONFLICT when the address has an account, or when registration needs no invitation
   */
  async invite(input: unknown): Promise<CreatedInvitation> {
    const invitation = parseInvitation(input)
    return (await this.#accounts()).invite(invitation)
  }

  /** @throws NOT_FOUND */
  async withdrawInvitation(id: string): Promise<void> {
    return (await this.#accounts()).withdrawInvitation(id)
  }

  /** All tokens without their secrets, the newest first. */
  listTokens(): Promise<readonly ApiToken[]> {
    return this.#parts.tokens.list()
  }

  /**
   * Makes a token. It is told this once.
   *
   * @param input `{ name, scopes, roles?, days? }`
   * @throws VALIDATION_ERROR; CONFLICT when there is one of this name
   */
  async createToken(input: unknown): Promise<CreatedToken> {
    const { tokens, documents } = this.#parts
    try {
      return await tokens.create(parseApiToken(input, documents))
    } catch (error) {
      if (!(error instanceof DuplicateKeyError)) throw error
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
    this.#manager ??= this.#parts.openAccountManager().catch((error) => {
      // What failed once, as while the database was away, is tried again.
      this.#manager = undefined
      throw error
    })
    return this.#manager
  }
}
