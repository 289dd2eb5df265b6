import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'

/** The time without a new connection after which none is expected, in milliseconds: clients are busy, too. */
const QUIET_MS = 20
/** The longest time for which new connections are waited for, in milliseconds. */
const LONGEST_MS = 250
/** The longest time until all connections that the system holds are accepted, in milliseconds. */
const LIMIT_MS = 1000
/** The turns of the event loop without a new connection after which the system holds none. */
const EMPTY_TURNS = 2
/** The time that the process leaves its processor to clients before it checks again, in milliseconds. */
const PAUSE_MS = 2

/**
 * Resolves when no connection is expected any more and the system holds none: closing the listener would reset those. The turns of the event
 * loop come last, so that connections which arrived while the process had no processor are accepted, however long that was.
 *
 * @param lastAt returns the time of the last connection, as `performance.now()` has it
 */
export async function untilQuiet(lastAt: () => number): Promise<void> {
  const startedAt = performance.now()
  const since = (moment: number): number => performance.now() - moment
  const hasWaited = (): boolean => since(Math.max(startedAt, lastAt())) > QUIET_MS || since(startedAt) > LONGEST_MS
  let turns = 0
  while (turns < EMPTY_TURNS && since(startedAt) < LIMIT_MS) {
    if (!hasWaited()) await sleep(PAUSE_MS)
    const previousAt = lastAt()
    await nextTurn()
    const isEmpty = lastAt() === previousAt && hasWaited()
    turns = isEmpty ? turns + 1 : 0
  }
}
