import { DaybookError } from '../../errors.ts'

/** Why one file cannot be brought in; the others go on. */
export class FileError extends Error {
  override readonly name = 'FileError'
}

/** The reason in one line. */
export function fileErrorReason(error: unknown): string {
  if (error instanceof DaybookError) {
    const issues = error.details.issues ?? []
    return issues.map(({ path, message }) => `${path}: ${message}`).join('; ') || error.message
  }
  return error instanceof Error ? error.message : String(error)
}
