import { generateKeyBetween } from 'fractional-indexing'
import { type CommonOptions, type Field, type FieldType, makeField } from './field.ts'

/** The key of the rank in entries of an orderable collection. */
export const RANK = 'rank'

/** The length from which on the ranks of neighbours are spread again, in characters. */
export const LONG_RANK = 48
/** The maximum length of a rank, in characters. Only restored ranks are longer than {@link LONG_RANK}. */
const MAX_RANK_LENGTH = 128

/** Returns true if a text is a rank, between which and any other one there is room for more. */
export function isRank(value: unknown): value is string {
  if (typeof value !== 'string' || value === '' || value.length > MAX_RANK_LENGTH) return false
  try {
    generateKeyBetween(value, null)
    return true
  } catch {
    return false
  }
}

const rank: FieldType<Pick<CommonOptions, 'description'>> = {
  name: 'rank',
  isServiceMade: true,
  rules: {},
  schema: () => ({
    type: 'string',
    maxLength: MAX_RANK_LENGTH,
    readOnly: true,
    description: 'The position of the entry in the order by hand: texts that sort by code point. A move changes it.',
    examples: ['a0'],
  }),
  accepts: isRank,
  scalar: () => 'text',
  fromQuery: (text) => text,
}

/** The position of an entry in the order by hand, which the service adds to orderable collections. */
export const RANK_FIELD: Field = makeField(rank, {})
