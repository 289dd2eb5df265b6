import type { CollectionModel, LocalesModel } from '../model/model.ts'
import { DRY_RUN } from './draft-query.ts'
import { listParameters } from './list-query.ts'
import { writtenLocale } from './locale.ts'
import type { ParametersOf, QueryOf } from './parameters.ts'
import type { WrittenWhere } from './where.ts'

/** The parameters of a write of all entries that match: those of a list that narrow it, and `where` has to be there. */
export function manyParameters(
  collection: CollectionModel,
  locales: LocalesModel | undefined,
): ParametersOf<{
  where: WrittenWhere
  q: string
  status: readonly string[]
  locale: string
  dryRun: string
}> {
  const { where, q, status } = listParameters(collection, locales)
  return {
    where: {
      ...where,
      isRequired: true,
      advice: 'must say which entries, as where[field][operator]=value; where[id][exists]=true is every entry',
    },
    q,
    status,
    ...writtenLocale(locales),
    ...DRY_RUN,
  }
}

/** The query parameters of a write of all entries that match. */
export type ManyParameters = QueryOf<ReturnType<typeof manyParameters>>
