import { Client, types } from 'pg'

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
