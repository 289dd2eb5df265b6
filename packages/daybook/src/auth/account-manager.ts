/** The public data of an account. */
export interface Account {
  readonly id: string
  readonly email: string
  readonly name: string
  readonly roles: readonly string[]
  readonly isBanned: boolean
  /** ISO 8601 in UTC. */
  readonly createdAt: string
}

/** The data of a new account. */
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

export interface CreatedInvitation extends Invitation {
  /** The secret with which the receiver registers. It is returned only now. */
  readonly secret: string
}

/** An account whose ban was set or lifted. */
export interface BannedAccount {
  readonly id: string
  readonly endedSessions: number
}

/** Manages accounts for operators of the service. Every change is effective on all nodes within a second. */
export interface AccountManager {
  /** Lists all accounts, the oldest first. */
  list(): Promise<readonly Account[]>
  /**
   * Creates an account, even if registration is closed.
   *
   * @throws CONFLICT if the address has one, VALIDATION_ERROR
   */
  create(account: NewAccount): Promise<Account>
  /** @throws NOT_FOUND */
  setRoles(email: string, roles: readonly string[]): Promise<void>
  /** Sets a password, and ends the account's sessions. @throws NOT_FOUND, VALIDATION_ERROR */
  setPassword(email: string, password: string): Promise<void>
  /** Bans an account and ends its sessions, or lifts its ban. @throws NOT_FOUND */
  setBanned(email: string, isBanned: boolean): Promise<BannedAccount>
  /**
   * Creates an invitation, and withdraws an earlier one for this address.
   *
   * @throws CONFLICT if the address has an account, or registration needs no invitation; VALIDATION_ERROR
   */
  invite(invitation: NewInvitation): Promise<CreatedInvitation>
  /** Lists the invitations that can still be used, the first to expire first. */
  listInvitations(): Promise<readonly Invitation[]>
  /** Ends an invitation. @throws NOT_FOUND */
  withdrawInvitation(id: string): Promise<void>
}
