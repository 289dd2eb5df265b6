import { DaybookError } from '../errors.ts'

/** The file system, a quota or a limit of the process takes no more bytes. */
const FULL: readonly string[] = ['ENOSPC', 'EDQUOT', 'EFBIG']
/** The disk, or the server behind a mounted folder, does not do what it is there for. */
const GONE: readonly string[] = [
  'EACCES',
  'EAGAIN',
  'EBUSY',
  'EHOSTDOWN',
  'EIO',
  'EMFILE',
  'ENFILE',
  'ENODEV',
  'ENOTCONN',
  'ENXIO',
  'EPERM',
  'EROFS',
  'ESTALE',
  'ETIMEDOUT',
]

/** The code of an error of the file system, such as `ENOENT`; of any other error, the empty text. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}

/** An error of the file system as {@link BlobStore} reports it, with its cause; any other error as it is. */
export function toDiskFault(error: unknown): unknown {
  const code = codeOf(error)
  if (FULL.includes(code)) return new DaybookError('INSUFFICIENT_STORAGE', undefined, {}, error)
  if (GONE.includes(code)) return new DaybookError('SERVICE_UNAVAILABLE', undefined, {}, error)
  return error
}

/** Does work with files. @throws what {@link toDiskFault} makes of its errors */
export async function reportFaults<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw toDiskFault(error)
  }
}

/** Does work with files that may not be there. @returns `undefined` where the error has one of the codes */
export async function unless<T>(codes: readonly string[], work: Promise<T>): Promise<T | undefined> {
  try {
    return await work
  } catch (error) {
    if (codes.includes(codeOf(error))) return undefined
    throw error
  }
}
