import type { LocalesModel } from '../model/model.ts'
import { SEARCH_PARAMETER } from './list-query.ts'
import { readLocaleParameter } from './locale-parameters.ts'
import {
  countParameter,
  namesParameter,
  type Parameter,
  type ParametersOf,
  type QueryOf,
  textParameter,
} from './parameters.ts'

/** How many entries of all collections are answered where the request does not say. */
export const DEFAULT_SEARCH_LIMIT = 20
const MAX_ACROSS = 100

const LIMIT = countParameter('How many entries to answer at most.', {
  default: DEFAULT_SEARCH_LIMIT,
  minimum: 1,
  maximum: MAX_ACROSS,
})

/** The parameters of a search of all collections. */
export const searchParameters = (
  locales: LocalesModel | undefined,
): ParametersOf<{ q: string; collections: readonly string[]; limit: number; locale: string }> => ({
  q: { ...SEARCH_PARAMETER, isRequired: true },
  collections: namesParameter('Keys of collections. By default all that the reader may read.', {
    pattern: '^[a-z][a-zA-Z0-9_]*$',
  }),
  limit: LIMIT,
  ...readLocaleParameter(locales),
})

/** What is asked of a search of all collections. */
export type SearchParameters = QueryOf<ReturnType<typeof searchParameters>>

const CURSOR_FORMAT = /^\d{1,16}(?:-\d{1,16})?$/
const CURSOR: Parameter<string> = textParameter('`nextCursor` of the page before, as it was given.', {}, (text) =>
  CURSOR_FORMAT.test(text) ? undefined : ['cursor', 'is no cursor that was given; begin without one'],
)

/** The numbers of a cursor. */
export const parsePosition = (cursor: string): readonly number[] => cursor.split('-').map(Number)

/** The parameters of the working copies of all collections. */
export const draftsParameters = (
  locales: LocalesModel | undefined,
): ParametersOf<{ actor: string; limit: number; cursor: string; locale: string }> => ({
  actor: textParameter('The subject of who saved them last.'),
  limit: LIMIT,
  cursor: CURSOR,
  ...readLocaleParameter(locales),
})

/** What is asked of the working copies of all collections. */
export type DraftsParameters = QueryOf<ReturnType<typeof draftsParameters>>

/** The parameters of what is to be published or unpublished. */
export const schedulesParameters = (
  locales: LocalesModel | undefined,
): ParametersOf<{ limit: number; cursor: string; locale: string }> => ({
  limit: LIMIT,
  cursor: CURSOR,
  ...readLocaleParameter(locales),
})

/** What is asked of what is to be published or unpublished. */
export type SchedulesParameters = QueryOf<ReturnType<typeof schedulesParameters>>
