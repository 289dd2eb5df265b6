import { Collection } from './collection.ts'
import type { AnyWriteOptions, CallOptions } from './request.ts'
import type { EntryOrId } from './types/write-options.ts'

/** What saves of working copies take, whatever the config. */
interface AnySaveOptions extends AnyWriteOptions {
  readonly autosave?: boolean
  readonly merge?: boolean
}

/** What publishing takes, whatever the config. */
interface AnyPublishOptions extends AnyWriteOptions {
  readonly at?: string
  readonly locales?: readonly string[]
}

/** What `DraftsClient` promises, without its types; the service answers collections without a status that it has no such routes. */
export class DraftCollection extends Collection {
  async saveDraft(entry: EntryOrId, data: unknown, options: AnySaveOptions = {}): Promise<unknown> {
    const { autosave, merge, ...others } = options
    return this.send(merge ? 'PATCH' : 'PUT', entry, others, { query: { draft: true, autosave }, body: data })
  }

  async discardDraft(entry: EntryOrId, options?: AnyWriteOptions): Promise<void> {
    await this.send('DELETE', entry, options, { query: { draft: true } })
  }

  async publish(entry: EntryOrId, { at, locales, ...options }: AnyPublishOptions = {}): Promise<unknown> {
    return this.send('POST', entry, options, { at: 'publish', body: { publishAt: at, locales } })
  }

  async unpublish(entry: EntryOrId, { at, locales, ...options }: AnyPublishOptions = {}): Promise<unknown> {
    return this.send('POST', entry, options, { at: 'unpublish', body: { unpublishAt: at, locales } })
  }

  async unschedule(entry: EntryOrId, options?: CallOptions): Promise<void> {
    await this.send('DELETE', idOf(entry), options, { at: 'schedule' })
  }

  async preview(
    entry: EntryOrId,
    { expiresIn, ...options }: CallOptions & { readonly expiresIn?: number } = {},
  ): Promise<unknown> {
    return this.send('POST', idOf(entry), options, { at: 'preview', body: { expiresIn } })
  }

  async revokePreviews(entry: EntryOrId, options?: CallOptions): Promise<void> {
    await this.send('DELETE', idOf(entry), options, { at: 'preview' })
  }
}

/** What is asked on no condition. */
const idOf = (entry: EntryOrId): string => (typeof entry === 'string' ? entry : entry.id)
