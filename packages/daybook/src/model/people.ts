import type { JsonSchema } from '../fields/field.ts'
import type { Comparable } from './model.ts'

const COMMON = {
  scalar: 'text',
  // Adapters choose subjects, so that any text may be one.
  isMadeByService: false,
  neverNull: false,
  isText: false,
  isDate: false,
  isCounted: false,
  fromQuery: (text: string) => text,
  filterSchema: { type: 'string' },
} as const

/**
 * Who made and who last changed a document, as filters and sorts name it. Not among the collection's own comparables: a
 * reader without a session does not know them.
 */
export const PEOPLE_COMPARABLES: ReadonlyMap<string, Comparable> = new Map(
  [
    { path: 'createdBy', owner: 'createdBy', column: 'created_by', ...COMMON } as const,
    { path: 'updatedBy', owner: 'updatedBy', column: 'updated_by', ...COMMON } as const,
  ].map((one) => [one.path, one]),
)

/** Their keys, in the order in which they are served: behind all others. */
export const PEOPLE_KEYS: readonly string[] = [...PEOPLE_COMPARABLES.keys()]

const personSchema = (description: string): JsonSchema => ({ type: ['string', 'null'], readOnly: true, description })

/** The JSON Schemas of their values. */
export const PEOPLE_SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  createdBy: personSchema('The subject of the identity that made it; null where nobody is known.'),
  updatedBy: personSchema('The subject of the identity that last changed it; null where nobody is known.'),
}
