import { LRUCache } from 'lru-cache'
import type { Engine } from '../../content/engine.ts'
import { upTo } from '../../lru-bounds.ts'
import type { Announcements } from '../../store/database.ts'
import type { ReaderView } from '../feed/reader-view.ts'
import { otherBytes } from './event-text.ts'
import type { LiveFeed } from './live-feed.ts'
import type { LiveListener } from './live-listener.ts'

/** How long somebody counts as present who says nothing more, in milliseconds. */
export const PRESENCE_MS = 30_000
/** How often it is looked at whose time is over, in milliseconds. */
const SWEEP_MS = 1000
/** The most documents that are known to be open; those that were opened least lately are forgotten. */
const MAX_DOCUMENTS = 10_000
/** Of how many documents a new listener is told who has them open: the latest. */
const MAX_GREETED = 100
/** The most people on one document. */
const MAX_PEOPLE = 100
/** The topic of announcements between nodes. */
const TOPIC = 'presence'

/** Somebody who has a document open. */
export interface PresentPerson {
  readonly subject: string
  /** Since when, in ISO 8601. */
  readonly since: string
}

/** A document of a collection. */
export interface PresencePlace {
  readonly collection: string
  readonly id: string
}

interface Known {
  readonly since: string
  readonly until: number
}

/** What nodes tell each other. */
interface PresenceNotice extends PresencePlace {
  readonly subject: string
  /** Absent: has left. */
  readonly since?: string
}

/** Who has which document open, in memory, and on every node that hears of it. */
export class Presence {
  readonly #engine: Engine
  readonly #live: LiveFeed
  readonly #announcements: Announcements | undefined
  readonly #presenceMs: number
  readonly #documents = new LRUCache<string, Map<string, Known>>(upTo(MAX_DOCUMENTS))
  readonly #sweep: NodeJS.Timeout
  readonly #stopHearing: (() => void) | undefined

  constructor(engine: Engine, live: LiveFeed, presenceMs: number = PRESENCE_MS) {
    this.#engine = engine
    this.#live = live
    this.#presenceMs = presenceMs
    this.#announcements = engine.store.announcements
    this.#stopHearing = this.#announcements?.listen(TOPIC, (text) => this.#hear(text))
    live.whenJoined((listener, view) => void this.#greet(listener, view))
    this.#sweep = setInterval(() => this.#forget(), Math.min(SWEEP_MS, presenceMs)).unref()
  }

  /** Notes that somebody has a document open from now on. */
  enter(place: PresencePlace, subject: string): readonly PresentPerson[] {
    const since = this.#known(place).get(subject)?.since ?? new Date().toISOString()
    this.#note({ ...place, subject, since })
    this.#announcements?.send(TOPIC, JSON.stringify({ ...place, subject, since }))
    return this.present(place)
  }

  /** Notes that somebody has closed a document. */
  leave(place: PresencePlace, subject: string): void {
    this.#note({ ...place, subject })
    this.#announcements?.send(TOPIC, JSON.stringify({ ...place, subject }))
  }

  /** Who has a document open, those first who came first. */
  present(place: PresencePlace): readonly PresentPerson[] {
    const people = [...this.#known(place)].map(([subject, { since }]) => ({ subject, since }))
    return people.sort((one, other) => (one.since < other.since ? -1 : 1))
  }

  close(): void {
    clearInterval(this.#sweep)
    this.#stopHearing?.()
  }

  #known({ collection, id }: PresencePlace): Map<string, Known> {
    return this.#documents.get(`${collection} ${id}`) ?? new Map()
  }

  #hear(text: string): void {
    const notice: PresenceNotice = JSON.parse(text)
    this.#note(notice)
  }

  #note({ subject, since, ...place }: PresenceNotice): void {
    const people = this.#known(place)
    const before = people.get(subject)
    if (since === undefined) people.delete(subject)
    else if (before || people.size < MAX_PEOPLE) {
      people.set(subject, { since: before?.since ?? since, until: performance.now() + this.#presenceMs })
    }
    this.#keep(place, people)
    if ((before === undefined) !== (since === undefined)) void this.#tell(place)
  }

  #keep({ collection, id }: PresencePlace, people: Map<string, Known>): void {
    if (people.size > 0) this.#documents.set(`${collection} ${id}`, people)
    else this.#documents.delete(`${collection} ${id}`)
  }

  #forget(): void {
    const now = performance.now()
    for (const [name, people] of this.#documents.entries()) {
      const place = placeIn(name)
      const over = [...people].filter(([, { until }]) => until <= now)
      for (const [subject] of over) people.delete(subject)
      if (over.length === 0) continue
      this.#keep(place, people)
      void this.#tell(place)
    }
  }

  /** Sends the people on a document to the listeners that may know them. */
  async #tell(place: PresencePlace): Promise<void> {
    const views = new Set<ReaderView>()
    for (const view of this.#live.sessionViews()) {
      // A listener whose access cannot be checked now hears of the next change.
      if (await this.#canKnow(view, place).catch(() => false)) views.add(view)
    }
    if (views.size === 0) return
    const bytes = otherBytes('presence', { ...place, present: this.present(place) })
    this.#live.broadcast(bytes, (view, { hasSession }) => hasSession && views.has(view))
  }

  /** Sends a new listener the people on documents. */
  async #greet(listener: LiveListener, view: ReaderView): Promise<void> {
    if (!listener.hasSession) return
    for (const name of [...this.#documents.keys()].slice(0, MAX_GREETED)) {
      const place = placeIn(name)
      if (!(await this.#canKnow(view, place).catch(() => false))) continue
      listener.send(otherBytes('presence', { ...place, present: this.present(place) }))
    }
  }

  /** True if a view has drafts of the document, and the people who work on it. */
  async #canKnow({ collections }: ReaderView, { collection: key, id }: PresencePlace): Promise<boolean> {
    const view = collections.get(key)
    if (!view?.projection.hasPeople || view.visibleDrafts === false) return false
    const { entries } = this.#engine.store.read
    return (await entries.statuses(view.collection, [id], view.visibleDrafts)).length > 0
  }
}

function placeIn(name: string): PresencePlace {
  const [collection = '', id = ''] = name.split(' ')
  return { collection, id }
}
