import { namesParameter, type ParametersOf } from './parameters.ts'

/** The most subjects that one request names. */
const MAX_SUBJECTS = 100

/** The parameters of the names of people. */
export const PEOPLE_PARAMETERS: ParametersOf<{ subjects: readonly string[] }> = {
  subjects: namesParameter(
    'Subjects, as `createdBy`, the journal and versions name them.',
    { minLength: 1 },
    MAX_SUBJECTS,
  ),
}
