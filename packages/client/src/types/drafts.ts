import type { CollectionKey, DaybookConfig, DraftEntry, DraftUpdate, Entry, EntryKey, ScheduleOptions } from 'daybook'
import type { CallOptions } from '../request.ts'
import type { Status } from './filter.ts'
import type { ChangeOptions, EntryOrId } from './write-options.ts'

/** What goes for collections whose entries have a status; for others, nothing does. */
type WithStatus<C extends DaybookConfig, K extends EntryKey<C>, T> = [Status<C, K>] extends [never] ? never : T

/** Whether working copies are read. */
export interface DraftQuery<C extends DaybookConfig, K extends EntryKey<C>, W> {
  /** With a session: entries as their working copies have them, and those without one as they are. @default false */
  readonly draft?: WithStatus<C, K, W>
}

/** How a single entry is read besides. */
export interface PreviewQuery<C extends DaybookConfig, K extends EntryKey<C>, W, P> extends DraftQuery<C, K, W> {
  /**
   * A token of {@link DraftsClient.preview}: shows the working copy of its entry, and the drafts that it refers to. Of a token that may be
   * `undefined`, as on a page that shows previews, too, the type is that of the published entry.
   */
  readonly preview?: WithStatus<C, K, P>
}

type DraftKey = 'hasDraft' | 'publishAt' | 'unpublishAt' | 'publishedLocales'

/**
 * An entry as it is read, or as its working copy has it. `[P]` keeps `string | undefined` whole: otherwise a page that sometimes shows
 * a preview would find every field nullable.
 */
export type ReadEntry<C extends DaybookConfig, K extends EntryKey<C>, W, P = undefined> = W extends true
  ? DraftEntry<C, K>
  : [P] extends [string]
    ? Omit<DraftEntry<C, K>, DraftKey>
    : Entry<C, K>

/** The keys that always come along. */
export type RequiredKey<W> = 'id' | (W extends true ? DraftKey : never)

/** What a restore answers: the working copy, or the entry where there are none. */
export type Restored<C extends DaybookConfig, K extends EntryKey<C>> = [Status<C, K>] extends [never]
  ? Entry<C, K>
  : DraftEntry<C, K>

/** On what condition an entry is published, unpublished or restored. */
export type ConditionOptions<C extends DaybookConfig> = Omit<ChangeOptions<C>, 'locale' | 'idempotencyKey'>

/** How a working copy is saved. */
export interface SaveDraftOptions<C extends DaybookConfig> extends Omit<ChangeOptions<C>, 'idempotencyKey'> {
  /** While the same person autosaves, each save takes the place of the one before it in history. @default false */
  readonly autosave?: boolean
  /** Merges inside groups (RFC 7396). @default false */
  readonly merge?: boolean
}

/** Options of `publish` and `unpublish`. */
export interface PublishOptions<C extends DaybookConfig> extends ConditionOptions<C> {
  /** The locales in which it is, or is no longer, published; fields that are not localized come along. @default all */
  readonly locales?: readonly NonNullable<ChangeOptions<C>['locale']>[]
}

/** A token that shows the working copy of an entry. */
export interface Preview {
  readonly token: string
  /** ISO 8601. */
  readonly expiresAt: string
}

/** What can be done with entries that have a status. */
export interface DraftsClient<C extends DaybookConfig, K extends CollectionKey<C>> {
  /**
   * Saves the working copy of an entry: the fields that `data` names; `null` empties one, also where it is required. What is
   * published stays as it is. With an entry in place of its id, only if it has not changed since it was read.
   */
  saveDraft(entry: EntryOrId, data: DraftUpdate<C, K>, options?: SaveDraftOptions<C>): Promise<DraftEntry<C, K>>

  /** Throws the working copy away; the entry stays as it is. */
  discardDraft(entry: EntryOrId, options?: ConditionOptions<C>): Promise<void>

  /**
   * Publishes an entry: its working copy where it has one, else what it is. With a time to come, then, and the answer is the working
   * copy.
   *
   * @throws {DaybookError} VALIDATION_ERROR when the working copy lacks something
   */
  publish(entry: EntryOrId, options: PublishOptions<C> & ScheduleOptions): Promise<DraftEntry<C, K>>
  publish(entry: EntryOrId, options?: PublishOptions<C>): Promise<Entry<C, K>>

  /**
   * Takes an entry out of what readers without a session see, in all or some locales; its working copy stays. With a time to come, then, and the answer is the
   * working copy.
   */
  unpublish(entry: EntryOrId, options: PublishOptions<C> & ScheduleOptions): Promise<DraftEntry<C, K>>
  unpublish(entry: EntryOrId, options?: PublishOptions<C>): Promise<Entry<C, K>>

  /** Forgets the times at which an entry was to be published or unpublished. */
  unschedule(entry: EntryOrId, options?: CallOptions): Promise<void>

  /** Makes a token that shows the working copy to all who have it, for so many seconds. @default 3600 */
  preview(entry: EntryOrId, options?: CallOptions & { readonly expiresIn?: number }): Promise<Preview>

  /** Ends all previews of an entry. */
  revokePreviews(entry: EntryOrId, options?: CallOptions): Promise<void>
}
