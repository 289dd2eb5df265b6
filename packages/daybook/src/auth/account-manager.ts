/** An account, as far as it is told. */
export interface Account {
  readonly id: string
  readonly email: string
  readonly name: string
  readonly roles: readonly string[]
  readonly isBanned: boolean
  /** ISO 8601 in UTC. */
  readonly createdAt: string
}

/** An account that is to be made. */
export interface NewAccount {
  readonly email: string
  readonly name: string
  readonly password: string
  readonly roles: readonly string[]
}

/** The data of an invitation. */
export interface NewInvitation {
  readonly email: string
  readonly roles: readonly string[]
  /** ISO 8601 in UTC. */
  readonly expiresAt: string
}

/** An invitation that can still be used, without its secret. */
export interface Invitation extends NewInvitation {
  readonly id: string
}

/** A new invitation. */
export interface CreatedInvitation extends Invitation {
  /** What its receiver registers with. It is told this once. */
  readonly secret: string
}

/** An account whose ban was set or lifted. */
export interface BannedAccount {
  readonly id: string
  /** How many sessions the ban has ended. */
  readonly endedSessions: number
}

/** Accounts, for the operators of the service. Every change holds for all nodes within a second. */
export interface AccountManager {
  /** All accounts, the oldest first. */
  list(): Promise<readonly Account[]>
  /**
   * Makes an account, also where registration is closed.
   *
   * @throws CONFLICT when the address has one, VALIDATION_ERROR
   */
  create(account: NewAccount): Promise<Account>
  /** @throws NOT_FOUND */
  setRoles(email: string, roles: readonly string[]): Promise<void>
  /** Sets a password, and ends the account's sessions. @throws NOT_FOUND, VALIDATION_ERROR */
  setPassword(email: string, password: string): Promise<void>
  /** Bans an account, or lifts its ban; a ban ends the account's sessions. @throws NOT_FOUND */
  setBanned(email: string, isBanned: boolean): Promise<BannedAccount>
  /**
   * Makes an invitation; an earlier one of this address is worth nothing any more.
   *
   * @throws CONFLICT when the address has an account, or when registration needs no invitation; VALIDATION_ERROR
   */
  invite(invitation: NewInvitation): Promise<CreatedInvitation>
  /** The invitations that can still be used, the one that ends first at the head. */
  listInvitations(): Promise<readonly Invitation[]>
  /** Ends an invitation. @throws NOT_FOUND */
  withdrawInvitation(id: string): Promise<void>
}
