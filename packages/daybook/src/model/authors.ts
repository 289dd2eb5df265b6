import type { JsonSchema } from '../fields/field.ts'
import type { FilterableField } from './model.ts'

const COMMON = {
  scalar: 'text',
  // Adapters choose subjects, so that any text may be one.
  isServiceMade: false,
  isNeverNull: false,
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
export const FILTERABLE_AUTHOR_FIELDS: ReadonlyMap<string, FilterableField> = new Map(
  [
    { path: 'createdBy', owner: 'createdBy', column: 'created_by', ...COMMON } as const,
    { path: 'updatedBy', owner: 'updatedBy', column: 'updated_by', ...COMMON } as const,
  ].map((one) => [one.path, one]),
)

/** Their keys, in the order in which they are served: behind all others. */
export const AUTHOR_KEYS: readonly string[] = [...FILTERABLE_AUTHOR_FIELDS.keys()]

const personSchema = (description: string): JsonSchema => ({ type: ['string', 'null'], readOnly: true, description })

/** The JSON Schemas of their values. */
export const AUTHOR_SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  createdBy: personSchema('The subject of the identity that made it; null where nobody is known.'),
  updatedBy: personSchema('The subject of the identity that last changed it; null where nobody is known.'),
}
