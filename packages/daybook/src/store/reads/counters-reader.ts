import type { Connection } from '../connection.ts'
import { PUBLISHED_LOCALES } from '../tables/tables.ts'
import { COUNTERS } from '../writes/counters.ts'

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

/** Answers the counters of a collection, none of them older than itself. */
export interface CountersLook {
  /** @param key of a collection */
  of(key: string): Promise<Counters>
}

/** Reads how far collections have come; again only once something may have been stored. */
export class CountersReader implements CountersLook {
  readonly #connection: Connection
  readonly #version: () => number | undefined
  readonly #known = new Map<string, { readonly version: number; readonly counters: Counters }>()

  /** @param version another number whenever something may have been stored; `undefined`: it takes a statement to know */
  constructor(connection: Connection, version: () => number | undefined) {
    this.#connection = connection
    this.#version = version
  }

  /** @param key of a collection */
  of(key: string): Promise<Counters> {
    return this.look().of(key)
  }

  /** Counters of several collections for one request: the store is looked at now, and not for each of them. */
  look(): CountersLook {
    // Looked at first: what is stored afterwards makes another one.
    const version = this.#version()
    return { of: (key) => this.#at(version, key) }
  }

  async #at(version: number | undefined, key: string): Promise<Counters> {
    const known = this.#known.get(key)
    if (version !== undefined && known?.version === version) return known.counters
    const counters = await this.#read(key)
    if (version !== undefined) this.#known.set(key, { version, counters })
    return counters
  }

  async #read(key: string): Promise<Counters> {
    const row = await this.#connection.get(COUNTERS, { key })
    if (!row) throw new Error(`No counters for ${key}`)
    const { [PUBLISHED_LOCALES]: partlyPublished = 0, ...counts } = JSON.parse(row.counts)
    return { seq: row.seq, visibleSeq: row.visible_seq, draftSeq: row.draft_seq ?? 0, counts, partlyPublished }
  }
}
