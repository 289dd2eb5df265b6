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

/** The default number of entries on a page over all collections. */
export const DEFAULT_SEARCH_LIMIT = 20
const MAX_ACROSS = 100

const LIMIT = countParameter('The maximum number of entries to return.', {
  default: DEFAULT_SEARCH_LIMIT,
  minimum: 1,
  maximum: MAX_ACROSS,
})

export const searchParameters = (
  locales: LocalesModel | undefined,
): ParametersOf<{ q: string; collections: readonly string[]; limit: number; locale: string }> => ({
  q: { ...SEARCH_PARAMETER, isRequired: true },
  collections: namesParameter('Keys of collections. By default all that the caller can read.', {
    pattern: '^[a-z][a-zA-Z0-9_]*$',
  }),
  limit: LIMIT,
  ...readLocaleParameter(locales),
})

export type SearchParameters = QueryOf<ReturnType<typeof searchParameters>>

const CURSOR_FORMAT = /^\d{1,16}(?:-\d{1,16})?$/
const CURSOR: Parameter<string> = textParameter('`nextCursor` of the previous page.', {}, (text) =>
  CURSOR_FORMAT.test(text) ? undefined : ['cursor', 'is invalid. Start again from the first page.'],
)

export const parsePosition = (cursor: string): readonly number[] => cursor.split('-').map(Number)

export const draftsParameters = (
  locales: LocalesModel | undefined,
): ParametersOf<{ actor: string; limit: number; cursor: string; locale: string }> => ({
  actor: textParameter('The subject of the author of the last save.'),
  limit: LIMIT,
  cursor: CURSOR,
  ...readLocaleParameter(locales),
})

export type DraftsParameters = QueryOf<ReturnType<typeof draftsParameters>>

export const schedulesParameters = (
  locales: LocalesModel | undefined,
): ParametersOf<{ limit: number; cursor: string; locale: string }> => ({
  limit: LIMIT,
  cursor: CURSOR,
  ...readLocaleParameter(locales),
})

export type SchedulesParameters = QueryOf<ReturnType<typeof schedulesParameters>>
