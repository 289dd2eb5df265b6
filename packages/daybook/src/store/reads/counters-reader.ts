import type { Connection } from '../connection.ts'
import { LINKED, PUBLISHED_LOCALES } from '../tables/tables.ts'
import { READ_COUNTERS } from '../writes/counters.ts'

/** The last changes of a collection, and its numbers of entries by status. */
export interface Counters {
  readonly seq: number
  /** The last change that callers without a session could see. */
  readonly visibleSeq: number
  /** The last change of a draft or a schedule; 0 if there was none. */
  readonly draftSeq: number
  /** The numbers of entries by status, in the default locale. */
  readonly counts: Readonly<Record<string, number>>
  /** The number of entries published in some locales only, for which the counts of locales differ. */
  readonly partlyPublished: number
  /** The number of entries with links to documents in their HTML. */
  readonly linked: number
}

/** A database that may know if something was stored. */
export interface Versioned {
  /** A number that changes whenever something may have been stored; `undefined` if it takes a statement to know. */
  readonly version?: number | undefined
}

/** The counters of collections for one request, none of them older than this object. */
export interface CurrentCounters {
  /** @param key of a collection */
  of(key: string): Promise<Counters>
}

/** Reads the counters of collections; again only if something may have been stored since. */
export class CountersReader implements CurrentCounters, Versioned {
  readonly #connection: Connection
  readonly #database: Versioned
  readonly #cached = new Map<string, { readonly version: number; readonly counters: Counters }>()

  constructor(connection: Connection, database: Versioned) {
    this.#connection = connection
    this.#database = database
  }

  get version(): number | undefined {
    return this.#database.version
  }

  of(key: string): Promise<Counters> {
    return this.current().of(key)
  }

  /** Returns the counters of several collections for one request, each read once. The version is read now. */
  current(): CurrentCounters {
    // Reading the version before the counters is safe: a later change has another version.
    const { version } = this.#database
    const reads = new Map<string, Promise<Counters>>()
    return {
      of: (key) => {
        const counters = reads.get(key) ?? this.#at(version, key)
        reads.set(key, counters)
        return counters
      },
    }
  }

  async #at(version: number | undefined, key: string): Promise<Counters> {
    const cached = this.#cached.get(key)
    if (version !== undefined && cached?.version === version) return cached.counters
    const counters = await this.#read(key)
    if (version !== undefined) this.#cached.set(key, { version, counters })
    return counters
  }

  async #read(key: string): Promise<Counters> {
    const row = await this.#connection.get(READ_COUNTERS, { key })
    if (!row) throw new Error(`No counters for ${key}`)
    const { [PUBLISHED_LOCALES]: partlyPublished = 0, [LINKED]: linked = 0, ...counts } = JSON.parse(row.counts)
    return { seq: row.seq, visibleSeq: row.visible_seq, draftSeq: row.draft_seq ?? 0, counts, partlyPublished, linked }
  }
}
