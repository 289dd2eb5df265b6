/** The log of the service; a pino logger satisfies it. */
export interface Log {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
  /** True if each request is logged. */
  readonly requests: boolean
  /** Logs a request. @default `info` with the message `request` */
  request?(line: RequestLine): void
}

export interface RequestLine {
  readonly requestId: string
  readonly method: string
  /** The request target, shortened and without secrets. */
  readonly url: string
  readonly status: number
  /** The duration in milliseconds. */
  readonly ms: number
}

/** Logs a request with `log.request`, or else with `log.info`. */
export function logRequest(log: Log, line: RequestLine): void {
  if (log.request) log.request(line)
  else log.info(line, 'request')
}

const ignore = (): void => {}

/** A log that writes nothing. */
export const SILENT: Log = Object.freeze({ info: ignore, warn: ignore, error: ignore, requests: false })
