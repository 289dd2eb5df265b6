import type { StudioClient } from '../../api/client.ts'
import type { StudioCollection } from '../../model/studio-model.ts'
import type { Values } from '../saving/field-values.ts'

interface WriteOptions {
  readonly ifMatch?: string
}

interface PublishOptions extends WriteOptions {
  readonly at?: string
  readonly locales?: readonly string[]
}

/** A document that refers to an entry. */
export interface Referrer {
  readonly collection: string
  readonly id: string
  readonly field: string
}

/** The client's methods of a collection that actions use. The types know no model, since the Studio loads it at run time. */
export interface ActionCalls {
  publish(id: string, options: PublishOptions): Promise<object>
  unpublish(id: string, options: PublishOptions): Promise<object>
  unschedule(id: string): Promise<void>
  discardDraft(id: string, options: WriteOptions): Promise<void>
  update(id: string, data: Values, options: WriteOptions): Promise<object>
  delete(id: string, options: WriteOptions): Promise<void>
  findMany(query: {
    readonly where: object
    readonly limit: number
  }): Promise<{ readonly items: readonly (Values & { id: string })[] }>
  references(id: string, query: { readonly limit: number }): Promise<{ total: number; items: readonly Referrer[] }>
}

export const getEntryCalls = (client: StudioClient, { key }: StudioCollection): ActionCalls =>
  client.collections[key] as unknown as ActionCalls
