import { setTimeout as sleep } from 'node:timers/promises'
import type { PoolClient } from 'pg'
import type { JournalRecord } from '../writes/commit-batch.ts'

/** The time to find out the outcome, as a part of `responseMs`. Together with the time until the loss is noticed, it is below twice `responseMs`. */
const TIMEOUT_FACTOR = 0.7
const OUTCOME_RETRY_MS = 50

/** Waits for the turn to write, by an advisory lock. */
export const LOCK_TURN = "SELECT pg_advisory_xact_lock(hashtext('daybook turn'), hashtext(current_schema()))"

/**
 * Waits for the turn to write, which lasts to the end of the transaction, and reads the head of the journal. The advisory lock is granted
 * in the order of requests. A row lock alone could go to a newcomer whenever the row changes, and starve a node while two others pass it
 * to each other.
 */
export const TAKE_TURN: string = `${LOCK_TURN};
  SELECT seq FROM daybook$head FOR UPDATE`

/**
 * Returns true if the transaction is stored that wrote this record last, after the response to its COMMIT was lost. A writer holds its
 * turn until its transaction has ended, so the next writer sees the outcome. Returns `undefined` if the outcome is unknown.
 *
 * @param responseTimeoutMs the time in which the server must respond, in milliseconds
 */
export async function isCommitStored(
  connect: () => Promise<PoolClient>,
  record: JournalRecord | undefined,
  responseTimeoutMs: number,
): Promise<boolean | undefined> {
  if (!record) return undefined
  const timeoutMs = TIMEOUT_FACTOR * responseTimeoutMs
  return Promise.race([findOutcome(connect, record, Date.now() + timeoutMs), sleep(timeoutMs, undefined)])
}

async function findOutcome(
  connect: () => Promise<PoolClient>,
  record: JournalRecord,
  deadline: number,
): Promise<boolean | undefined> {
  while (Date.now() < deadline) {
    try {
      return await hasRecord(connect, record, deadline - Date.now())
    } catch {
      await sleep(OUTCOME_RETRY_MS)
    }
  }
  return undefined
}

async function hasRecord(
  connect: () => Promise<PoolClient>,
  { seq, id, at }: JournalRecord,
  ms: number,
): Promise<boolean> {
  const client = await connect()
  let failure: unknown
  try {
    await client.query(`BEGIN; SET LOCAL lock_timeout = ${Math.max(1, ms)}; ${TAKE_TURN}`)
    const result = await client.query('SELECT 1 FROM daybook$journal WHERE seq = $1 AND id = $2 AND at = $3', [
      seq,
      id,
      at,
    ])
    await client.query('ROLLBACK')
    return result.rows.length > 0
  } catch (error) {
    failure = error
    throw error
  } finally {
    client.release(failure !== undefined)
  }
}
