import { DaybookError } from '../../errors.ts'
import type { CallerView } from '../feed/caller-view.ts'
import type { ChangesFeed } from '../feed/changes-feed.ts'
import type { FeedPosition } from '../feed/feed-tokens.ts'
import type { PagerResult } from '../feed/pager.ts'
import { encodeItems, encodePosition } from './event-stream.ts'

/** The maximum number of items that a channel reads at a time. */
const PAGE_SIZE = 500

export interface ChannelListener {
  send(bytes: Uint8Array): void
  /** Ends the stream of the listener because of an error. */
  fail(error: unknown): void
}

/** Listeners with the same view. Items are read and encoded once for all of them. */
export class Channel {
  readonly listeners: Set<ChannelListener> = new Set()
  readonly view: CallerView
  readonly #feed: ChangesFeed
  #position: FeedPosition
  /** The position that was sent last. */
  #sentSeq: number

  constructor(feed: ChangesFeed, view: CallerView, position: FeedPosition) {
    this.#feed = feed
    this.view = view
    this.#position = position
    this.#sentSeq = position.seq
  }

  /** The last record that was sent to the listeners. */
  get seq(): number {
    return this.#position.seq
  }

  /** Sends its listeners the latest changes. */
  async advance(): Promise<void> {
    for (let isLast = false; this.listeners.size > 0 && !isLast; ) {
      const page = await this.#readPage()
      if (!page) return
      const { items, position } = page
      const bytes = items.length > 0 && encodeItems(items, await this.#feed.seal(position))
      this.#position = position
      isLast = page.isLast
      if (!bytes) continue
      this.#sentSeq = position.seq
      this.send(bytes)
    }
  }

  /** @returns `undefined` if the listeners must restart, since their streams have ended */
  async #readPage(): Promise<PagerResult | undefined> {
    try {
      return await this.#feed.read(this.view, this.#position, PAGE_SIZE)
    } catch (error) {
      if (!(error instanceof DaybookError && error.code === 'GONE')) throw error
      for (const listener of [...this.listeners]) listener.fail(error)
      return undefined
    }
  }

  send(bytes: Uint8Array): void {
    for (const listener of this.listeners) listener.send(bytes)
  }

  /** Encodes the position of the listeners if it has moved without an item for them. */
  async encodePositionUpdate(): Promise<Uint8Array | undefined> {
    if (this.#position.seq === this.#sentSeq) return undefined
    const position = this.#position
    const token = await this.#feed.seal(position)
    this.#sentSeq = position.seq
    return encodePosition(token)
  }
}
