import { DaybookError } from './errors.ts'

/** Reasons why a folder cannot be used, by error code of the file system. */
export const FOLDER_ERROR_REASONS: Readonly<Record<string, string>> = {
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'part of its path is a file',
  ENOENT: 'the file system takes no new folders there',
}

/** Codes for a file system, quota or process limit that is exhausted. */
const FULL: readonly string[] = ['ENOSPC', 'EDQUOT', 'EFBIG']
/** Codes for a disk, or a server of a mounted folder, that fails. */
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

/** Returns the code of a file system error, such as `ENOENT`, or an empty text for any other error. */
export function getErrorCode(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}

/** Converts a file system error to that of a `BlobStore`, with its cause. Returns other errors unchanged. */
export function toDiskError(error: unknown): unknown {
  const code = getErrorCode(error)
  if (FULL.includes(code)) return new DaybookError('INSUFFICIENT_STORAGE', undefined, {}, error)
  if (GONE.includes(code)) return new DaybookError('SERVICE_UNAVAILABLE', undefined, {}, error)
  return error
}

/** Runs work with files, and converts its errors with {@link toDiskError}. */
export async function withDiskErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw toDiskError(error)
  }
}

/** Waits for work with files. Returns `undefined` if it fails with one of the codes. */
export async function ignoreErrors<T>(codes: readonly string[], work: Promise<T>): Promise<T | undefined> {
  try {
    return await work
  } catch (error) {
    if (codes.includes(getErrorCode(error))) return undefined
    throw error
  }
}
