import type { CollectionModel } from '../../model/model.ts'
import type { ListQuery } from '../../query/list-query.ts'
import type { SearchQuery } from '../../store/search.ts'
import type { CallerScope, Dependencies } from '../access/caller-scope.ts'
import type { Projection } from './present.ts'

/** A list request with defaults and the access of its caller applied. It depends on no content, so it can be cached. */
export interface ResolvedListQuery extends ListQuery {
  /** The collection in the locale of the request. */
  readonly collection: CollectionModel
  readonly scope: CallerScope
  /** The filter of the request together with the access filter of the caller. */
  readonly where: ListQuery['where']
  /** The statuses of the request that the caller may see; `undefined`: any. */
  readonly statuses: ListQuery['statuses']
  readonly search: SearchQuery | undefined
  readonly projection: Projection
  /** True if each entry of the response is made of one row. */
  readonly isSelfContained: boolean
  readonly dependencies: Dependencies
  /** The cache key of what is computed over all matches, whatever page is requested. */
  readonly matchesCacheKey: string
  /** The part of the entity tag that does not change with the content. */
  readonly etagPart: string
}
