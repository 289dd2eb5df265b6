import { beforeEach } from 'vitest'
import type { Store } from '../../../src/store/store.ts'
import type { Place } from './place.ts'
import type { StoreKind } from './stores.ts'

/** An open store without collections, and its place. */
export interface BlankStore {
  readonly place: Place
  readonly store: Store
}

/** Opens a store for each test. Returns a function that returns the current one. */
export function useBlankStore(at: StoreKind['at']): () => BlankStore {
  let blank: BlankStore
  beforeEach(async () => {
    const place = await at()
    await place.start({ collections: {} })
    const store = await place.store()
    blank = { place, store }
    return async () => {
      await store.close()
      await place[Symbol.asyncDispose]()
    }
  })
  return () => blank
}
