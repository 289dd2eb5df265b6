import type { Violation } from '../issues.ts'
import { MAX_SLUG_LENGTH } from '../slugs.ts'
import {
  type CommonOptions,
  type Exactly,
  type Field,
  type FieldType,
  isGuarded,
  makeField,
  VIOLATION,
} from './field.ts'
import { COMMON_RULES, keyRule } from './option-rules.ts'

export interface SlugOptions extends CommonOptions<string> {
  /** The text field from which a slug is made if a write has none, with `-2`, `-3` … if it is in use. Latin letters lose their accents, other scripts keep letters and marks. Neither field can have `access.read`. */
  readonly from?: string
}

const PART = '[\\p{L}\\p{N}][\\p{L}\\p{M}\\p{N}]*'
/** The source of the pattern of slugs, in which a mark belongs to the letter before it. */
const SLUG_PATTERN = `^${PART}(?:[-_.]${PART})*$`
const NO_SLUG: Violation = [
  'slug',
  'must consist of letters and digits with single -, _ or . between them, such as my-first-post',
]
const NOT_UUID = '^(?![0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$)'
const LIKE_AN_ID: Violation = ['id_shape', 'must not have the form of an id']

const slug: FieldType<SlugOptions> = {
  name: 'slug',
  role: 'slug',
  rules: { ...COMMON_RULES, from: keyRule },
  check(options, place, report) {
    if (place.isNested) report.add(place.path, 'must be among the top-level fields of a collection')
    if (place.isGuarded)
      report.add(
        `${place.path}.access.read`,
        'is not allowed, because addresses, and a 409, tell which slugs exist. Leave it out',
      )
    const { from } = options
    const source = from !== undefined && Object.hasOwn(place.siblings, from) ? place.siblings[from] : undefined
    if (from !== undefined && source?.type?.scalar?.(source.options) !== 'text') {
      report.add(`${place.path}.from`, 'must be the key of a text field beside it, such as from: "title"')
    }
    if (isGuarded(source))
      report.add(
        `${place.path}.from`,
        'must be the key of a field without access.read, because the slug tells what it contains',
      )
  },
  schema: () => ({
    type: 'string',
    minLength: 1,
    maxLength: MAX_SLUG_LENGTH,
    examples: ['my-first-post'],
    allOf: [
      { pattern: SLUG_PATTERN, [VIOLATION]: NO_SLUG },
      { pattern: NOT_UUID, [VIOLATION]: LIKE_AN_ID },
    ],
  }),
  accepts: (value) => typeof value === 'string',
  canonical: (value) => String(value).normalize('NFC'),
  scalar: () => 'text',
  source: (options) => options.from,
  fromQuery: (text) => text.normalize('NFC'),
  isText: true,
}

/** The readable address of an entry, unique in its collection. A collection has at most one, and a global none. */
export function slugField<const O extends SlugOptions = Record<never, never>>(
  options?: Exactly<O, SlugOptions>,
): Field<string, NoInfer<O> & { readonly '~slug'?: true }> {
  return makeField(slug, (options ?? {}) as O)
}
