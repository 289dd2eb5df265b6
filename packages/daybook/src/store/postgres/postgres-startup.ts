import { StartupError } from '../../errors.ts'
import { getErrorCode, isConnectionLoss } from './postgres-errors.ts'

/** The oldest version that has all that is used. */
const OLDEST_VERSION = 140_000

const EXPECTED = 'Write postgres://user:password@host:5432/database.'

/**
 * A URL without its password.
 *
 * @param from where it was read, for errors
 * @throws {StartupError} when it is none of PostgreSQL
 */
export function redactUrl(url: string | undefined, from = 'DATABASE_URL'): string {
  if (url === undefined || url === '') throw new StartupError(`${from} is not set. ${EXPECTED}`)
  const parsed = URL.parse(url)
  if (!parsed || !/^postgres(?:ql)?:$/.test(parsed.protocol)) {
    throw new StartupError(`${from} is no URL of PostgreSQL. ${EXPECTED}`)
  }
  // Of an URL like postgres://user:12/34@host, the user and half of the password look like host and port.
  if (parsed.username === '' && url.includes('@')) {
    throw new StartupError(
      `${from} has an @ in a strange place. In the password, write %2F for /, %3F for ?, %23 for # and %40 for @.`,
    )
  }
  const user = parsed.username === '' ? '' : `${parsed.username}@`
  return `${parsed.protocol}//${user}${parsed.host}${parsed.pathname}`
}

/** The facts about a database that decide whether it can be used. */
interface Facts {
  readonly version: number
  readonly encoding: string
  readonly schema: string | null
  /** 1 when the user may make tables in that schema. */
  readonly make: number
}

const FACTS = `SELECT current_setting('server_version_num')::integer AS version,
  current_setting('server_encoding') AS encoding, current_schema() AS schema,
  has_schema_privilege(current_schema(), 'CREATE')::integer AS make`

/**
 * Checks that a database is fit for what is stored.
 *
 * @param shown its URL, as errors may show it
 * @throws {StartupError} when it is not, with what to do about it
 */
export async function checkDatabase(
  query: (text: string) => Promise<{ readonly rows: readonly unknown[] }>,
  shown: string,
): Promise<void> {
  const { rows } = await query(FACTS).catch((error) => {
    throw toStartupError(error, shown) ?? new StartupError(`PostgreSQL at ${shown} cannot be used: ${messageOf(error)}`)
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
  if (schema === null) throw new StartupError('The search_path names no schema that exists. CREATE SCHEMA … first.')
  if (make !== 1) {
    throw new StartupError(`The user may not make tables in schema ${schema}. GRANT CREATE ON SCHEMA ${schema} TO …`)
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** Why a database cannot be used, and what to do about it, where that is known. */
export function toStartupError(error: unknown, shown: string): StartupError | undefined {
  const code = getErrorCode(error)
  const advice = CONNECTION_ADVICE.find(([pattern]) => pattern.test(code))?.[1]
  if (advice) return new StartupError(`${advice(shown)} (${messageOf(error)})`)
  if (/does not support SSL/.test(messageOf(error))) {
    return new StartupError(`PostgreSQL at ${shown} does not speak TLS. Turn it on there, or leave sslmode out.`)
  }
  if (!isConnectionLoss(error)) return undefined
  return new StartupError(
    `PostgreSQL does not answer at ${shown}. Is it running, and are host, port and TLS in DATABASE_URL right? (${messageOf(error)})`,
  )
}

const CONNECTION_ADVICE: readonly (readonly [RegExp, (url: string) => string])[] = [
  [/^28/, (url) => `PostgreSQL at ${url} refuses this user or password. Check DATABASE_URL.`],
  [/^3D000/, (url) => `There is no such database at ${url}. Create it first: CREATE DATABASE …`],
  [
    /^42501/,
    (url) =>
      `The user of ${url} may not make tables there. GRANT USAGE, CREATE ON SCHEMA … TO … (or own the database).`,
  ],
  [/^3F000/, (url) => `The schema that ${url} names does not exist. CREATE SCHEMA … first.`],
  [
    /^(?:DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|CERT_|ERR_TLS)/,
    (url) =>
      `The certificate of PostgreSQL at ${url} is not trusted. Give its authority: postgres(url, { ssl: { ca } }).`,
  ],
  [/^53300/, (url) => `PostgreSQL at ${url} takes no more connections. Raise its limit, or lower "connections".`],
]
