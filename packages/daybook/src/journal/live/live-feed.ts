import { setImmediate as turn } from 'node:timers/promises'
import { DaybookError } from '../../errors.ts'
import type { Log } from '../../log.ts'
import type { GrowingJournal } from '../../store/journal.ts'
import type { ChangesFeed } from '../feed/changes-feed.ts'
import type { FeedPosition } from '../feed/position.ts'
import { viewsName } from '../feed/reader-views.ts'
import { Channel, type ChannelReader } from './channel.ts'
import type { EventStream } from './event-stream.ts'
import { HEARTBEAT } from './event-text.ts'
import { type ListenerHost, type ListenerQuestion, LiveListener, resetStream } from './live-listener.ts'

/** Times and bounds of live events. */
export interface LiveOptions {
  /** How many listeners a process has at most. */
  readonly listeners: number
  /** The most bytes that wait for one listener. @default 1 MiB */
  readonly maxUnsentBytes?: number
  /** How often a listener hears something, and is asked again who it is, in milliseconds. */
  readonly heartbeatMs: number
  /** How long changes are gathered before they are told, in milliseconds. @default 50 */
  readonly gatherMs?: number
}

const DEFAULT_UNSENT_BYTES = 1024 * 1024
const DEFAULT_GATHER_MS = 50
/** After a failure of the database, in milliseconds. */
const RETRY_MS = 1000
/** Listeners are asked again who they are in so many parts of the time between two heartbeats. */
const CHECKS = 15
/** The most listeners that are checked at the same time. */
const CHECKED_TOGETHER = 50
/** When a listener that finds no place may come again, in seconds. */
const RETRY_AFTER = 5

/** Where a listener begins. */
export interface LiveQuestion extends ListenerQuestion {
  /** @default now */
  readonly since?: string | undefined
  /** The parameter or header that `since` came in. */
  readonly sinceName: string
}

/** What live events are made of. */
export interface LiveSources {
  readonly feed: ChangesFeed
  readonly journal: GrowingJournal
  /** Reports that sessions may have ended or changed; the returned function stops that. */
  readonly sessions: { onSessionChange(listener: () => void): () => void }
}

/** Tells listeners what changes, on this node and on others, as soon as it is committed. */
export class LiveFeed {
  readonly #feed: ChangesFeed
  readonly #journal: GrowingJournal
  readonly #sessions: LiveSources['sessions']
  readonly #log: Log
  readonly #options: Required<LiveOptions>
  readonly #host: ListenerHost
  readonly #listeners = new Set<LiveListener>()
  readonly #channels = new Map<string, Channel>()
  readonly #channelOf = new Map<LiveListener, string>()
  #timers: readonly NodeJS.Timeout[] = []
  #stops: readonly (() => void)[] = []
  #onJoin: ((listener: LiveListener, reader: ChannelReader) => void) | undefined
  #isClosed = false
  #isAdvancing = false
  #isChecking = false
  #hasGrown = false

