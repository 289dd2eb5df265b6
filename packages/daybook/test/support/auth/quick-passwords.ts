// For test processes and the commands that they start: passwords are hashed with little work, as thousands of accounts sign in.
import crypto, { type BinaryLike, type ScryptOptions } from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'

/** For scrypt: 1 KiB and some microseconds, in place of 32 MiB and a tenth of a second. */
const LITTLE: ScryptOptions = { N: 2, r: 8, p: 1 }

const { scrypt } = crypto

/** The work that each password was to be hashed with, the latest one last. */
export const askedWork: ScryptOptions[] = []

crypto.scrypt = ((
  password: BinaryLike,
  salt: BinaryLike,
  length: number,
  work: ScryptOptions,
  done: (error: Error | null, key: Buffer) => void,
) => {
  askedWork.push(work)
  scrypt(password, salt, length, LITTLE, done)
}) as typeof scrypt
syncBuiltinESMExports()
