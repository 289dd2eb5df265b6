import type { PathParameters } from '../contract.ts'
import { EXAMPLE_ID } from './schemas.ts'

/** Where an entry is changed. */
export const ENTRY_PATH = '/api/:collection/:id'

export const BY_ID: PathParameters = {
  id: { description: 'The id of the entry.', schema: { type: 'string', format: 'uuid' }, example: EXAMPLE_ID },
}
