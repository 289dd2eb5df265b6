import type { Access } from '../../content/access/access.ts'
import type { ContentContext } from '../../content/context.ts'
import { DaybookError } from '../../errors.ts'
import { type CallerView, requireReadable, resolveView } from './caller-view.ts'
import { type FeedPosition, FeedTokens } from './feed-tokens.ts'
import { type FeedItem, Pager, type PagerResult, startWalk } from './pager.ts'

export interface FeedRequest {
  /** The token to continue from. @default the start of a new copy */
  readonly since?: string | undefined
  /** Keys of collections, and `globals`. @default all that the caller may read */
  readonly collections?: readonly string[] | undefined
  readonly limit: number
}

export interface FeedPage {
  readonly items: readonly FeedItem[]
  /** The token to continue from; equal to that of the request if nothing has changed. */
  readonly next: string
}

/**
 * Pages through all documents that a caller can see, and then through their changes. A copy continues only with the view that it was
 * created with: if the caller can see other documents for any reason but changes of these documents, the copy must restart.
 */
export class ChangesFeed {
  readonly #context: ContentContext
  readonly #tokens: FeedTokens

  constructor(context: ContentContext) {
    this.#context = context
    this.#tokens = new FeedTokens(context.store)
  }

  /**
   * Reads the next page.
   *
   * @throws VALIDATION_ERROR; GONE if the copy must restart
   */
  async readPage(access: Access, { since, collections, limit }: FeedRequest): Promise<FeedPage> {
    const view = await resolveView(access, collections)
    const position = since === undefined ? await this.#begin(view) : await this.resume(view, since, 'since')
    requireReadable(view, collections)
    const { items, position: next } = await this.read(view, position, limit)
    return { items, next: await this.seal(next) }
  }

  /** Returns the position to follow later changes without the existing documents. */
  async getCurrentPosition(view: CallerView): Promise<FeedPosition> {
    return { seq: await this.#context.store.journal.head(), view: view.fingerprint }
  }

  /**
   * Opens a token to continue with a view.
   *
   * @param name the parameter or header of the token
   * @throws VALIDATION_ERROR; GONE if the token was created with another view
   */
  async resume(view: CallerView, token: string, name: string): Promise<FeedPosition> {
    const position = await this.#tokens.open(token, name)
    if (position.view !== view.fingerprint) throw await this.#createGoneError(view)
    return position
  }

  /**
   * Reads a page from a position of this view on.
   *
   * @throws GONE if the journal no longer has the records since the position, or they changed entries that rules read
   */
  async read(view: CallerView, position: FeedPosition, limit: number): Promise<PagerResult> {
    const page = await new Pager(this.#context, view, position, limit).read()
    // The journal may be shortened while a page is read, so its floor is read last.
    const isComplete = position.seq >= (await this.#context.store.journal.floor())
    if (page && isComplete) return page
    throw await this.#createGoneError(view)
  }

  seal(position: FeedPosition): Promise<string> {
    return this.#tokens.seal(position)
  }

  /** Returns the position of a new copy. */
  async #begin(view: CallerView): Promise<FeedPosition> {
    return { ...(await this.getCurrentPosition(view)), walk: startWalk(view) }
  }

  async #createGoneError(view: CallerView): Promise<DaybookError> {
    return new DaybookError('GONE', undefined, { restart: await this.seal(await this.#begin(view)) })
  }
}
