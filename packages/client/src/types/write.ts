import type { CollectionKey, DaybookConfig, Entry, EntryCreate, EntryKey, EntryUpdate } from 'daybook'
import type { CollectionFieldsOf, FieldOptionsOf } from './fields.ts'

/** What merges into an entry (RFC 7396): inside groups, too, only what is named changes. */
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

/** One operation of a batch. A file is uploaded, and not created in one. */
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
        | { readonly op: 'delete'; readonly collection: K; readonly id: string; readonly ifMatch?: string }
    }[EntryKey<C>]

/** The outcome of an operation. */
export type Outcome<C extends DaybookConfig> =
  | { [K in CollectionKey<C>]: StoredOutcome<C, K, 'create'> }[CollectionKey<C>]
  | {
      [K in EntryKey<C>]:
        | StoredOutcome<C, K, 'update'>
        | { readonly op: 'delete'; readonly collection: K; readonly id: string }
    }[EntryKey<C>]

interface StoredOutcome<C extends DaybookConfig, K extends EntryKey<C>, Op> {
  readonly op: Op
  readonly collection: K
  readonly id: string
  readonly etag: string
  readonly entry: Entry<C, K>
}
