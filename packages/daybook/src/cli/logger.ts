import { pino } from 'pino'
import type { Log, RequestLine } from '../log.ts'
import { redactText } from '../redaction.ts'
import { UsageError } from './command.ts'
import { LogOutput } from './log-output.ts'

const LEVELS = ['silent', 'error', 'warn', 'info']

/**
 * Creates the log of the command line, on standard error: JSON lines, or readable ones, which leave out the files of the Studio and the
 * docs page.
 *
 * @param level `silent`, `error`, `warn` or `info`, which includes a line for each request
 * @param worker the number of this worker, which each line contains
 * @throws {UsageError} for another level
 */
export function makeLog(level: string, readable: boolean, worker?: number): Log {
  if (!LEVELS.includes(level)) throw new UsageError(`--log must be one of: ${LEVELS.join(', ')}`)
  const base = worker === undefined ? {} : { worker }
  const output = readable ? undefined : new LogOutput({ fd: 2, base, isShared: worker !== undefined })
  const logger = pino({ level, base, timestamp: pino.stdTimeFunctions.isoTime }, output ?? READABLE)
  const log: Log = {
    info: (fields, message) => logger.info(redactFields(fields), redactText(message)),
    warn: (fields, message) => logger.warn(redactFields(fields), redactText(message)),
    error: (fields, message) => logger.error(redactFields(fields), redactText(message)),
    requests: level === 'info',
  }
  if (output) return { ...log, request: (line) => output.writeRequest(line) }
  return { ...log, request: (line) => (isInterfaceFile(line) ? undefined : logger.info(line, 'request')) }
}

/** True for a script, a style or a font of the Studio or the docs page. A page has up to a hundred of them, which would hide other lines. */
const isInterfaceFile = ({ url, status }: RequestLine): boolean =>
  status < 400 && /\.(?:js|css|woff2)(?:\?|$)/.test(url)

const redactFields = (fields: object): object =>
  Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, redactField(key, value)]))

function redactField(key: string, value: unknown): unknown {
  if (key === 'err') return redactError(value)
  return typeof value === 'string' ? redactText(value) : value
}

/** Properties of errors that are logged; others, such as the `input` of an invalid URL, can hold secrets. */
const ERROR_PROPERTIES = ['code', 'errno', 'syscall', 'address', 'port', 'schema', 'table', 'column', 'constraint']

function redactError(error: unknown): object {
  if (!(error instanceof Error)) return { message: redactText(String(error)) }
  const { type, message, stack, ...properties } = pino.stdSerializers.err(error)
  const loggedProperties = Object.entries(properties).filter(([name]) => ERROR_PROPERTIES.includes(name))
  return {
    type,
    message: redactText(message),
    stack: redactText(stack),
    ...Object.fromEntries(loggedProperties),
    ...(error instanceof AggregateError ? { aggregateErrors: error.errors.map(redactError) } : {}),
  }
}

const READABLE = { write: (line: string): void => void process.stderr.write(toReadable(line)) }

const NAMES: Readonly<Record<number, string>> = { 30: 'info ', 40: 'warn ', 50: 'error' }

function toReadable(line: string): string {
  const { level, time, msg, err, ...fields } = JSON.parse(line) as Readonly<Record<string, unknown>>
  const { method, url, status, ms, requestId: _requestId, ...rest } = fields
  const request = method === undefined ? '' : ` ${method} ${url} ${status} ${ms} ms`
  const formattedFields = Object.entries(rest).map(([key, value]) => ` ${key}=${JSON.stringify(value)}`)
  const stack = (err as { readonly stack?: string } | undefined)?.stack
  const message = request === '' ? ` ${msg}` : request
  return `${String(time).slice(11, 19)} ${NAMES[Number(level)] ?? level}${message}${formattedFields.join('')}\n${stack ? `${stack}\n` : ''}`
}

/** A log that defers warnings until they are released. */
export interface DeferredWarnings {
  readonly log: Log
  /** Returns the deferred messages. Later warnings are written. */
  release(): readonly string[]
}

/** Defers the warnings of a start, for the greeting. Those with an error are written at once. */
export function deferWarnings(log: Log): DeferredWarnings {
  const deferredMessages: string[] = []
  let isDeferring = true
  const warn: Log['warn'] = (fields, message) => {
    if (isDeferring && !('err' in fields)) deferredMessages.push(message)
    else log.warn(fields, message)
  }
  return {
    log: { ...log, warn },
    release: () => {
      isDeferring = false
      return deferredMessages
    },
  }
}
