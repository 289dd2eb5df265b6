import type { DocumentModel, LocalesModel } from '../model/model.ts'
import { readSelection, SELECTION_PARAMETERS, type Selection, type SelectionQuery } from './expansion.ts'
import { type LocaleQuery, localeParameters } from './locale-parameters.ts'
import { countParameter, enumParameter, type ParametersOf, type Query, type QueryOf } from './parameters.ts'
import type { QueryScope } from './where.ts'

/** Returns the parameters of a read of one entry or global. */
export const documentParameters = (
  locales: LocalesModel | undefined,
): typeof SELECTION_PARAMETERS & ReturnType<typeof localeParameters> => ({
  ...SELECTION_PARAMETERS,
  ...localeParameters(locales),
})

export interface DocumentQuery extends SelectionQuery, LocaleQuery {}

/**
 * Checks the query of a read of one document against the caller's access.
 *
 * @throws VALIDATION_ERROR with one issue for each fault
 */
export function readDocumentQuery(document: DocumentModel, query: Query<DocumentQuery>, scope: QueryScope): Selection {
  return query.check((values, faults) => readSelection(faults, document, values, scope))
}

const DEFAULT_PAGE = 20
export const MAX_PAGE = 100

export const PAGE_PARAMETERS: ParametersOf<{ limit: number; offset: number }> = {
  limit: countParameter(`The number of items to return, at most ${MAX_PAGE}; a larger number is reduced to it.`, {
    default: DEFAULT_PAGE,
  }),
  offset: countParameter('The number of items to skip.', { default: 0 }),
}

/**
 * Reads the page of a plain list.
 *
 * @throws VALIDATION_ERROR
 */
export function readPageBounds(query: Query<QueryOf<typeof PAGE_PARAMETERS>>): {
  readonly limit: number
  readonly offset: number
} {
  const { limit = DEFAULT_PAGE, offset = 0 } = query.values
  return { limit: Math.min(limit, MAX_PAGE), offset }
}

export const EXPORT_PARAMETERS: ParametersOf<{ since: number; people: string }> = {
  since: countParameter('A number of the journal: only later changes are exported.'),
  people: enumParameter('With `false`, lines omit the authors of documents. By default they are included.', [
    'true',
    'false',
  ]),
}
