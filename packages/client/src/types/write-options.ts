import type { DaybookConfig, DryRunOptions } from 'daybook'
import type { CallOptions } from '../request.ts'
import type { Locale } from './fields.ts'

/** What every write takes. */
export interface WriteOptions<C extends DaybookConfig> extends CallOptions, DryRunOptions {
  /** The locale that is written. @default the config's */
  readonly locale?: Locale<C>
  /**
   * Names the intention, so that the write may be sent again: 1 to 255 visible ASCII characters. What is created is created
   * once; the same change made twice comes to the same. @default none: it is sent once
   */
  readonly idempotencyKey?: string
}

/** On what condition something is changed. */
export interface ChangeOptions<C extends DaybookConfig> extends WriteOptions<C> {
  /** The tag that the stored version must have; see {@link etagOf}. @default that of the entry, where one is given in place of an id */
  readonly ifMatch?: string
}

/** On what condition a global is changed. */
export interface GlobalChangeOptions<C extends DaybookConfig> extends ChangeOptions<C> {
  /** `*`: only if the global was never written. */
  readonly ifNoneMatch?: '*'
}

/** On what condition something is deleted. */
export type DeleteOptions<C extends DaybookConfig> = CallOptions & Pick<ChangeOptions<C>, 'ifMatch' | 'dryRun'>

/** On what condition an entry is restored. */
export type RestoreOptions<C extends DaybookConfig> = DeleteOptions<C> & {
  /** The slug of a deleted entry. @default the one that it had */
  readonly slug?: string
}

/** An entry as it was read, or its id. */
export type EntryOrId = string | { readonly id: string }
