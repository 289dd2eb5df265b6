import { DaybookError } from './errors.ts'

/** Why a folder cannot be used, by the error code of the file system. */
export const FOLDER_ERROR_REASONS: Readonly<Record<string, string>> = {
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'part of its path is a file',
  ENOENT: 'the file system takes no new folders there',
}

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
export function getErrorCode(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}

/** An error of the file system as {@link BlobStore} reports it, with its cause; any other error as it is. */
export function toDiskError(error: unknown): unknown {
  const code = getErrorCode(error)
  if (FULL.includes(code)) return new DaybookError('INSUFFICIENT_STORAGE', undefined, {}, error)
  if (GONE.includes(code)) return new DaybookError('SERVICE_UNAVAILABLE', undefined, {}, error)
  return error
}

/** Does work with files. @throws what {@link toDiskError} makes of its errors */
export async function withDiskErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw toDiskError(error)
  }
}

/** Does work with files that may not be there. @returns `undefined` where the error has one of the codes */
export async function ignoreErrors<T>(codes: readonly string[], work: Promise<T>): Promise<T | undefined> {
  try {
    return await work
  } catch (error) {
    if (codes.includes(getErrorCode(error))) return undefined
    throw error
  }
}
