import type { StudioClient } from '../../api/client.ts'
import type { StudioCollection } from '../../model/studio-model.ts'
import type { Values } from '../saving/field-values.ts'

interface Condition {
  readonly ifMatch?: string
}

interface AtTime {
  readonly at?: string
  readonly locales?: readonly string[]
}

/** A document that refers to an entry. */
export interface Referrer {
  readonly collection: string
  readonly id: string
  readonly field: string
}

/** What the Studio calls of a collection besides saves, for a model that is known only at run time. */
interface ActionCalls {
  publish(id: string, options: Condition & AtTime): Promise<object>
  unpublish(id: string, options: Condition & AtTime): Promise<object>
  unschedule(id: string): Promise<void>
  discardDraft(id: string, options: Condition): Promise<void>
  update(id: string, data: Values, options: Condition): Promise<object>
  delete(id: string, options: Condition): Promise<void>
  findMany(query: {
    readonly where: object
    readonly limit: number
  }): Promise<{ readonly items: readonly (Values & { id: string })[] }>
  references(id: string, query: { readonly limit: number }): Promise<{ total: number; items: readonly Referrer[] }>
}

/** The calls of a collection, of which types know nothing. */
export const getEntryCalls = (client: StudioClient, { key }: StudioCollection): ActionCalls =>
  client.collections[key] as unknown as ActionCalls
