import {
  describeFields,
  type FieldDescription,
} from '../../packages/daybook/src/content/description/field-description.ts'
import { type CollectionConfig, ConfigError, defineCollection, f } from '../../packages/daybook/src/index.ts'
import { compileModel } from '../../packages/daybook/src/model/compile.ts'
import { table } from './table.ts'

/** The option that the table adds to those that a type needs. */
type AddedOptions = { readonly localized?: boolean }

type Make = (added: AddedOptions) => CollectionConfig['fields'][string]

/** The field types as they are written, with a builder of a sample. */
const TYPES: readonly (readonly [written: string, make: Make])[] = [
  ['f.text()', (added) => f.text(added)],
  ['f.markdown()', (added) => f.markdown(added)],
  ['f.integer()', (added) => f.integer(added)],
  ['f.number()', (added) => f.number(added)],
  ['f.boolean()', (added) => f.boolean(added)],
  ['f.date()', (added) => f.date(added)],
  ['f.datetime()', (added) => f.datetime(added)],
  ['f.select()', (added) => f.select({ options: ['a'], ...added })],
  ['f.select(), many', (added) => f.select({ options: ['a'], many: true, ...added })],
  ['f.email()', (added) => f.email(added)],
  ['f.url()', (added) => f.url(added)],
  ['f.slug()', (added) => f.slug(added)],
  ['f.status()', (added) => f.status(added as object)],
  ['f.relation()', (added) => f.relation('things', added)],
  ['f.relation(), many', (added) => f.relation('things', { many: true, ...added })],
  ['f.parent()', (added) => f.parent(added as object)],
  ['f.asset()', (added) => f.asset(added)],
  ['f.asset(), many', (added) => f.asset({ many: true, ...added })],
  ["f.relation(['posts', 'pages'])", (added) => f.relation(['things', 'others'], added)],
  ['f.reverse()', () => f.reverse('others.thing')],
  ['f.group()', (added) => f.group({ text: f.text() }, added)],
  ['f.list() of scalars', (added) => f.list(f.text(), added)],
  ['f.list() of groups', (added) => f.list(f.group({ text: f.text() }), added)],
  ['f.blocks()', (added) => f.blocks({ quote: { text: f.text() } }, added)],
  ['f.json()', (added) => f.json(added)],
]

const EVERYONE = { hidden: new Set<string>(), canWrite: () => true, canReadCollection: () => true }

const isYes = (does: boolean): string => (does ? 'yes' : '')

/** The table of what filters, sorts, searches and locales support for each field type. */
export function useTable(): string {
  const rows = TYPES.map(([written, make]) => {
    const { operators, sortable, aggregates, generated } = describe(make)
    return [
      `\`${written.replace(/(?<=\)).*/, '')}\`${/(?<=\)).*/.exec(written)?.[0] ?? ''}`,
      operators.map((operator) => `\`${operator}\``).join(' '),
      isYes(sortable),
      aggregates.map((aggregate) => `\`${aggregate}\``).join(' '),
      isYes(isSearched(make)),
      isYes(canBeLocalized(make)),
      generated.map((key) => `\`${key.replace('field', 'KEY')}\``).join(' '),
    ]
  })
  return table(['type', 'filters', 'sorts', 'aggregates', '`q` finds it', 'localized', 'further keys'], rows)
}

function compile(make: Make, added: AddedOptions) {
  return compileModel({
    locales: { default: 'en', available: ['en', 'de'] },
    collections: {
      things: defineCollection({ fields: { field: make(added) } }),
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

/** True if `q` finds words in the field or in its inner fields. */
const isSearched = (make: Make): boolean =>
  compile(make, {})
    .collections.get('things')
    ?.searchable.some(({ key }) => key === 'field') === true

function canBeLocalized(make: Make): boolean {
  try {
    return compile(make, { localized: true }).collections.get('things')?.fields[0]?.field.options.localized === true
  } catch (error) {
    if (error instanceof ConfigError) return false
    throw error
  }
}
