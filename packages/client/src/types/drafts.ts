import type { CollectionKey, DaybookConfig, DraftEntry, DraftUpdate, Entry, EntryKey, ScheduleOptions } from 'daybook'
import type { CallOptions } from '../request.ts'
import type { Status } from './filter.ts'
import type { ChangeOptions, EntryOrId } from './write-options.ts'

/** A type for collections with a status; `never` for others. */
type WithStatus<C extends DaybookConfig, K extends EntryKey<C>, T> = [Status<C, K>] extends [never] ? never : T

/** The option to read drafts. */
export interface DraftQuery<C extends DaybookConfig, K extends EntryKey<C>, W> {
  /** With a session, returns entries as their drafts have them, and those without a draft as they are. @default false */
  readonly draft?: WithStatus<C, K, W>
}

/** Further options of reading a single entry. */
export interface PreviewQuery<C extends DaybookConfig, K extends EntryKey<C>, W, P> extends DraftQuery<C, K, W> {
  /**
   * A token of {@link DraftsClient.preview}, which shows the draft of its entry, and unpublished entries that it refers to. For a
   * token that may be `undefined`, as on a page that also shows published entries, the type is that of the published entry.
   */
  readonly preview?: WithStatus<C, K, P>
}

type DraftKey = 'hasDraft' | 'publishAt' | 'unpublishAt' | 'publishedLocales'

/**
 * An entry as it is read, or as its draft has it. `[P]` prevents distribution over `string | undefined`; otherwise every field would be
 * nullable on a page that sometimes shows a preview.
 */
export type ReadEntry<C extends DaybookConfig, K extends EntryKey<C>, W, P = undefined> = W extends true
  ? DraftEntry<C, K>
  : [P] extends [string]
    ? Omit<DraftEntry<C, K>, DraftKey>
    : Entry<C, K>

/** The keys that are always present. */
export type RequiredKey<W> = 'id' | (W extends true ? DraftKey : never)

/** The result of a restore: the draft, or the entry of a collection without drafts. */
export type Restored<C extends DaybookConfig, K extends EntryKey<C>> = [Status<C, K>] extends [never]
  ? Entry<C, K>
  : DraftEntry<C, K>

/** The condition of publishing, unpublishing or restoring an entry. */
export type ConditionOptions<C extends DaybookConfig> = Omit<ChangeOptions<C>, 'locale' | 'idempotencyKey'>

export interface SaveDraftOptions<C extends DaybookConfig> extends Omit<ChangeOptions<C>, 'idempotencyKey'> {
  /** True to replace the previous autosave of the same author in history. @default false */
  readonly autosave?: boolean
  /** Merges inside groups (RFC 7396). @default false */
  readonly merge?: boolean
}

/** Options of `publish` and `unpublish`. */
export interface PublishOptions<C extends DaybookConfig> extends ConditionOptions<C> {
  /** The locales to publish or unpublish; fields that are not localized are always included. @default all */
  readonly locales?: readonly NonNullable<ChangeOptions<C>['locale']>[]
}

/** A token that shows the draft of an entry. */
export interface Preview {
  readonly token: string
  /** ISO 8601. */
  readonly expiresAt: string
}

/** The methods for collections with a status. */
export interface DraftsClient<C extends DaybookConfig, K extends CollectionKey<C>> {
  /**
   * Saves the draft of an entry. Updates the fields in `data`; `null` empties one, even a required one. The published entry does not
   * change. With an entry instead of an id, fails if the draft has changed since it was read.
   */
  saveDraft(entry: EntryOrId, data: DraftUpdate<C, K>, options?: SaveDraftOptions<C>): Promise<DraftEntry<C, K>>

  /** Discards the draft; the entry does not change. */
  discardDraft(entry: EntryOrId, options?: ConditionOptions<C>): Promise<void>

  /**
   * Publishes the draft of an entry, or the entry if it has no draft. With a future time, schedules that, and returns the draft.
   *
   * @throws {DaybookError} VALIDATION_ERROR if the draft is incomplete
   */
  publish(entry: EntryOrId, options: PublishOptions<C> & ScheduleOptions): Promise<DraftEntry<C, K>>
  publish(entry: EntryOrId, options?: PublishOptions<C>): Promise<Entry<C, K>>

  /**
   * Hides an entry from readers without a session, in all or some locales; its draft stays. With a future time, schedules that, and
   * returns the draft.
   */
  unpublish(entry: EntryOrId, options: PublishOptions<C> & ScheduleOptions): Promise<DraftEntry<C, K>>
  unpublish(entry: EntryOrId, options?: PublishOptions<C>): Promise<Entry<C, K>>

  /** Removes the schedules of an entry. */
  unschedule(entry: EntryOrId, options?: CallOptions): Promise<void>

  /** Creates a token that shows the draft to anyone who has the token. `expiresIn` is in seconds. @default 3600 */
  preview(entry: EntryOrId, options?: CallOptions & { readonly expiresIn?: number }): Promise<Preview>

  /** Revokes all previews of an entry. */
  revokePreviews(entry: EntryOrId, options?: CallOptions): Promise<void>
}
