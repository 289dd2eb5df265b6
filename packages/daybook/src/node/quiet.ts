import { setImmediate as nextTurn } from 'node:timers/promises'

/** How long connections may keep coming while a server closes its listener, in milliseconds. */
const LONGEST_MS = 250
/** No connection comes any more when none does for so many turns of the event loop, and so many milliseconds: clients are busy, too. */
const LISTENER_QUIET_TURNS = 2
const QUIET_MS = 20

/**
 * Resolves when the system holds no connection that has not been taken: closing the listener would reset them. Each turn of
 * the event loop takes one.
 *
 * @param lastAt when the last one was taken, as `performance.now()` has it
 */
export async function untilQuiet(lastAt: () => number): Promise<void> {
  const startedAt = performance.now()
  let seenAt = startedAt
  let turns = 0
  const isQuiet = (now: number): boolean => turns > LISTENER_QUIET_TURNS && now - seenAt > QUIET_MS
  for (let now = startedAt; !isQuiet(now) && now - startedAt < LONGEST_MS; now = performance.now()) {
    await nextTurn()
    turns += 1
    if (lastAt() <= seenAt) continue
    seenAt = lastAt()
    turns = 0
  }
}
