import type { JsonSchema } from '../../../fields/field.ts'

/** The roles of an account or a token. */
export const ROLES: JsonSchema = {
  type: 'array',
  items: { type: 'string', pattern: '^[A-Za-z0-9_.-]{1,48}$' },
  minItems: 1,
  maxItems: 20,
}

/** For how many days something lasts. */
export const DAYS: JsonSchema = { type: 'integer', minimum: 1, maximum: 3650 }
