import { StartupError } from '../../errors.ts'
import { getErrorCode, isConnectionLoss } from './postgres-errors.ts'

/** The oldest supported version, as `server_version_num`. */
const OLDEST_VERSION = 140_000

const EXPECTED = 'Write postgres://user:password@host:5432/database.'

/**
 * Returns a URL without its password.
 *
 * @param from the source of the URL, for errors
 * @throws {StartupError} if it is not a URL of PostgreSQL
 */
export function redactUrl(url: string | undefined, from = 'DATABASE_URL'): string {
  if (url === undefined || url === '') throw new StartupError(`${from} is not set. ${EXPECTED}`)
  const parsed = URL.parse(url)
  if (!parsed || !/^postgres(?:ql)?:$/.test(parsed.protocol)) {
    throw new StartupError(`${from} is not a URL of PostgreSQL. ${EXPECTED}`)
  }
  // In a URL such as postgres://user:12/34@host, the user and half of the password look like host and port.
  if (parsed.username === '' && url.includes('@')) {
    throw new StartupError(
      `${from} has an @ that does not end a user and password. In the password, write %2F for /, %3F for ?, %23 for # and %40 for @.`,
    )
  }
  const user = parsed.username === '' ? '' : `${parsed.username}@`
  return `${parsed.protocol}//${user}${parsed.host}${parsed.pathname}`
}

/** The facts that decide if a database can be used. */
interface Facts {
  readonly version: number
  readonly encoding: string
  readonly schema: string | null
  /** 1 if the user may create tables in the schema. */
  readonly make: number
}

const FACTS = `SELECT current_setting('server_version_num')::integer AS version,
  current_setting('server_encoding') AS encoding, current_schema() AS schema,
  has_schema_privilege(current_schema(), 'CREATE')::integer AS make`

/**
 * Checks that a database can be used.
 *
 * @param shown the URL without the password, for errors
 * @throws {StartupError} if it cannot, with advice
 */
export async function checkDatabase(
  query: (text: string) => Promise<{ readonly rows: readonly unknown[] }>,
  shown: string,
): Promise<void> {
  const { rows } = await query(FACTS).catch((error) => {
    throw (
      toStartupError(error, shown) ?? new StartupError(`PostgreSQL at ${shown} cannot be used: ${getMessage(error)}`)
    )
  })
  const { version, encoding, schema, make } = rows[0] as Facts
  if (version < OLDEST_VERSION) {
    throw new StartupError(
      `PostgreSQL ${Math.floor(version / 10_000)} is too old. Use ${OLDEST_VERSION / 10_000} or newer.`,
    )
  }
  if (encoding !== 'UTF8') {
    throw new StartupError(`The database is encoded as ${encoding}. Create one with ENCODING 'UTF8'.`)
  }
  if (schema === null)
    throw new StartupError('The search_path names no schema that exists. Create one first: CREATE SCHEMA …')
  if (make !== 1) {
    throw new StartupError(
      `The user is not allowed to create tables in schema ${schema}. Run: GRANT CREATE ON SCHEMA ${schema} TO …`,
    )
  }
}

const getMessage = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** Translates an error into advice; `undefined` if the cause is unknown. */
export function toStartupError(error: unknown, shown: string): StartupError | undefined {
  const code = getErrorCode(error)
  const advice = CONNECTION_ADVICE.find(([pattern]) => pattern.test(code))?.[1]
  if (advice) return new StartupError(`${advice(shown)} (${getMessage(error)})`)
  if (/does not support SSL/.test(getMessage(error))) {
    return new StartupError(`PostgreSQL at ${shown} does not speak TLS. Turn it on there, or leave sslmode out.`)
  }
  if (!isConnectionLoss(error)) return undefined
  return new StartupError(
    `PostgreSQL does not respond at ${shown}. Check that it is running, and that host, port and TLS in DATABASE_URL are right. (${getMessage(error)})`,
  )
}

const CONNECTION_ADVICE: readonly (readonly [RegExp, (url: string) => string])[] = [
  [/^28/, (url) => `PostgreSQL at ${url} rejects this user or password. Check DATABASE_URL.`],
  [/^3D000/, (url) => `The database ${url} does not exist. Create it first: CREATE DATABASE …`],
  [
    /^42501/,
    (url) =>
      `The user of ${url} is not allowed to create tables there. Run: GRANT USAGE, CREATE ON SCHEMA … TO … Or use the owner of the database.`,
  ],
  [/^3F000/, (url) => `The schema that ${url} names does not exist. Create it first: CREATE SCHEMA …`],
  [
    /^(?:DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|CERT_|ERR_TLS)/,
    (url) =>
      `The certificate of PostgreSQL at ${url} is not trusted. Pass its certificate authority: postgres(url, { ssl: { ca } }).`,
  ],
  [/^53300/, (url) => `PostgreSQL at ${url} accepts no more connections. Raise its limit, or lower "connections".`],
]
