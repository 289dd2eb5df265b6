import type {
  CollectionKey,
  DaybookConfig,
  DraftEntry,
  Entry,
  EntryCreate,
  EntryKey,
  EntryUpdate,
  StatusKey,
} from 'daybook'
import type { PublishOptions, Restored } from './drafts.ts'
import type { CollectionFieldsOf, FieldOptionsOf } from './fields.ts'

/** A patch of an entry (RFC 7396). Fields that it does not name stay, also inside groups. */
export type EntryPatch<C extends DaybookConfig, K extends EntryKey<C>> = Merged<
  CollectionFieldsOf<C, K>,
  EntryUpdate<C, K>
>

type Merged<F, Update> = {
  readonly [K in keyof Update]?: K extends keyof F
    ? FieldOptionsOf<F[K]> extends { readonly fields: infer Inner }
      ? MergedGroup<Inner, Update[K]>
      : Update[K]
    : Update[K]
}

type MergedGroup<F, V> = V extends object ? Merged<F, V> : V

/** An operation of a batch. Files cannot be created in a batch, only uploaded. */
export type Operation<C extends DaybookConfig> =
  | {
      [K in CollectionKey<C>]: { readonly op: 'create'; readonly collection: K; readonly data: EntryCreate<C, K> }
    }[CollectionKey<C>]
  | {
      [K in EntryKey<C>]:
        | {
            readonly op: 'update'
            readonly collection: K
            readonly id: string
            readonly data: EntryUpdate<C, K>
            readonly ifMatch?: string
          }
        | (OnEntry<K> & { readonly op: 'delete' })
        | (OnEntry<K> & {
            readonly op: 'restore'
            readonly data: { readonly revision?: number; readonly slug?: string }
          })
    }[EntryKey<C>]
  | (OnEntry<StatusKey<C>> & {
      readonly op: 'publish'
      readonly data?: Pick<PublishOptions<C>, 'locales'> & { readonly publishAt?: string }
    })
  | (OnEntry<StatusKey<C>> & {
      readonly op: 'unpublish'
      readonly data?: Pick<PublishOptions<C>, 'locales'> & { readonly unpublishAt?: string }
    })

/** The target of an operation on an existing entry. */
interface OnEntry<K> {
  readonly collection: K
  readonly id: string
  /** The tag that the stored version must have; for publish and restore, the tag of the draft. */
  readonly ifMatch?: string
}

export type Outcome<C extends DaybookConfig> =
  | { [K in CollectionKey<C>]: StoredOutcome<C, K, 'create'> }[CollectionKey<C>]
  | {
      [K in EntryKey<C>]:
        | StoredOutcome<C, K, 'update'>
        | StoredOutcome<C, K, 'restore', Restored<C, K>>
        | { readonly op: 'delete'; readonly collection: K; readonly id: string }
    }[EntryKey<C>]
  | { [K in StatusKey<C>]: StoredOutcome<C, K, 'publish' | 'unpublish', Entry<C, K> | DraftEntry<C, K>> }[StatusKey<C>]

interface StoredOutcome<C extends DaybookConfig, K extends EntryKey<C>, Op, Document = Entry<C, K>> {
  readonly op: Op
  readonly collection: K
  readonly id: string
  /** Absent in a dry run. */
  readonly etag: string
  readonly entry: Document
}
