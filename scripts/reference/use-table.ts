import {
  describeFields,
  type FieldDescription,
} from '../../packages/daybook/src/content/description/field-description.ts'
import { type CollectionConfig, ConfigError, defineCollection, f } from '../../packages/daybook/src/index.ts'
import { compileModel } from '../../packages/daybook/src/model/compile.ts'
import { table } from './table.ts'

/** The options that a table of field types tries; `localized` stands beside those that the type needs. */
type Tried = { readonly localized?: boolean }

type Make = (tried: Tried) => CollectionConfig['fields'][string]

/** Each field type as people write it, and how it is made. */
const TYPES: readonly (readonly [written: string, make: Make])[] = [
  ['f.text()', (tried) => f.text(tried)],
  ['f.markdown()', (tried) => f.markdown(tried)],
  ['f.integer()', (tried) => f.integer(tried)],
  ['f.number()', (tried) => f.number(tried)],
  ['f.boolean()', (tried) => f.boolean(tried)],
  ['f.date()', (tried) => f.date(tried)],
  ['f.datetime()', (tried) => f.datetime(tried)],
  ['f.select()', (tried) => f.select({ options: ['a'], ...tried })],
  ['f.select(), many', (tried) => f.select({ options: ['a'], many: true, ...tried })],
  ['f.email()', (tried) => f.email(tried)],
  ['f.url()', (tried) => f.url(tried)],
  ['f.slug()', (tried) => f.slug(tried)],
  ['f.status()', (tried) => f.status(tried as object)],
  ['f.relation()', (tried) => f.relation('things', tried)],
  ['f.relation(), many', (tried) => f.relation('things', { many: true, ...tried })],
  ['f.asset()', (tried) => f.asset(tried)],
  ['f.asset(), many', (tried) => f.asset({ many: true, ...tried })],
  ["f.relation(['posts', 'pages'])", (tried) => f.relation(['things', 'others'], tried)],
  ['f.reverse()', () => f.reverse('others.thing')],
  ['f.group()', (tried) => f.group({ text: f.text() }, tried)],
  ['f.list() of scalars', (tried) => f.list(f.text(), tried)],
  ['f.list() of others', (tried) => f.list(f.group({ text: f.text() }), tried)],
  ['f.blocks()', (tried) => f.blocks({ quote: { text: f.text() } }, tried)],
  ['f.json()', (tried) => f.json(tried)],
]

const EVERYONE = { hidden: new Set<string>(), canWrite: () => true, canReadCollection: () => true }

const isYes = (does: boolean): string => (does ? 'yes' : '')

/** What lists and languages can do with each field type. */
export function useTable(): string {
  const rows = TYPES.map(([written, make]) => {
    const { operators, sortable, aggregates, generated } = describe(make)
    return [
      `\`${written.replace(/(?<=\)).*/, '')}\`${/(?<=\)).*/.exec(written)?.[0] ?? ''}`,
      operators.map((operator) => `\`${operator}\``).join(' '),
      isYes(sortable),
      aggregates.map((one) => `\`${one}\``).join(' '),
      isYes(isSearched(make)),
      isYes(canBeLocalized(make)),
      generated.map((key) => `\`${key.replace('field', 'KEY')}\``).join(' '),
    ]
  })
  return table(['type', 'filters', 'sorts', 'aggregates', '`q` finds it', 'localized', 'further keys'], rows)
}

function compile(make: Make, tried: Tried) {
  return compileModel({
    locales: { default: 'en', available: ['en', 'de'] },
    collections: {
      things: defineCollection({ fields: { field: make(tried) } }),
      others: defineCollection({ fields: { thing: f.relation('things') } }),
    },
  })
}

function describe(make: Make): FieldDescription {
  const things = compile(make, {}).collections.get('things')
  const [field] = things ? describeFields(things, EVERYONE) : []
  if (!field) throw new Error('A sample of the table of field types has no field.')
  return field
}

/** Whether `q` finds words in it, or in what is inside. */
const isSearched = (make: Make): boolean =>
  compile(make, {})
    .collections.get('things')
    ?.searchable.some(({ key }) => key === 'field') === true

/** Whether the config takes a value for each locale. */
function canBeLocalized(make: Make): boolean {
  try {
    return compile(make, { localized: true }).collections.get('things')?.fields[0]?.field.options.localized === true
  } catch (error) {
    if (error instanceof ConfigError) return false
    throw error
  }
}
