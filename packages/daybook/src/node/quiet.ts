import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'

/** No connection comes any more when none has for so long, in milliseconds: clients are busy, too. */
const QUIET_MS = 20
/** How long connections may keep coming while a server closes its listener, in milliseconds. */
const LONGEST_MS = 250
/** How long the system may then still hold some, in milliseconds; a turn of the event loop takes one, in microseconds. */
const LIMIT_MS = 1000
/** The system holds no connection when so many turns of the event loop have taken none. */
const EMPTY_TURNS = 2
/** How long the process leaves its processor to clients between two looks, in milliseconds. */
const PAUSE_MS = 2

/**
 * Resolves when no connection comes any more and the system holds none that has not been taken: closing the listener would reset them.
 * It looks last: what came while the process had no processor is taken, however long that was.
 *
 * @param lastAt when the last one was taken, as `performance.now()` has it
 */
export async function untilQuiet(lastAt: () => number): Promise<void> {
  const startedAt = performance.now()
  const since = (moment: number): number => performance.now() - moment
  const hasWaited = (): boolean => since(Math.max(startedAt, lastAt())) > QUIET_MS || since(startedAt) > LONGEST_MS
  let turns = 0
  while (turns < EMPTY_TURNS && since(startedAt) < LIMIT_MS) {
    if (!hasWaited()) await sleep(PAUSE_MS)
    const seenAt = lastAt()
    await nextTurn()
    const isEmpty = lastAt() === seenAt && hasWaited()
    turns = isEmpty ? turns + 1 : 0
  }
}
