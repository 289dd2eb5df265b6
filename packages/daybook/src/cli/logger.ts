import { pino } from 'pino'
import type { Log } from '../log.ts'
import { LogOutput } from './log-output.ts'
import { UsageError } from './usage.ts'

const LEVELS = ['silent', 'error', 'warn', 'info']

/**
 * The log of the command line, on standard error: JSON lines, or readable ones.
 *
 * @param level `silent`, `error`, `warn` or `info`, which gives each request a line
 * @param worker the number of this process among workers, which each line then has
 * @throws {UsageError} for another level
 */
export function makeLog(level: string, readable: boolean, worker?: number): Log {
  if (!LEVELS.includes(level)) throw new UsageError(`--log takes one of: ${LEVELS.join(', ')}`)
  const base = worker === undefined ? {} : { worker }
  const output = readable ? undefined : new LogOutput({ fd: 2, base, isShared: worker !== undefined })
  const logger = pino({ level, base, timestamp: pino.stdTimeFunctions.isoTime }, output ?? READABLE)
  const log: Log = {
    info: (fields, message) => logger.info(fields, message),
    warn: (fields, message) => logger.warn(fields, message),
    error: (fields, message) => logger.error(fields, message),
    requests: level === 'info',
  }
  return output ? { ...log, request: (line) => output.writeRequest(line) } : log
}

const READABLE = { write: (line: string): void => void process.stderr.write(toReadable(line)) }

const NAMES: Readonly<Record<number, string>> = { 30: 'info ', 40: 'warn ', 50: 'error' }

function toReadable(line: string): string {
  const { level, time, msg, err, ...fields } = JSON.parse(line) as Readonly<Record<string, unknown>>
  const { method, url, status, ms, requestId: _requestId, ...rest } = fields
  const request = method === undefined ? '' : ` ${method} ${url} ${status} ${ms} ms`
  const others = Object.entries(rest).map(([key, value]) => ` ${key}=${JSON.stringify(value)}`)
  const stack = (err as { readonly stack?: string } | undefined)?.stack
  const said = request === '' ? ` ${msg}` : request
  return `${String(time).slice(11, 19)} ${NAMES[Number(level)] ?? level}${said}${others.join('')}\n${stack ? `${stack}\n` : ''}`
}

/** A log that holds warnings back until they are released; later ones are written. */
export interface HeldWarnings {
  readonly log: Log
  /** Gives the messages that were held. */
  release(): readonly string[]
}

/** Holds the warnings of a start, for a greeting that lists them. Those about an error are written at once. */
export function holdWarnings(log: Log): HeldWarnings {
  const held: string[] = []
  let isHolding = true
  const warn: Log['warn'] = (fields, message) => {
    if (isHolding && !('err' in fields)) held.push(message)
    else log.warn(fields, message)
  }
  return {
    log: { ...log, warn },
    release: () => {
      isHolding = false
      return held
    },
  }
}
