// Makes hashing of passwords cheap in test processes and their commands, because thousands of accounts sign in.
import crypto, { type BinaryLike, type ScryptOptions } from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'

/** Options of scrypt that take 1 KiB and some microseconds instead of 32 MiB and a tenth of a second. */
const LITTLE: ScryptOptions = { N: 2, r: 8, p: 1 }

const { scrypt } = crypto

/** The scrypt options that the code under test requested, in order. */
export const requestedOptions: ScryptOptions[] = []

crypto.scrypt = ((
  password: BinaryLike,
  salt: BinaryLike,
  length: number,
  work: ScryptOptions,
  done: (error: Error | null, key: Buffer) => void,
) => {
  requestedOptions.push(work)
  scrypt(password, salt, length, LITTLE, done)
}) as typeof scrypt
syncBuiltinESMExports()
