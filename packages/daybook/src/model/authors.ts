import type { JsonSchema } from '../fields/field.ts'
import type { FilterableField } from './model.ts'

const COMMON = {
  scalar: 'text',
  // Adapters choose subjects, so any text is possible.
  isServiceMade: false,
  isNeverNull: false,
  isText: false,
  isDate: false,
  isCounted: false,
  fromQuery: (text: string) => text,
  filterSchema: { type: 'string' },
} as const

/**
 * The authors of a document as filterable fields. They are not among the fields of a collection, because callers without a session cannot
 * read them.
 */
export const FILTERABLE_AUTHOR_FIELDS: ReadonlyMap<string, FilterableField> = new Map(
  [
    { path: 'createdBy', owner: 'createdBy', column: 'created_by', ...COMMON } as const,
    { path: 'updatedBy', owner: 'updatedBy', column: 'updated_by', ...COMMON } as const,
  ].map((field) => [field.path, field]),
)

/** The keys of authors, in the order in which they are served after all others. */
export const AUTHOR_KEYS: readonly string[] = [...FILTERABLE_AUTHOR_FIELDS.keys()]

const createAuthorSchema = (description: string): JsonSchema => ({
  type: ['string', 'null'],
  readOnly: true,
  description,
})

export const AUTHOR_SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  createdBy: createAuthorSchema('The subject of the identity that made it; null where nobody is known.'),
  updatedBy: createAuthorSchema('The subject of the identity that last changed it; null where nobody is known.'),
}
