/** Where the service writes what happens; a pino logger fits. */
export interface Log {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
  /** Whether each request gets a line. */
  readonly requests: boolean
  /** Writes the line of a request. @default `info` with the message `request` */
  request?(line: RequestLine): void
}

/** What the log says of a request. */
export interface RequestLine {
  readonly requestId: string
  readonly method: string
  /** The target, shortened and without secrets. */
  readonly url: string
  readonly status: number
  /** How long it took, in milliseconds. */
  readonly ms: number
}

/** Writes the line of a request, in the log's own way if it has one. */
export function logRequest(log: Log, line: RequestLine): void {
  if (log.request) log.request(line)
  else log.info(line, 'request')
}

const ignore = (): void => {}

/** Writes nothing. */
export const SILENT: Log = Object.freeze({ info: ignore, warn: ignore, error: ignore, requests: false })
