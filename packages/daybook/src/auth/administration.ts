import { DaybookError } from '../errors.ts'
import type { AccountManager, CreatedInvitation, Invitation } from './account-manager.ts'
import { type Caller, isHumanUser } from './adapter.ts'
import { parseApiToken, parseInvitation } from './administration-input.ts'
import type { ApiToken, ApiTokens, CreatedToken } from './api-tokens.ts'
import { DuplicateKeyError } from './records.ts'
import type { ScopedDocument } from './scopes.ts'

/** The role of administrators. */
const ADMINISTRATOR = 'admin'

/** Returns true if the caller is a person who administers the service. */
function isAdministrator(caller: Caller): boolean {
  return isHumanUser(caller) && caller.identity?.roles.includes(ADMINISTRATOR) === true
}

/** Returns true if the caller is an administrator, or a program without limits by scopes. */
export function isOperator(caller: Caller): boolean {
  const isService = caller.identity?.actorType === 'service' && caller.scopes === undefined
  return isService || isAdministrator(caller)
}

/** @throws FORBIDDEN unless the caller is an operator */
export function requireOperator(caller: Caller): void {
  if (isOperator(caller)) return
  throw new DaybookError('FORBIDDEN', `Only people with the role "${ADMINISTRATOR}" and the service token may do this.`)
}

export interface AdministrationParts {
  /** Opens the account management, when it is first needed. */
  openAccountManager(): Promise<AccountManager>
  readonly tokens: ApiTokens
  /** All collections and globals, by their names in scopes. */
  readonly documents: readonly ScopedDocument[]
}

/** Manages invitations and tokens for administrators over HTTP. */
export class Administration {
  readonly #parts: AdministrationParts
  #manager: Promise<AccountManager> | undefined

  constructor(parts: AdministrationParts) {
    this.#parts = parts
  }

  /** True if the caller is a person who administers the service. */
  canAdminister(caller: Caller): boolean {
    return isAdministrator(caller)
  }

  /**
   * Requires a person who administers the service, so that tokens of programs cannot create tokens.
   *
   * @throws FORBIDDEN
   */
  requireAdministrator(caller: Caller): void {
    if (this.canAdminister(caller)) return
    throw new DaybookError('FORBIDDEN', `Only people with the role "${ADMINISTRATOR}" may do this.`)
  }

  /** Lists the invitations that can still be used, the first to expire first. */
  async listInvitations(): Promise<readonly Invitation[]> {
    return (await this.#accounts()).listInvitations()
  }

  /**
   * Creates an invitation. Its secret is returned only now.
   *
   * @param input `{ email, roles?, days? }`
   * @throws VALIDATION_ERROR; CONFLICT if the address has an account, or registration needs no invitation
   */
  async invite(input: unknown): Promise<CreatedInvitation> {
    const invitation = parseInvitation(input)
    return (await this.#accounts()).invite(invitation)
  }

  /** @throws NOT_FOUND */
  async withdrawInvitation(id: string): Promise<void> {
    return (await this.#accounts()).withdrawInvitation(id)
  }

  /** Lists all tokens without their secrets, the newest first. */
  listTokens(): Promise<readonly ApiToken[]> {
    return this.#parts.tokens.list()
  }

  /**
   * Creates a token. Its secret is returned only now.
   *
   * @param input `{ name, scopes, roles?, days? }`
   * @throws VALIDATION_ERROR; CONFLICT if there is one with this name
   */
  async createToken(input: unknown): Promise<CreatedToken> {
    const { tokens, documents } = this.#parts
    try {
      return await tokens.create(parseApiToken(input, documents))
    } catch (error) {
      if (!(error instanceof DuplicateKeyError)) throw error
      throw new DaybookError(
        'CONFLICT',
        'This name is already used by another token. Revoke that token, or choose another name.',
        {
          field: 'name',
        },
      )
    }
  }

  /** @throws NOT_FOUND */
  async revokeToken(id: string): Promise<void> {
    if (!(await this.#parts.tokens.revokeById(id))) throw new DaybookError('NOT_FOUND', 'The token does not exist.')
  }

  #accounts(): Promise<AccountManager> {
    this.#manager ??= this.#parts.openAccountManager().catch((error) => {
      // The next call tries again, for example when the database is back.
      this.#manager = undefined
      throw error
    })
    return this.#manager
  }
}
