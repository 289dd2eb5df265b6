import {
  type Faults,
  namesParameter,
  type ParametersOf,
  type Query,
  type QueryOf,
  textParameter,
} from './parameters.ts'

/** The maximum number of subjects in a request. */
const MAX_SUBJECTS = 100

export const PEOPLE_PARAMETERS: ParametersOf<{ subjects: readonly string[] }> = {
  subjects: namesParameter(
    'Subjects, as `createdBy`, the journal and versions name them.',
    { minLength: 1 },
    MAX_SUBJECTS,
  ),
}

/** The parameters of the caller's permissions. */
export const PERMISSIONS_PARAMETERS: ParametersOf<{ collection: string; id: string; global: string }> = {
  collection: textParameter('With `id`: the collection of the entry whose permissions are returned.', { minLength: 1 }),
  id: textParameter('With `collection`: the id of the entry whose permissions are returned.', { minLength: 1 }),
  global: textParameter('The global whose permissions are returned.', { minLength: 1 }),
}

/** The entry or the global that a request is about. */
export type DocumentName = { readonly collection: string; readonly id: string } | { readonly global: string }

/**
 * Reads which document a request for permissions is about.
 *
 * @returns `undefined` if it is about all collections and globals
 * @throws VALIDATION_ERROR
 */
export function readDocumentName(query: Query<QueryOf<typeof PERMISSIONS_PARAMETERS>>): DocumentName | undefined {
  return query.check(checkDocumentName)
}

function checkDocumentName(
  { collection, id, global }: QueryOf<typeof PERMISSIONS_PARAMETERS>,
  faults: Faults,
): DocumentName | undefined {
  if (collection === undefined && id !== undefined)
    faults.add('collection', 'required', 'is required with id. It is the collection of the entry.')
  if (collection !== undefined && id === undefined)
    faults.add('id', 'required', 'is required with collection. It is the id of the entry.')
  if (global === undefined) return collection !== undefined && id !== undefined ? { collection, id } : undefined
  if (collection !== undefined || id !== undefined)
    faults.add('global', 'exclusive', 'is not allowed together with collection and id', { with: 'collection' })
  return { global }
}
