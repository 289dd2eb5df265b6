import { Client } from 'pg'

/** Runs one query on a connection of its own. */
export async function queryOnce<Row extends object>(
  url: string,
  sql: string,
  values: readonly unknown[],
): Promise<readonly Row[]> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<Row>(sql, [...values])).rows
  } finally {
    await client.end()
  }
}
