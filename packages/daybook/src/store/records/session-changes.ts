import type { RecordReader, RecordWriter } from '../../auth/records.ts'
import type { Announcements } from '../database.ts'
import { GrowthWatch } from '../growth-watch.ts'

const KIND = 'session changes'
const ID = 'count'
/** The topic of announcements between nodes. */
const TOPIC = 'session-changes'
/** A count that every stored count exceeds or equals. */
const BEFORE_ALL = -1

const readCount = async (reader: RecordReader): Promise<number> => Number((await reader.get(KIND, ID))?.count ?? 0)

/** Counts a session change in its transaction. Returns the new count. */
export async function countSessionChange(writer: RecordWriter): Promise<number> {
  const count = (await readCount(writer)) + 1
  await writer.put(KIND, { id: ID, count })
  return count
}

/** Tells listeners on all nodes that sessions may have changed, by a stored count: an announcement may be lost, or have no way. */
export class SessionChanges {
  readonly #announcements: () => Announcements | undefined
  readonly #watch: GrowthWatch

  constructor(reader: RecordReader, announcements: () => Announcements | undefined) {
    this.#announcements = announcements
    this.#watch = new GrowthWatch(() => readCount(reader))
  }

  /** Calls `listener` after each change, and once at first: a change may have come shortly before. The returned function stops that. */
  listen(listener: () => void): () => void {
    const stopWatching = this.#watch.listen(() => listener(), BEFORE_ALL)
    const stopHearing = this.#announcements()?.listen(TOPIC, (text) => this.#watch.hint(Number(text)))
    return () => {
      stopWatching()
      stopHearing?.()
    }
  }

  /** Reports a count that is committed. */
  announce(count: number): void {
    this.#watch.hint(count)
    this.#announcements()?.send(TOPIC, String(count))
  }

  close(): void {
    this.#watch.close()
  }
}
