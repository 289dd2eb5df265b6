import type { CollectionModel } from '../../model/model.ts'
import type { ListQuery } from '../../query/list-query.ts'
import type { SearchQuery } from '../../store/search.ts'
import type { CallerScope, Dependencies } from '../access/caller-scope.ts'
import type { Projection } from './present.ts'

/** A list query with defaults and the caller's access applied. It does not depend on content, so it can be cached. */
export interface ResolvedListQuery extends ListQuery {
  /** The collection in the locale of the request. */
  readonly collection: CollectionModel
  readonly scope: CallerScope
  /** The filter of the request combined with the caller's access filter. */
  readonly where: ListQuery['where']
  /** The statuses of the request that the caller may see; `undefined`: any. */
  readonly statuses: ListQuery['statuses']
  readonly search: SearchQuery | undefined
  readonly projection: Projection
  /** True if each entry of the response needs one row. */
  readonly isSelfContained: boolean
  readonly dependencies: Dependencies
  /** The cache key of totals and aggregates, which do not depend on the page. */
  readonly matchesCacheKey: string
  /** The part of the entity tag that does not depend on the content. */
  readonly etagPart: string
}
