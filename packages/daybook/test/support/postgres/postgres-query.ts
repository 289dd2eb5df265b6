import { Client, Pool, types } from 'pg'

/** The type id of `bigint`, which tests read as numbers. */
const BIGINT = 20
const TYPES = {
  getTypeParser: ((oid, format) =>
    oid === BIGINT ? Number : types.getTypeParser(oid, format)) as typeof types.getTypeParser,
}

/** Runs one query on a new connection. */
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

/** Returns a pool of one connection, which the first query opens. */
export function queryConnection(url: string): Pool {
  const pool = new Pool({ connectionString: url, types: TYPES, max: 1, idleTimeoutMillis: 0, allowExitOnIdle: true })
  // An idle connection that ends fails here; the next query opens another.
  pool.on('error', () => {})
  return pool
}
