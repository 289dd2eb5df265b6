import type { Connection } from '../connection.ts'
import { PUBLISHED_LOCALES } from '../tables/tables.ts'
import { READ_COUNTERS } from '../writes/counters.ts'

/** Where a collection stands in the journal, and how many entries it has by status. */
export interface Counters {
  readonly seq: number
  /** The last change that readers without a session may have seen. */
  readonly visibleSeq: number
  /** The last change of a working copy or a schedule; 0: there was none. */
  readonly draftSeq: number
  /** In the default locale. */
  readonly counts: Readonly<Record<string, number>>
  /** The number of entries published in some locales only; it makes the counts of locales differ. */
  readonly partlyPublished: number
}

/** A database that may know whether something was stored. */
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

  /** @param key of a collection */
  of(key: string): Promise<Counters> {
    return this.current().of(key)
  }

  /** Counters of several collections for one request: the version is read now, and not for each of them. */
  current(): CurrentCounters {
    // The version is read before the counters, since whatever is stored later gives another version.
    const { version } = this.#database
    return { of: (key) => this.#at(version, key) }
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
    const { [PUBLISHED_LOCALES]: partlyPublished = 0, ...counts } = JSON.parse(row.counts)
    return { seq: row.seq, visibleSeq: row.visible_seq, draftSeq: row.draft_seq ?? 0, counts, partlyPublished }
  }
}
