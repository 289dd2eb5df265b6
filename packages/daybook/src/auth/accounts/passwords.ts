import { hashPassword, verifyPassword } from 'better-auth/crypto'
import pLimit from 'p-limit'
import { DaybookError } from '../../errors.ts'

/** How many passwords are hashed at once: cookies are signed on the same threads, of which Node has four. */
const AT_ONCE = 2
/** How many may wait: more would wait longer than clients wait for an answer. */
const MAX_WAITING = 30

/** Hashes and compares passwords as better-auth does, a few at a time, in the order in which they come. */
export class Passwords {
  readonly #turn = pLimit(AT_ONCE)

  /** @throws SERVICE_UNAVAILABLE when too many wait */
  readonly hash = (password: string): Promise<string> => this.#inTurn(() => hashPassword(password))

  /** @throws SERVICE_UNAVAILABLE when too many wait */
  readonly verify = (given: { readonly hash: string; readonly password: string }): Promise<boolean> =>
    this.#inTurn(() => verifyPassword(given))

  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (this.#turn.pendingCount >= MAX_WAITING) throw tooManyHashes()
    return this.#turn(work)
  }
}

const tooManyHashes = (): DaybookError =>
  new DaybookError('SERVICE_UNAVAILABLE', 'Too many people sign in right now; retry as Retry-After says.')
