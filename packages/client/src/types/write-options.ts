import type { DaybookConfig, DryRunOptions } from 'daybook'
import type { CallOptions } from '../request.ts'
import type { Locale } from './fields.ts'

/** The options of every write. */
export interface WriteOptions<C extends DaybookConfig> extends CallOptions, DryRunOptions {
  /** The locale to write. @default the default locale of the config */
  readonly locale?: Locale<C>
  /**
   * The idempotency key, with which the client may retry the write: 1 to 255 visible ASCII characters. The service executes it once.
   * @default none; the write is sent once
   */
  readonly idempotencyKey?: string
}

/** The options of a conditional update. */
export interface ChangeOptions<C extends DaybookConfig> extends WriteOptions<C> {
  /** The tag that the stored version must have; see {@link etagOf}. @default the tag of the entry, if it is passed instead of an id */
  readonly ifMatch?: string
}

export interface GlobalChangeOptions<C extends DaybookConfig> extends ChangeOptions<C> {
  /** `*` fails if the global was written before. */
  readonly ifNoneMatch?: '*'
}

export type DeleteOptions<C extends DaybookConfig> = CallOptions & Pick<ChangeOptions<C>, 'ifMatch' | 'dryRun'>

export type RestoreOptions<C extends DaybookConfig> = DeleteOptions<C> & {
  /** The slug of a restored deleted entry. @default its former slug */
  readonly slug?: string
}

/** An entry as it was read, or its id. */
export type EntryOrId = string | { readonly id: string }
