import { setImmediate as turn } from 'node:timers/promises'
import { DaybookError } from '../../errors.ts'
import type { Log } from '../../log.ts'
import type { FollowableJournal } from '../../store/journal.ts'
import { type CallerView, requireReadable, resolveView } from '../feed/caller-view.ts'
import type { ChangesFeed } from '../feed/changes-feed.ts'
import type { FeedPosition } from '../feed/feed-tokens.ts'
import { Channel } from './channel.ts'
import { type EventStream, HEARTBEAT } from './event-stream.ts'
import { createResetStream, type ListenerHost, type ListenerRequest, LiveListener } from './live-listener.ts'

export interface LiveOptions {
  /** The maximum number of listeners of a process. */
  readonly listeners: number
  /** The maximum number of unsent bytes of one listener. @default 1 MiB */
  readonly maxUnsentBytes?: number
  /** The time between two heartbeats, and between two checks of a session, in milliseconds. */
  readonly heartbeatMs: number
  /** The time for which changes are gathered before they are sent, in milliseconds. @default 50 */
  readonly gatherMs?: number
}

const DEFAULT_UNSENT_BYTES = 1024 * 1024
const DEFAULT_GATHER_MS = 50
/** The pause after a failure of the database, in milliseconds. */
const RETRY_MS = 1000
/** The number of rounds in which sessions are checked between two heartbeats. */
const CHECKS = 15
/** The maximum number of listeners that are checked at the same time. */
const CHECKED_TOGETHER = 50
/** `Retry-After` for a listener above the maximum, in seconds. */
const RETRY_AFTER = 5

export interface LiveRequest extends ListenerRequest {
  /** The token to continue from. @default now */
  readonly since?: string | undefined
  /** The parameter or header of `since`. */
  readonly sinceName: string
}

export interface LiveSources {
  readonly feed: ChangesFeed
  readonly journal: FollowableJournal
  /** Reports that sessions may have ended or changed; the returned function stops that. */
  readonly sessions: { onSessionChange(listener: () => void): () => void }
}

/** Sends listeners the changes of this node and of others, soon after they are committed. */
export class LiveFeed {
  readonly #feed: ChangesFeed
  readonly #journal: FollowableJournal
  readonly #sessions: LiveSources['sessions']
  readonly #log: Log
  readonly #options: Required<LiveOptions>
  readonly #host: ListenerHost
  readonly #listeners = new Set<LiveListener>()
  /** The channels by the fingerprint of their view. */
  readonly #channels = new Map<string, Channel>()
  readonly #channelOf = new Map<LiveListener, Channel>()
  #timers: readonly NodeJS.Timeout[] = []
  #stops: readonly (() => void)[] = []
  #onJoin: ((listener: LiveListener, view: CallerView) => void) | undefined
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
      join: (listener, view, position) => this.#join(listener, view, position),
      leave: (listener) => this.#leave(listener),
      reportFailure: (err) => log.error({ err }, 'live events: a stream failed'),
    }
  }

  /**
   * Opens a stream of events, which holds the place of a listener from now on.
   *
   * @throws VALIDATION_ERROR; SERVICE_UNAVAILABLE if there are too many listeners, the auth adapter fails, or the service ends
   */
  async open({ since, sinceName, ...request }: LiveRequest): Promise<EventStream> {
    const { access, collections } = request
    try {
      const view = await resolveView(access, collections)
      const position =
        since === undefined
          ? await this.#feed.getCurrentPosition(view)
          : await this.#feed.resume(view, since, sinceName)
      requireReadable(view, collections)
      if (this.#isClosed) throw new DaybookError('SERVICE_UNAVAILABLE')
      if (this.#listeners.size >= this.#options.listeners) throw tooMany()
      if (this.#listeners.size === 0) this.#begin()
      return this.#add(new LiveListener(this.#host, request, view, position))
    } catch (error) {
      if (error instanceof DaybookError && error.code === 'GONE') return createResetStream(error.details.restart)
      throw error
    }
  }

  /** Sends to every listener of the channels for which `isFor` holds. */
  broadcast(bytes: Uint8Array, isFor: (view: CallerView, listener: LiveListener) => boolean): void {
    for (const [listener, { view }] of this.#channelOf) if (isFor(view, listener)) listener.send(bytes)
  }

  /** The different views of listeners with a session. */
  sessionViews(): readonly CallerView[] {
    const channels = new Set(
      [...this.#channelOf].filter(([{ hasSession }]) => hasSession).map(([, channel]) => channel),
    )
    return [...channels].map(({ view }) => view)
  }

  /** Calls `greet` with each listener that has caught up. */
  onJoin(greet: (listener: LiveListener, view: CallerView) => void): void {
    this.#onJoin = greet
  }

  /** Ends all streams, and rejects new ones. */
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
    const channel = this.#channelOf.get(listener)
    this.#channelOf.delete(listener)
    channel?.listeners.delete(listener)
    if (channel?.listeners.size === 0) this.#channels.delete(channel.view.fingerprint)
    if (this.#listeners.size > 0) return
    for (const stop of this.#stops) stop()
    for (const timer of this.#timers) clearInterval(timer)
  }

  #join(listener: LiveListener, view: CallerView, position: FeedPosition): boolean {
    const channel = this.#channels.get(view.fingerprint) ?? new Channel(this.#feed, view, position)
    if (channel.seq > position.seq) return false
    this.#channels.set(view.fingerprint, channel)
    channel.listeners.add(listener)
    this.#channelOf.set(listener, channel)
    this.#onJoin?.(listener, view)
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

  /** Advances one channel after the other; if the journal has grown since, again. */
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
      const bytes = await channel.encodePositionUpdate().catch(() => undefined)
      channel.send(bytes ?? HEARTBEAT)
    }
  }

  /** Makes a check of every listener with a session due. */
  #checkSessions(): void {
    for (const listener of this.#listeners) if (listener.hasSession) listener.checkAt = 0
    void this.#checkDue()
  }

  /** Checks the listeners that are due, some at a time: a session may have ended, or its view may have changed. */
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
  new DaybookError('SERVICE_UNAVAILABLE', 'The service has its maximum number of listeners. Try again later.', {
    retryAfter: RETRY_AFTER,
  })
