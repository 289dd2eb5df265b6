/** Where the service writes what happens; a pino logger fits. */
export interface Log {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
  /** Whether each request gets a line. */
  readonly requests: boolean
}

const ignore = (): void => {}

/** Writes nothing. */
export const SILENT: Log = Object.freeze({ info: ignore, warn: ignore, error: ignore, requests: false })
