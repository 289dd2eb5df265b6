import type { CollectionModel } from '../../model/model.ts'
import type { ListQuery } from '../../query/list-query.ts'
import type { Condition } from '../../query/where.ts'
import type { Counters } from '../../store/reads/counters-reader.ts'
import type { SearchQuery } from '../../store/search/search.ts'
import type { ReaderScope } from '../access/reader-scope.ts'
import type { Projection } from './present.ts'

/** Other collections that an answer is made of. */
export interface Sources {
  /** Other collections whose documents are embedded or filtered by. */
  readonly touched: readonly CollectionModel[]
  /** Those that rules look into, to tell what the reader may see. */
  readonly behind: readonly CollectionModel[]
}

/** A planned list: everything about it that does not change with the content. */
export interface ListQuestion {
  /** As the locale shows it. */
  readonly collection: CollectionModel
  readonly query: ListQuery
  readonly scope: ReaderScope
  /** The condition of the request together with the access filter of the reader. */
  readonly where: Condition | undefined
  readonly statuses: readonly string[] | undefined
  readonly search: SearchQuery | undefined
  /** Whether the reader sees what is published, and nothing else. */
  readonly isPublicOnly: boolean
  /** Whether a filter or a search has to be counted. */
  readonly isNarrowed: boolean
  readonly projection: Projection
  /** Whether nothing is put into the entries that other rows say. */
  readonly isOfOneRow: boolean
  /** Other collections that the answer depends on. */
  readonly sources: Sources
  /** Names what is found, whatever page of it is shown. */
  readonly matches: string
  /** All of the answer's tag that no write changes. */
  readonly variant: string
}

/**
 * True if the counters of the collection say how many entries a list has: they count entries by their status in the default locale, which
 * may be another one than in the locale of the list.
 */
export const isCounted = ({ isNarrowed, collection }: ListQuestion, { partlyPublished }: Counters): boolean =>
  !isNarrowed && (collection.table === collection.key || partlyPublished === 0)
