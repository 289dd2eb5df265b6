import { LRUCache } from 'lru-cache'
import type { ContentContext } from '../../content/context.ts'
import { lruMax } from '../../lru-max.ts'
import type { Announcements } from '../../store/database.ts'
import type { CallerView } from '../feed/caller-view.ts'
import { encodeEvent } from './event-stream.ts'
import type { LiveFeed } from './live-feed.ts'
import type { LiveListener } from './live-listener.ts'

/** The time after which a person who sends nothing more counts as gone, in milliseconds. */
export const PRESENCE_TIMEOUT_MS = 30_000
/** The interval at which people whose time is over are removed, in milliseconds. */
const SWEEP_MS = 1000
/** The maximum number of open documents; the least recently opened ones are dropped. */
const MAX_DOCUMENTS = 10_000
/** The number of open documents, the latest ones, whose people are sent to a new listener. */
const MAX_GREETED = 100
/** The maximum number of people on one document. */
const MAX_PEOPLE = 100
/** The topic of announcements between nodes. */
const TOPIC = 'presence'

/** A person who has a document open. */
export interface PresentPerson {
  readonly subject: string
  /** The time when the person opened it, in ISO 8601. */
  readonly since: string
}

/** A document of a collection. */
export interface EntryAddress {
  readonly collection: string
  readonly id: string
}

interface Visit {
  readonly since: string
  readonly until: number
}

/** A message between nodes. */
interface PresenceNotice extends EntryAddress {
  readonly subject: string
  /** Absent when the person has left. */
  readonly since?: string
}

/** The people who have documents open: in memory, and sent to every node that can be reached. */
export class Presence {
  readonly #engine: ContentContext
  readonly #live: LiveFeed
  readonly #announcements: Announcements | undefined
  readonly #presenceMs: number
  readonly #documents = new LRUCache<string, Map<string, Visit>>(lruMax(MAX_DOCUMENTS))
  readonly #sweep: NodeJS.Timeout
  readonly #stopListening: (() => void) | undefined

  constructor(engine: ContentContext, live: LiveFeed, presenceMs: number = PRESENCE_TIMEOUT_MS) {
    this.#engine = engine
    this.#live = live
    this.#presenceMs = presenceMs
    this.#announcements = engine.store.database.announcements
    this.#stopListening = this.#announcements?.listen(TOPIC, (text) => this.#receive(text))
    live.onJoin((listener, view) => void this.#greet(listener, view))
    this.#sweep = setInterval(() => this.#removeExpired(), Math.min(SWEEP_MS, presenceMs)).unref()
  }

  /** Records that a person has a document open. */
  enter(place: EntryAddress, subject: string): readonly PresentPerson[] {
    const since = this.#peopleOn(place).get(subject)?.since ?? new Date().toISOString()
    this.#record({ ...place, subject, since })
    this.#announcements?.send(TOPIC, JSON.stringify({ ...place, subject, since }))
    return this.listPresent(place)
  }

  /** Records that a person has closed a document. */
  leave(place: EntryAddress, subject: string): void {
    this.#record({ ...place, subject })
    this.#announcements?.send(TOPIC, JSON.stringify({ ...place, subject }))
  }

  /** The people who have a document open, in the order of their arrival. */
  listPresent(place: EntryAddress): readonly PresentPerson[] {
    const people = [...this.#peopleOn(place)].map(([subject, { since }]) => ({ subject, since }))
    return people.sort((a, b) => (a.since < b.since ? -1 : 1))
  }

  close(): void {
    clearInterval(this.#sweep)
    this.#stopListening?.()
  }

  #peopleOn({ collection, id }: EntryAddress): Map<string, Visit> {
    return this.#documents.get(`${collection} ${id}`) ?? new Map()
  }

  #receive(text: string): void {
    const notice: PresenceNotice = JSON.parse(text)
    this.#record(notice)
  }

  #record({ subject, since, ...place }: PresenceNotice): void {
    const people = this.#peopleOn(place)
    const before = people.get(subject)
    if (since === undefined) people.delete(subject)
    else if (before || people.size < MAX_PEOPLE) {
      people.set(subject, { since: before?.since ?? since, until: performance.now() + this.#presenceMs })
    }
    this.#replace(place, people)
    if ((before === undefined) !== (since === undefined)) void this.#send(place)
  }

  #replace({ collection, id }: EntryAddress, people: Map<string, Visit>): void {
    if (people.size > 0) this.#documents.set(`${collection} ${id}`, people)
    else this.#documents.delete(`${collection} ${id}`)
  }

  #removeExpired(): void {
    const now = performance.now()
    for (const [name, people] of this.#documents.entries()) {
      const place = placeIn(name)
      const expired = [...people].filter(([, { until }]) => until <= now)
      for (const [subject] of expired) people.delete(subject)
      if (expired.length === 0) continue
      this.#replace(place, people)
      void this.#send(place)
    }
  }

  /** Sends the people on a document to the listeners that may know them. */
  async #send(place: EntryAddress): Promise<void> {
    const views = new Set<CallerView>()
    for (const view of this.#live.sessionViews()) {
      // A listener whose access cannot be checked now hears of the next change.
      if (await this.#canKnow(view, place).catch(() => false)) views.add(view)
    }
    if (views.size === 0) return
    const bytes = encodeEvent('presence', { ...place, present: this.listPresent(place) })
    this.#live.broadcast(bytes, (view, { hasSession }) => hasSession && views.has(view))
  }

  /** Sends a new listener the people on documents. */
  async #greet(listener: LiveListener, view: CallerView): Promise<void> {
    if (!listener.hasSession) return
    for (const name of [...this.#documents.keys()].slice(0, MAX_GREETED)) {
      const place = placeIn(name)
      if (!(await this.#canKnow(view, place).catch(() => false))) continue
      listener.send(encodeEvent('presence', { ...place, present: this.listPresent(place) }))
    }
  }

  /** True if a view has drafts of the document, and the people who work on it. */
  async #canKnow({ collections }: CallerView, { collection: key, id }: EntryAddress): Promise<boolean> {
    const view = collections.get(key)
    if (!view?.projection.hasAuthors || view.visibleDrafts === false) return false
    const { entries } = this.#engine.store.read
    return (await entries.statuses(view.collection, [id], view.visibleDrafts)).length > 0
  }
}

function placeIn(name: string): EntryAddress {
  const [collection = '', id = ''] = name.split(' ')
  return { collection, id }
}
