import type { Access } from '../../content/access/access.ts'
import type { Engine } from '../../content/engine.ts'
import { type Following, follow, fromNow, gone, Outdated } from './follow.ts'
import { type FeedItem, Pager, type PagerResult } from './pager.ts'
import { type FeedPosition, firstNeeded, startOf } from './position.ts'
import { type ReaderViews, viewsOf } from './reader-views.ts'
import { FeedTokens } from './tokens.ts'

/** What a reader asks of the feed. */
export interface FeedQuestion {
  /** The token to go on from. @default everything that is there */
  readonly since?: string | undefined
  /** Keys of collections, and `globals`. @default all that the reader may read */
  readonly collections?: readonly string[] | undefined
  /** How many items to answer at most. */
  readonly limit: number
}

/** A page of the feed. */
export interface FeedPage {
  readonly items: readonly FeedItem[]
  /** The token to go on from; the same one as asked with when there is nothing to tell. */
  readonly next: string
}

/** The changes feed: what readers may see, and how it changes, in pages that can be resumed at any time. */
export class ChangesFeed {
  readonly #engine: Engine
  readonly #tokens: FeedTokens

  constructor(engine: Engine) {
    this.#engine = engine
    this.#tokens = new FeedTokens(engine.store)
  }

  /**
   * Answers the next page.
   *
   * @throws VALIDATION_ERROR; GONE when the journal no longer has what came after the token
   */
  async page(access: Access, { since, collections, limit }: FeedQuestion): Promise<FeedPage> {
    const position = since === undefined ? startOf(await this.head()) : await this.open(since, 'since')
    const following = await this.followAs(await this.views(access, collections), position, collections)
    const { items, position: next } = await this.read(following, limit)
    return { items, next: await this.seal(next) }
  }

  /** What a reader may see now of the collections that are asked for. */
  views(access: Access, asked: readonly string[] | undefined): Promise<ReaderViews> {
    return viewsOf(access, asked)
  }

  /**
   * A position with what its reader may see now.
   *
   * @throws VALIDATION_ERROR, GONE
   */
  async followAs(views: ReaderViews, position: FeedPosition, asked: readonly string[] | undefined): Promise<Following> {
    try {
      if (firstNeeded(position) < (await this.#engine.store.journal.floor())) throw new Outdated()
      return follow(this.#engine.model, views, position, asked, await this.head())
    } catch (error) {
      if (error instanceof Outdated) throw gone(await this.seal(startOf(await this.head())))
      throw error
    }
  }

  /**
   * The position of a reader who is told what changes from now on.
   *
   * @throws VALIDATION_ERROR
   */
  async positionNow(views: ReaderViews, asked: readonly string[] | undefined): Promise<FeedPosition> {
    return fromNow(views, asked, await this.head())
  }

  /** Reads from a position on. */
  read(following: Following, limit: number): Promise<PagerResult> {
    return new Pager(this.#engine, following, limit).make()
  }

  /** The last number of the journal. */
  head(): Promise<number> {
    return this.#engine.store.journal.head()
  }

  /** @throws VALIDATION_ERROR */
  open(token: string, name: string): Promise<FeedPosition> {
    return this.#tokens.open(token, name)
  }

  seal(position: FeedPosition): Promise<string> {
    return this.#tokens.seal(position)
  }
}
