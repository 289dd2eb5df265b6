import type { DocumentModel, LocalesModel } from '../model/model.ts'
import { readSelection, SELECTION_PARAMETERS, type Selection, type SelectionQuery } from './expansion.ts'
import { type LocaleQuery, localeParameters } from './locale-parameters.ts'
import { countParameter, enumParameter, type ParametersOf, type Query, type QueryOf } from './parameters.ts'
import type { QueryScope } from './where.ts'

/** The parameters of one entry or global. */
export const documentParameters = (
  locales: LocalesModel | undefined,
): typeof SELECTION_PARAMETERS & ReturnType<typeof localeParameters> => ({
  ...SELECTION_PARAMETERS,
  ...localeParameters(locales),
})

/** The query of a request for one document. */
export interface DocumentQuery extends SelectionQuery, LocaleQuery {}

/**
 * Checks what is asked of one document against what the reader may see.
 *
 * @throws VALIDATION_ERROR with one issue for each fault
 */
export function readDocumentQuery(document: DocumentModel, query: Query<DocumentQuery>, scope: QueryScope): Selection {
  return query.check((asked, faults) => readSelection(faults, document, asked, scope))
}

/** The page size of plain lists. */
const DEFAULT_PAGE = 20
/** The most on one page of a plain list. */
export const MAX_PAGE = 100

/** The parameters of a plain list. */
export const PAGE_PARAMETERS: ParametersOf<{ limit: number; offset: number }> = {
  limit: countParameter(`How many to answer, at most ${MAX_PAGE}: a larger number is brought down to it.`, {
    default: DEFAULT_PAGE,
  }),
  offset: countParameter('How many to skip.', { default: 0 }),
}

/**
 * Which page of a plain list is meant.
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

/** The parameters of an export. */
export const EXPORT_PARAMETERS: ParametersOf<{ since: number; people: string }> = {
  since: countParameter('A number of the journal: what has changed after it is exported.'),
  people: enumParameter('Whether lines say who made and last changed documents. By default they do.', [
    'true',
    'false',
  ]),
}
