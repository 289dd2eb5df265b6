import { inspect } from 'node:util'
import type { Log } from 'daybook'

/** A log that records every line, with errors and their causes. */
export class RecordingLog implements Log {
  readonly requests = true
  readonly #lines: string[] = []

  info(fields: object, message: string): void {
    this.#record('info', fields, message)
  }

  warn(fields: object, message: string): void {
    this.#record('warn', fields, message)
  }

  error(fields: object, message: string): void {
    this.#record('error', fields, message)
  }

  #record(level: string, fields: object, message: string): void {
    this.#lines.push(`${level} ${message} ${inspect(fields, { depth: 12, maxStringLength: null })}`)
  }

  /** The lines since the last call. */
  take(): readonly string[] {
    return this.#lines.splice(0)
  }
}
