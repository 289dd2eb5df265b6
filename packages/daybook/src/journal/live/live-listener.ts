import { setTimeout as sleep } from 'node:timers/promises'
import type { Access } from '../../content/access/access.ts'
import { DaybookError } from '../../errors.ts'
import type { ChangesFeed } from '../feed/changes-feed.ts'
import { type FeedPosition, isSettled } from '../feed/position.ts'
import { type ReaderViews, viewsName } from '../feed/reader-views.ts'
import type { ChannelListener, ChannelReader } from './channel.ts'
import { EventStream } from './event-stream.ts'
import { headBytes, itemBytes, otherBytes } from './event-text.ts'

/** How many items are read together while a listener catches up. */
const CATCH_UP_PAGE = 200
/** How often a listener that catches up is looked at whether it has read, and how often at most, in milliseconds. */
const READ_MS = 50
const MAX_READ_MS = 30_000
/** Readers come back anywhere between these times, in milliseconds, so that those that were cut together do not come together. */
const MIN_RETRY_MS = 500
const MAX_RETRY_MS = 5000
/** The longest delay of a timer, in milliseconds: a longer one would fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1

/** What a listener needs of the service. */
export interface ListenerHost {
  readonly feed: ChangesFeed
  readonly maxUnsentBytes: number
  /** Lets a listener hear what its channel tells. @returns `false` when the channel has come further: it must read on first */
  join(listener: LiveListener, reader: ChannelReader, position: FeedPosition): boolean
  leave(listener: LiveListener): void
  failed(error: unknown): void
}

/** What a listener asked for. */
export interface ListenerQuestion {
  readonly access: Access
  /** Finds out who is asking now. @throws when that cannot be said */
  readonly authenticate: () => Promise<Access>
  readonly collections: readonly string[] | undefined
}

/** One reader of live events: first it catches up from its own position, then it hears what its channel tells. */
export class LiveListener implements ChannelListener {
  readonly stream: EventStream
  /** When it is to be asked who it is, by the clock of `performance.now()`. */
  checkAt = 0
  readonly #host: ListenerHost
  readonly #question: ListenerQuestion
  readonly #viewsName: string
  #position: FeedPosition
  #expiry: NodeJS.Timeout | undefined

  /** @param views what it may see, as its stream begins: when that changes, the stream ends */
  constructor(host: ListenerHost, question: ListenerQuestion, views: ReaderViews, position: FeedPosition) {
    this.#host = host
    this.#question = question
    this.#viewsName = viewsName(views)
    this.#position = position
    this.stream = new EventStream({
      begin: () => void this.#run(views).catch((error) => this.#fail(error)),
      ended: () => {
        clearTimeout(this.#expiry)
        host.leave(this)
      },
    })
    this.#checkAtExpiry(question.access)
  }

  get hasSession(): boolean {
    return this.#question.access.isAuthenticated
  }

  send(bytes: Uint8Array): void {
    this.stream.send(bytes)
    // It comes back, and goes on where it has stopped to read.
    if (this.stream.unsent > this.#host.maxUnsentBytes) this.stream.drop()
  }

  /** Ends its stream unless its reader is the same as before, and may still see the same. */
  async check(): Promise<void> {
    const isSame = await this.#isSame().catch(() => false)
    if (!isSame) this.stream.end()
  }

  async #isSame(): Promise<boolean> {
    const { access, authenticate, collections } = this.#question
    const now = await authenticate()
    const [before, identity] = [access.caller.identity, now.caller.identity]
    if (identity?.sessionId !== before?.sessionId || identity?.subject !== before?.subject) return false
    this.#checkAtExpiry(now)
    return viewsName(await this.#host.feed.views(now, collections)) === this.#viewsName
  }

  /** Checks the credential when it expires, unless it has been renewed by then. */
  #checkAtExpiry({ caller }: Access): void {
    clearTimeout(this.#expiry)
    const expiresAt = caller.identity?.expiresAt ?? null
    if (expiresAt === null || this.stream.hasEnded) return
    const delayMs = Math.min(Math.max(Date.parse(expiresAt) - Date.now(), 0), MAX_TIMER_MS)
    this.#expiry = setTimeout(() => void this.check(), delayMs).unref()
  }

  async #run(views: ReaderViews): Promise<void> {
    const { feed } = this.#host
    const reader = { views, asked: this.#question.collections }
    const retryMs = Math.round(MIN_RETRY_MS + Math.random() * (MAX_RETRY_MS - MIN_RETRY_MS))
    this.send(headBytes(retryMs, await feed.seal(this.#position)))
    while (!this.stream.hasEnded) {
      const isThere = await this.#readPage(reader)
      if (isThere && this.#host.join(this, reader, this.#position)) return
      await this.#untilRead()
    }
  }

  /** @returns whether nothing more is to be told */
  async #readPage({ views, asked }: ChannelReader): Promise<boolean> {
    const { feed } = this.#host
    const following = await feed.followAs(views, this.#position, asked)
    const { items, position, isLast } = await feed.read(following, CATCH_UP_PAGE)
    if (items.length > 0) this.send(itemBytes(items, await feed.seal(position)))
    this.#position = position
    return isLast && isSettled(position)
  }

  /** Nothing is read ahead of a reader that is slow. */
  async #untilRead(): Promise<void> {
    const until = performance.now() + MAX_READ_MS
    while (!this.stream.hasEnded && this.stream.unsent > this.#host.maxUnsentBytes / 2) {
      if (performance.now() > until) return this.stream.drop()
      await sleep(READ_MS, undefined, { ref: false })
    }
  }

  #fail(error: unknown): void {
    const restart = error instanceof DaybookError && error.code === 'GONE' ? error.details.restart : undefined
    if (restart === undefined) this.#host.failed(error)
    else this.stream.send(otherBytes('reset', { restart }))
    this.stream.end()
  }
}

/** A stream that says nothing but that its reader has to begin anew. */
export function resetStream(restart: unknown): EventStream {
  const stream: EventStream = new EventStream({
    begin: () => {
      stream.send(otherBytes('reset', { restart }))
      stream.end()
    },
    ended: () => {},
  })
  return stream
}
