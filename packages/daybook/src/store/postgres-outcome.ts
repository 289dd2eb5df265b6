import { setTimeout as sleep } from 'node:timers/promises'
import type { PoolClient } from 'pg'
import type { JournalRecord } from './ledger.ts'

/** How long it is tried to find out, in milliseconds: with the time until a loss is noticed, it is less than two seconds. */
const PATIENCE_MS = 700
const RETRY_MS = 50

/**
 * Whether the transaction is stored that wrote this record last, when the answer to its COMMIT was lost. Every writer
 * locks the head of the journal until it has ended: who gets that lock sees what came of it. `undefined`: nobody knows.
 */
export async function isStored(
  connect: () => Promise<PoolClient>,
  record: JournalRecord | undefined,
): Promise<boolean | undefined> {
  if (!record) return undefined
  const late = sleep(PATIENCE_MS, undefined)
  return Promise.race([find(connect, record, Date.now() + PATIENCE_MS), late])
}

async function find(
  connect: () => Promise<PoolClient>,
  record: JournalRecord,
  deadline: number,
): Promise<boolean | undefined> {
  while (Date.now() < deadline) {
    try {
      return await look(connect, record, deadline - Date.now())
    } catch {
      await sleep(RETRY_MS)
    }
  }
  return undefined
}

async function look(connect: () => Promise<PoolClient>, { seq, id, at }: JournalRecord, ms: number): Promise<boolean> {
  const client = await connect()
  let failure: unknown
  try {
    await client.query(`BEGIN; SET LOCAL lock_timeout = ${Math.max(1, ms)}; SELECT seq FROM daybook$head FOR UPDATE`)
    const found = await client.query('SELECT 1 FROM daybook$journal WHERE seq = $1 AND id = $2 AND at = $3', [
      seq,
      id,
      at,
    ])
    await client.query('ROLLBACK')
    return found.rows.length > 0
  } catch (error) {
    failure = error
    throw error
  } finally {
    client.release(failure !== undefined)
  }
}
