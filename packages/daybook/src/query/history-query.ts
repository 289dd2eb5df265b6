import type { LocalesModel } from '../model/model.ts'
import { PAGE } from './entry-query.ts'
import { type LocaleQuery, localeParameters } from './locale.ts'
import { countParameter, type ParametersOf, textParameter } from './parameters.ts'

/** The parameters of a list of versions. */
export const VERSIONS_PAGE: ParametersOf<{ limit: number; cursor: string }> = {
  limit: PAGE.limit,
  cursor: textParameter('`nextCursor` of the page before, as it was given.'),
}

/** What is asked of one version. */
export interface VersionQuery extends LocaleQuery {
  readonly against?: number | undefined
}

/** The parameters of one version. */
export const versionParameters = (
  locales: LocalesModel | undefined,
): ParametersOf<{ against: number }> & ReturnType<typeof localeParameters> => ({
  against: countParameter(
    'The number of another version: what changes that one into this one is answered, as a JSON Patch.',
  ),
  ...localeParameters(locales),
})
