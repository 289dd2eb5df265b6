import { hashPassword, verifyPassword } from 'better-auth/crypto'
import { DaybookError } from '../../errors.ts'

/** How many passwords are hashed at once: cookies are signed on the same threads, of which Node has four. */
const AT_ONCE = 2
/** How many may wait: more would wait longer than anybody waits for an answer. */
const MAX_WAITING = 30

const waiting: (() => void)[] = []
let running = 0

/** Hashes and compares passwords as better-auth does, a few at a time, in the order in which they come. */
export const passwords = {
  hash: (password: string): Promise<string> => inTurn(() => hashPassword(password)),
  verify: (given: { readonly hash: string; readonly password: string }): Promise<boolean> =>
    inTurn(() => verifyPassword(given)),
}

/** @throws SERVICE_UNAVAILABLE when too many wait */
async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (waiting.length >= MAX_WAITING) throw tooMany()
  // Whoever ends hands the turn over to the one that waits longest.
  if (running >= AT_ONCE) await new Promise<void>((resolve) => waiting.push(resolve))
  else running += 1
  try {
    return await work()
  } finally {
    const next = waiting.shift()
    if (next) next()
    else running -= 1
  }
}

const tooMany = (): DaybookError =>
  new DaybookError('SERVICE_UNAVAILABLE', 'Too many people sign in right now; retry as Retry-After says.')
