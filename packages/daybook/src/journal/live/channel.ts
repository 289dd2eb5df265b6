import type { ChangesFeed } from '../feed/changes-feed.ts'
import type { FeedPosition } from '../feed/position.ts'
import type { ReaderViews } from '../feed/reader-views.ts'
import { itemBytes, positionBytes } from './event-text.ts'

/** How many items of a channel are read together. */
const CHANNEL_PAGE = 500

/** What a channel sends to. */
export interface ChannelListener {
  send(bytes: Uint8Array): void
}

/** What the listeners of a channel have in common. */
export interface ChannelReader {
  readonly views: ReaderViews
  readonly asked: readonly string[] | undefined
}

/** Listeners that are told the same. Items are read once for all of them, and the same bytes are sent to each. */
export class Channel {
  readonly listeners: Set<ChannelListener> = new Set()
  readonly reader: ChannelReader
  readonly #feed: ChangesFeed
  #position: FeedPosition
  /** The position that listeners know of. */
  #toldSeq: number

  constructor(feed: ChangesFeed, reader: ChannelReader, position: FeedPosition) {
    this.#feed = feed
    this.reader = reader
    this.#position = position
    this.#toldSeq = position.seq
  }

  /** Up to where its listeners are told. */
  get seq(): number {
    return this.#position.seq
  }

  /** Tells its listeners what has changed. */
  async advance(): Promise<void> {
    const { views, asked } = this.reader
    for (let isLast = false; this.listeners.size > 0 && !isLast; ) {
      const following = await this.#feed.followAs(views, this.#position, asked)
      const page = await this.#feed.read(following, CHANNEL_PAGE)
      const { items, position } = page
      const bytes = items.length > 0 && itemBytes(items, await this.#feed.seal(position))
      this.#position = position
      isLast = page.isLast
      if (!bytes) continue
      this.#toldSeq = position.seq
      this.send(bytes)
    }
  }

  send(bytes: Uint8Array): void {
    for (const listener of this.listeners) listener.send(bytes)
  }

  /** Tells its listeners how far the journal has come where nothing of that was for them; `undefined`: they know. */
  async positionUpdate(): Promise<Uint8Array | undefined> {
    if (this.#position.seq === this.#toldSeq) return undefined
    const position = this.#position
    const token = await this.#feed.seal(position)
    this.#toldSeq = position.seq
    return positionBytes(token)
  }
}
