import { setTimeout as sleep } from 'node:timers/promises'
import type { Access } from '../../content/access/access.ts'
import { DaybookError } from '../../errors.ts'
import { type CallerView, resolveView } from '../feed/caller-view.ts'
import type { ChangesFeed } from '../feed/changes-feed.ts'
import type { FeedPosition } from '../feed/feed-tokens.ts'
import type { ChannelListener } from './channel.ts'
import { EventStream, encodeEvent, encodeHead, encodeItems } from './event-stream.ts'

/** The maximum number of items that a listener reads at a time while it catches up. */
const CATCH_UP_PAGE = 200
/** The pause between two checks of a slow client that catches up, in milliseconds. */
const READ_MS = 50
/** The time after which a client that catches up and does not read is cut off, in milliseconds. */
const MAX_READ_MS = 30_000
/** Clients reconnect after a random time between these, in milliseconds, so that they do not reconnect together. */
const MIN_RETRY_MS = 500
const MAX_RETRY_MS = 5000
/** The longest delay of a timer, in milliseconds: a longer one would fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1

export interface ListenerHost {
  readonly feed: ChangesFeed
  readonly maxUnsentBytes: number
  /** Adds a listener to the channel of its view. @returns `false` if the channel is ahead: the listener must read on first */
  join(listener: LiveListener, view: CallerView, position: FeedPosition): boolean
  leave(listener: LiveListener): void
  reportFailure(error: unknown): void
}

export interface ListenerRequest {
  readonly access: Access
  /** Authenticates the caller again. @throws if the auth adapter fails */
  readonly authenticate: () => Promise<Access>
  readonly collections: readonly string[] | undefined
}

/** A client of live events, which first catches up from its position, and then joins the channel of its view. */
export class LiveListener implements ChannelListener {
  readonly stream: EventStream
  /** The time of the next check of its session, by the clock of `performance.now()`. */
  checkAt = 0
  readonly #host: ListenerHost
  readonly #request: ListenerRequest
  readonly #view: CallerView
  #position: FeedPosition
  #expiry: NodeJS.Timeout | undefined

  /** @param view the view as the stream begins: when it changes, the stream ends */
  constructor(host: ListenerHost, request: ListenerRequest, view: CallerView, position: FeedPosition) {
    this.#host = host
    this.#request = request
    this.#view = view
    this.#position = position
    this.stream = new EventStream({
      onBegin: () => void this.#run().catch((error) => this.fail(error)),
      onEnd: () => {
        clearTimeout(this.#expiry)
        host.leave(this)
      },
    })
    this.#checkAtExpiry(request.access)
  }

  get hasSession(): boolean {
    return this.#request.access.isAuthenticated
  }

  send(bytes: Uint8Array): void {
    this.stream.send(bytes)
    // The client reconnects and continues where it stopped reading.
    if (this.stream.unsentBytes > this.#host.maxUnsentBytes) this.stream.drop()
  }

  /** Ends the stream unless the session and the view are the same as before. */
  async check(): Promise<void> {
    const isSame = await this.#isSame().catch(() => false)
    if (!isSame) this.stream.end()
  }

  async #isSame(): Promise<boolean> {
    const { access, authenticate, collections } = this.#request
    const now = await authenticate()
    const [before, identity] = [access.caller.identity, now.caller.identity]
    if (identity?.sessionId !== before?.sessionId || identity?.subject !== before?.subject) return false
    this.#checkAtExpiry(now)
    return (await resolveView(now, collections)).fingerprint === this.#view.fingerprint
  }

  /** Checks the credential when it expires, unless it has been renewed by then. */
  #checkAtExpiry({ caller }: Access): void {
    clearTimeout(this.#expiry)
    const expiresAt = caller.identity?.expiresAt ?? null
    if (expiresAt === null || this.stream.hasEnded) return
    const delayMs = Math.min(Math.max(Date.parse(expiresAt) - Date.now(), 0), MAX_TIMER_MS)
    this.#expiry = setTimeout(() => void this.check(), delayMs).unref()
  }

  async #run(): Promise<void> {
    const retryMs = Math.round(MIN_RETRY_MS + Math.random() * (MAX_RETRY_MS - MIN_RETRY_MS))
    this.send(encodeHead(retryMs, await this.#host.feed.seal(this.#position)))
    while (!this.stream.hasEnded) {
      const isLast = await this.#sendPage()
      if (isLast && this.#host.join(this, this.#view, this.#position)) return
      await this.#untilRead()
    }
  }

  /** @returns true if there is nothing more */
  async #sendPage(): Promise<boolean> {
    const { feed } = this.#host
    const { items, position, isLast } = await feed.read(this.#view, this.#position, CATCH_UP_PAGE)
    if (items.length > 0) this.send(encodeItems(items, await feed.seal(position)))
    this.#position = position
    return isLast
  }

  /** Waits for a slow client, so that nothing is read ahead of it. */
  async #untilRead(): Promise<void> {
    const until = performance.now() + MAX_READ_MS
    while (!this.stream.hasEnded && this.stream.unsentBytes > this.#host.maxUnsentBytes / 2) {
      if (performance.now() > until) return this.stream.drop()
      await sleep(READ_MS, undefined, { ref: false })
    }
  }

  /** Ends the stream, with `reset` if the client must restart. */
  fail(error: unknown): void {
    const restart = error instanceof DaybookError && error.code === 'GONE' ? error.details.restart : undefined
    if (restart === undefined) this.#host.reportFailure(error)
    else this.stream.send(encodeEvent('reset', { restart }))
    this.stream.end()
  }
}

/** Creates a stream with the single event `reset`, after which the client must restart. */
export function createResetStream(restart: unknown): EventStream {
  const stream: EventStream = new EventStream({
    onBegin: () => {
      stream.send(encodeEvent('reset', { restart }))
      stream.end()
    },
    onEnd: () => {},
  })
  return stream
}
