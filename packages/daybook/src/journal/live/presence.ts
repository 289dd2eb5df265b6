import { LRUCache } from 'lru-cache'
import type { ContentContext } from '../../content/context.ts'
import { lruMax } from '../../lru-max.ts'
import type { Announcements } from '../../store/database.ts'
import type { CallerView } from '../feed/caller-view.ts'
import { encodeEvent } from './event-stream.ts'
import type { LiveFeed } from './live-feed.ts'
import type { LiveListener } from './live-listener.ts'

/** The time after which a person without further requests counts as gone, in milliseconds. */
export const PRESENCE_TIMEOUT_MS = 30_000
/** The interval of removing people whose time is over, in milliseconds. */
const SWEEP_MS = 1000
/** The maximum number of open documents; the least recently opened ones are dropped. */
const MAX_DOCUMENTS = 10_000
/** The number of open documents, the latest ones, whose people are sent to a new listener. */
const MAX_GREETED_DOCUMENTS = 100
const MAX_PEOPLE = 100
/** The topic of announcements between nodes. */
const TOPIC = 'presence'

export interface PresentUser {
  readonly subject: string
  /** The time when the person opened it, in ISO 8601. */
  readonly since: string
}

export interface EntryAddress {
  readonly collection: string
  readonly id: string
}

interface Visit {
  readonly since: string
  /** The time when the visit expires, by `performance.now()`. */
  readonly until: number
}

interface PresenceNotice extends EntryAddress {
  readonly subject: string
  /** Absent if the person has left. */
  readonly since?: string
}

/** The people who have documents open, in memory and announced to all reachable nodes. */
export class Presence {
  readonly #context: ContentContext
  readonly #live: LiveFeed
  readonly #announcements: Announcements | undefined
  readonly #presenceMs: number
  readonly #documents = new LRUCache<string, Map<string, Visit>>(lruMax(MAX_DOCUMENTS))
  readonly #sweep: NodeJS.Timeout
  readonly #stopListening: (() => void) | undefined

  constructor(context: ContentContext, live: LiveFeed, presenceMs: number = PRESENCE_TIMEOUT_MS) {
    this.#context = context
    this.#live = live
    this.#presenceMs = presenceMs
    this.#announcements = context.store.database.announcements
    this.#stopListening = this.#announcements?.listen(TOPIC, (text) => this.#receive(text))
    live.onJoin((listener, view) => void this.#greet(listener, view))
    this.#sweep = setInterval(() => this.#removeExpired(), Math.min(SWEEP_MS, presenceMs)).unref()
  }

  /** Records that a person has a document open. */
  enter(address: EntryAddress, subject: string): readonly PresentUser[] {
    const since = this.#getPeople(address).get(subject)?.since ?? new Date().toISOString()
    this.#record({ ...address, subject, since })
    this.#announcements?.send(TOPIC, JSON.stringify({ ...address, subject, since }))
    return this.listPresent(address)
  }

  /** Records that a person has closed a document. */
  leave(address: EntryAddress, subject: string): void {
    this.#record({ ...address, subject })
    this.#announcements?.send(TOPIC, JSON.stringify({ ...address, subject }))
  }

  /** Lists the people who have a document open in the order of their arrival. */
  listPresent(address: EntryAddress): readonly PresentUser[] {
    const people = [...this.#getPeople(address)].map(([subject, { since }]) => ({ subject, since }))
    return people.sort((a, b) => (a.since < b.since ? -1 : 1))
  }

  close(): void {
    clearInterval(this.#sweep)
    this.#stopListening?.()
  }

  #getPeople({ collection, id }: EntryAddress): Map<string, Visit> {
    return this.#documents.get(`${collection} ${id}`) ?? new Map()
  }

  #receive(text: string): void {
    const notice: PresenceNotice = JSON.parse(text)
    this.#record(notice)
  }

  #record({ subject, since, ...address }: PresenceNotice): void {
    const people = this.#getPeople(address)
    const visit = people.get(subject)
    if (since === undefined) people.delete(subject)
    else if (visit || people.size < MAX_PEOPLE) {
      people.set(subject, { since: visit?.since ?? since, until: performance.now() + this.#presenceMs })
    }
    this.#replace(address, people)
    if ((visit === undefined) !== (since === undefined)) void this.#send(address)
  }

  #replace({ collection, id }: EntryAddress, people: Map<string, Visit>): void {
    if (people.size > 0) this.#documents.set(`${collection} ${id}`, people)
    else this.#documents.delete(`${collection} ${id}`)
  }

  #removeExpired(): void {
    const now = performance.now()
    for (const [key, people] of this.#documents.entries()) {
      const address = parseKey(key)
      const expired = [...people].filter(([, { until }]) => until <= now)
      for (const [subject] of expired) people.delete(subject)
      if (expired.length === 0) continue
      this.#replace(address, people)
      void this.#send(address)
    }
  }

  /** Sends the people on a document to the listeners that may see them. */
  async #send(address: EntryAddress): Promise<void> {
    const views = new Set<CallerView>()
    for (const view of this.#live.sessionViews()) {
      // A listener whose access cannot be checked now receives the next change.
      if (await this.#canSeePresence(view, address).catch(() => false)) views.add(view)
    }
    if (views.size === 0) return
    const bytes = encodeEvent('presence', { ...address, present: this.listPresent(address) })
    this.#live.broadcast(bytes, (view, { hasSession }) => hasSession && views.has(view))
  }

  /** Sends a new listener the people on documents. */
  async #greet(listener: LiveListener, view: CallerView): Promise<void> {
    if (!listener.hasSession) return
    for (const key of [...this.#documents.keys()].slice(0, MAX_GREETED_DOCUMENTS)) {
      const address = parseKey(key)
      if (!(await this.#canSeePresence(view, address).catch(() => false))) continue
      listener.send(encodeEvent('presence', { ...address, present: this.listPresent(address) }))
    }
  }

  /** True if a view includes drafts and authors of the document. */
  async #canSeePresence({ collections }: CallerView, { collection: key, id }: EntryAddress): Promise<boolean> {
    const view = collections.get(key)
    if (!view?.projection.hasAuthors || view.visibleDrafts === false) return false
    const { entries } = this.#context.store.read
    return (await entries.statuses(view.collection, [id], view.visibleDrafts)).length > 0
  }
}

function parseKey(key: string): EntryAddress {
  const [collection = '', id = ''] = key.split(' ')
  return { collection, id }
}
