import { Client, Pool, types } from 'pg'

/** What PostgreSQL's `bigint` holds here are numbers. */
const BIGINT = 20
const TYPES = {
  getTypeParser: ((oid, format) =>
    oid === BIGINT ? Number : types.getTypeParser(oid, format)) as typeof types.getTypeParser,
}

/** Runs one query on a connection of its own. */
export async function queryOnce<Row extends object>(
  url: string,
  sql: string,
  values: readonly unknown[],
): Promise<readonly Row[]> {
  const client = new Client({ connectionString: url, types: TYPES })
  await client.connect()
  try {
    return (await client.query<Row>(sql, [...values])).rows
  } finally {
    await client.end()
  }
}

/** One connection for many queries, made with the first of them. */
export function queryConnection(url: string): Pool {
  const pool = new Pool({ connectionString: url, types: TYPES, max: 1, idleTimeoutMillis: 0, allowExitOnIdle: true })
  // A connection that ends while it is idle says so here; the next query makes another.
  pool.on('error', () => {})
  return pool
}
