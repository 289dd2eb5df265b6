import { DaybookError } from '../../errors.ts'
import { formatIssueMessage } from '../../issues.ts'

export interface FaultPlace {
  /** JSON pointer to a field or a front-matter key, such as `/tags/1`. */
  readonly path?: string
  /** The line of the file, from 1. */
  readonly line?: number
}

export interface Fault extends FaultPlace {
  /** Whole sentences. */
  readonly message: string
}

/** The reason for which a file cannot be imported. With a path, its message may be a predicate: see {@link formatIssueMessage}. */
export class FileError extends Error {
  override readonly name = 'FileError'
  readonly place: FaultPlace

  constructor(message: string, place: FaultPlace = {}) {
    super(place.path === undefined ? message : formatIssueMessage(place.path, message))
    this.place = place
  }
}

export function listFaults(error: unknown): readonly Fault[] {
  const message = error instanceof Error ? error.message : String(error)
  if (error instanceof FileError) return [{ message, ...error.place }]
  if (!(error instanceof DaybookError)) return [{ message }]
  const { issues = [], field } = error.details
  if (issues.length > 0) return issues
  return [typeof field === 'string' ? { message, path: `/${field}` } : { message }]
}

export function formatFileError(error: unknown): string {
  return listFaults(error)
    .map(({ message }) => message)
    .join(' ')
}
