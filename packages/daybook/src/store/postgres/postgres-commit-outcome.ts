import { setTimeout as sleep } from 'node:timers/promises'
import type { PoolClient } from 'pg'
import type { JournalRecord } from '../writes/commit-batch.ts'

/** For how much of the time in which the server has to answer it is tried to find out: with the time until a loss is noticed, it is less than twice that. */
const PATIENCE_FACTOR = 0.7
const OUTCOME_RETRY_MS = 50

/** Waits for the turn. */
export const LOCK_TURN = "SELECT pg_advisory_xact_lock(hashtext('daybook turn'), hashtext(current_schema()))"

/**
 * Waits for the turn to write, which lasts to the end of the transaction, and reads the head of the journal. The advisory lock
 * is given in the order in which it is asked for. The row alone would go to a newcomer at the moment it changes,
 * and a node might wait for ever while two others hand it to each other.
 */
export const TAKE_TURN: string = `${LOCK_TURN};
  SELECT seq FROM daybook$head FOR UPDATE`

/**
 * Whether the transaction is stored that wrote this record last, when the answer to its COMMIT was lost. A writer has its
 * turn until it has ended: the next writer sees its outcome. `undefined`: the outcome is unknown.
 *
 * @param answerMs how long the server may take to answer, in milliseconds
 */
export async function isCommitStored(
  connect: () => Promise<PoolClient>,
  record: JournalRecord | undefined,
  answerMs: number,
): Promise<boolean | undefined> {
  if (!record) return undefined
  const patience = PATIENCE_FACTOR * answerMs
  const late = sleep(patience, undefined)
  return Promise.race([findOutcome(connect, record, Date.now() + patience), late])
}

async function findOutcome(
  connect: () => Promise<PoolClient>,
  record: JournalRecord,
  deadline: number,
): Promise<boolean | undefined> {
  while (Date.now() < deadline) {
    try {
      return await look(connect, record, deadline - Date.now())
    } catch {
      await sleep(OUTCOME_RETRY_MS)
    }
  }
  return undefined
}

async function look(connect: () => Promise<PoolClient>, { seq, id, at }: JournalRecord, ms: number): Promise<boolean> {
  const client = await connect()
  let failure: unknown
  try {
    await client.query(`BEGIN; SET LOCAL lock_timeout = ${Math.max(1, ms)}; ${TAKE_TURN}`)
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
