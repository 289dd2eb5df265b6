import type { Client, QueryResult } from 'pg'
import type { ServingProcess } from '../serving-process.ts'

/** The first key of the shared locks of services in this schema. The second is the digest of their config. */
const LOCK_CLASS = "hashtext('daybook service ' || current_schema())"

/** A name of an application has 63 bytes at most, and those of the process come last. */
const REGISTER = `SELECT pg_try_advisory_lock_shared(${LOCK_CLASS}, $2),
  set_config('application_name', left(current_setting('application_name'), 62 - length($1)) || ' ' || $1, false)`
/** The longest name of a process, in characters. */
const MAX_PROCESS_NAME = 50

/** Lists a process among the services of the database for as long as the session lasts. */
export async function registerService(client: Client, { name, config }: ServingProcess): Promise<void> {
  // The start of a long name of a host can be spared; the id of the process cannot.
  await client.query(REGISTER, [name.slice(-MAX_PROCESS_NAME), Number.parseInt(config, 16) | 0])
}

/** Locks have their keys as numbers without a sign. */
const LIST = `SELECT substring(application_name FROM '\\S+$') AS name, lpad(to_hex(objid::bigint), 8, '0') AS config
  FROM pg_locks JOIN pg_stat_activity USING (pid)
  WHERE locktype = 'advisory' AND objsubid = 2 AND classid::bigint = ${LOCK_CLASS}::bigint & 4294967295 AND datname = current_database()`

/** Lists the services of the database. */
export async function listServices(query: (text: string) => Promise<QueryResult>): Promise<readonly ServingProcess[]> {
  const { rows } = await query(LIST)
  return rows as readonly ServingProcess[]
}