  constructor({ feed, journal, sessions }: LiveSources, log: Log, options: LiveOptions) {
    this.#feed = feed
    this.#journal = journal
    this.#sessions = sessions
    this.#log = log
    this.#options = {
      maxUnsentBytes: DEFAULT_UNSENT_BYTES,
      gatherMs: DEFAULT_GATHER_MS,
      ...options,
    }
    this.#host = {
      feed,
      maxUnsentBytes: this.#options.maxUnsentBytes,
      join: (listener, reader, position) => this.#join(listener, reader, position),
      leave: (listener) => this.#leave(listener),
      failed: (err) => log.error({ err }, 'live events: a stream broke off'),
    }
  }

  /**
   * Opens a stream of events, which holds the place of a listener from now on.
   *
   * @throws VALIDATION_ERROR; SERVICE_UNAVAILABLE when there are too many listeners, the auth adapter fails, or the service ends
   */
  async open({ since, sinceName, ...question }: LiveQuestion): Promise<EventStream> {
    const given = since === undefined ? undefined : await this.#feed.open(since, sinceName)
    const { access, collections } = question
    const views = await this.#feed.views(access, collections)
    try {
      const position = given
        ? (await this.#feed.followAs(views, given, collections)).position
        : await this.#feed.positionNow(views, collections)
      if (this.#isClosed) throw new DaybookError('SERVICE_UNAVAILABLE')
      if (this.#listeners.size >= this.#options.listeners) throw tooMany()
      if (this.#listeners.size === 0) this.#begin()
      return this.#add(new LiveListener(this.#host, question, views, position))
    } catch (error) {
      if (error instanceof DaybookError && error.code === 'GONE') return resetStream(error.details.restart)
      throw error
    }
  }

  /** Sends to every listener of the channels that a reader is among. */
  broadcast(bytes: Uint8Array, isFor: (reader: ChannelReader, listener: LiveListener) => boolean): void {
    for (const [listener, name] of this.#channelOf) {
      const reader = this.#channels.get(name)?.reader
      if (reader && isFor(reader, listener)) listener.send(bytes)
    }
  }

  /** What readers with a session see that hear live events: one for each kind of them. */
  sessionReaders(): readonly ChannelReader[] {
    const names = new Set([...this.#channelOf].filter(([{ hasSession }]) => hasSession).map(([, name]) => name))
    return [...names].flatMap((name) => this.#channels.get(name)?.reader ?? [])
  }

  /** Calls `greet` with each listener that has caught up. */
  whenJoined(greet: (listener: LiveListener, reader: ChannelReader) => void): void {
    this.#onJoin = greet
  }

  /** Ends all streams, and takes no new ones. */
  close(): void {
    this.#isClosed = true
    for (const { stream } of [...this.#listeners]) stream.end()
  }

  #add(listener: LiveListener): EventStream {
    this.#listeners.add(listener)
    // A session may have ended since the request was authenticated.
    if (listener.hasSession) void this.#checkDue()
    else listener.checkAt = performance.now() + this.#options.heartbeatMs
    return listener.stream
  }

  #begin(): void {
    const { heartbeatMs } = this.#options
    this.#stops = [
      this.#sessions.onSessionChange(() => this.#checkSessions()),
      this.#journal.onGrowth(() => this.#grown()),
    ]
    this.#timers = [
      setInterval(() => void this.#beat(), heartbeatMs).unref(),
      setInterval(() => void this.#checkDue(), Math.ceil(heartbeatMs / CHECKS)).unref(),
    ]
  }

  #leave(listener: LiveListener): void {
    this.#listeners.delete(listener)
    const name = this.#channelOf.get(listener)
    this.#channelOf.delete(listener)
    const channel = name === undefined ? undefined : this.#channels.get(name)
    channel?.listeners.delete(listener)
    if (name !== undefined && channel?.listeners.size === 0) this.#channels.delete(name)
    if (this.#listeners.size > 0) return
    for (const stop of this.#stops) stop()
    for (const timer of this.#timers) clearInterval(timer)
  }

  #join(listener: LiveListener, reader: ChannelReader, position: FeedPosition): boolean {
    const name = JSON.stringify([reader.asked, viewsName(reader.views)])
    const known = this.#channels.get(name)
    if (known && known.seq > position.seq) return false
    const channel = known ?? new Channel(this.#feed, reader, position)
    this.#channels.set(name, channel)
    channel.listeners.add(listener)
    this.#channelOf.set(listener, name)
    this.#onJoin?.(listener, reader)
    // The journal may have grown since its last page was read.
    this.#grown()
    return true
  }

  #grown(): void {
    this.#hasGrown = true
    if (this.#isAdvancing) return
    this.#isAdvancing = true
    setTimeout(() => void this.#advance(), this.#options.gatherMs).unref()
  }

  /** Lets one channel after the other tell what has changed; what changes meanwhile is told after that. */
  async #advance(): Promise<void> {
    this.#hasGrown = false
    const isDone = await this.#advanceAll()
    this.#isAdvancing = false
    if (!isDone) setTimeout(() => this.#grown(), RETRY_MS).unref()
    else if (this.#hasGrown) this.#grown()
  }

  async #advanceAll(): Promise<boolean> {
    try {
      for (const channel of [...this.#channels.values()]) {
        await channel.advance()
        await turn()
      }
      return true
    } catch (err) {
      this.#log.error({ err }, 'live events: the journal could not be read; it is read again')
      return false
    }
  }

  async #beat(): Promise<void> {
    for (const listener of this.#listeners) if (!this.#channelOf.has(listener)) listener.send(HEARTBEAT)
    for (const channel of [...this.#channels.values()]) {
      const bytes = await channel.positionUpdate().catch(() => undefined)
      channel.send(bytes ?? HEARTBEAT)
    }
  }

  /** Makes a check of every listener with a session due. */
  #checkSessions(): void {
    for (const listener of this.#listeners) if (listener.hasSession) listener.checkAt = 0
    void this.#checkDue()
  }

  /** Checks the listeners that are due, some at a time: a session may have ended, or a rule may decide otherwise. */
  async #checkDue(): Promise<void> {
    if (this.#isChecking) return
    this.#isChecking = true
    // Changes of the same turn share a check.
    await turn()
    for (let due = this.#takeDue(); due.length > 0; due = this.#takeDue()) {
      await Promise.all(due.map((listener) => listener.check()))
      await turn()
    }
    this.#isChecking = false
  }

  #takeDue(): readonly LiveListener[] {
    const now = performance.now()
    const due = [...this.#listeners].filter(({ checkAt }) => checkAt <= now).slice(0, CHECKED_TOGETHER)
    for (const listener of due) listener.checkAt = now + this.#options.heartbeatMs
    return due
  }
}

const tooMany = (): DaybookError =>
  new DaybookError('SERVICE_UNAVAILABLE', 'The service has as many listeners as it takes; come again later.', {
    retryAfter: RETRY_AFTER,
  })
