import { f } from 'daybook'
import { type Case, FIELD, field, fields, global, option, posts, title, wrong } from './config-cases.ts'

const KIND = { kind: f.select({ options: ['a', { value: 'b', label: 'B' }] }) }
const shown = (showIf: unknown, siblings: object = KIND): object =>
  posts({ ...siblings, field: f.text({ showIf: showIf as never }) })

/** Faults of the condition on which a field is shown. */
export const CONDITIONS: readonly Case[] = [
  ['a text', shown('kind'), '', 'must be conditions on the fields beside it'],
  ['no field', shown({}), '', "such as { kind: 'event' }"],
  ['a field that is not there', shown({ knd: 'a' }), '.knd', 'is not a field beside this one. Use kind'],
  ['a name that every object has', shown({ constructor: 'a' }), '.constructor', 'is not a field beside this one'],
  ['itself', shown({ field: 'a' }), '.field', 'is not a field beside this one. Use one of: kind'],
  ['a list', shown({ tags: 'a' }, { tags: f.list(f.text()) }), '.tags', 'one text, number, date, choice or reference'],
  ['a group', shown({ box: 'a' }, { box: f.group(fields) }), '.box', 'one text, number, date, choice or reference'],
  [
    'a field with a rule for reading',
    shown({ kind: 'a' }, { kind: f.text({ access: { read: () => false } }) }),
    '.kind',
    'would tell what it contains',
  ],
  ['another option', shown({ kind: 'c' }), '.kind', 'has "c", which is not a value of that field. Use one of: a, b'],
  ['an option of another type', shown({ kind: { in: ['a', 5] } }), '.kind.in', 'has 5, which is not a value'],
  ['one value for several', shown({ kind: { in: 'a' } }), '.kind.in', 'must be a list of values'],
  ['no values', shown({ kind: { nin: [] } }), '.kind.nin', 'must be a list of values'],
  ['presence of a text', shown({ kind: { exists: 'a' } }), '.kind.exists', 'must be true or false'],
  ['another operator', shown({ kind: { gt: 'a' } }), '.kind.gt', 'Use one of: eq, ne, in, nin, exists'],
  ['no operator', shown({ kind: {} }), '.kind', 'must have a value, or operators'],
].map(([what, config, path, message]): Case => [String(what), config, `${FIELD}.showIf${path}`, String(message)])

/** Places that a condition cannot have. */
export const CONDITION_PLACES: readonly Case[] = [
  ['a slug', posts({ ...KIND, field: f.slug({ showIf: { kind: 'a' } }) }), `${FIELD}.showIf`, 'every entry has a slug'],
  [
    'a field in a group, on one outside of it',
    posts({ ...KIND, field: f.group({ a: f.text({ showIf: { kind: 'a' } }), b: title }) }),
    `${FIELD}.fields.a.showIf.kind`,
    'is not a field beside this one. Use one of: b',
  ],
  [
    'an item of a list',
    posts({ ...KIND, field: f.list(f.text({ showIf: { kind: 'a' } })) }),
    `${FIELD}.of.showIf.kind`,
    'is not a field beside this one',
  ],
]

const arranged = (form: unknown): object =>
  option({ fields: { title, body: title, note: f.text({ admin: { position: 'side' } }) }, form })

/** Faults of the arrangement of a form. */
export const FORMS: readonly Case[] = [
  ['a list', arranged(['title']), '', 'must have either tabs or fields'],
  ['tabs and fields', arranged({ tabs: [], fields: [] }), '', 'must have either tabs or fields'],
  ['no tabs', arranged({ tabs: [] }), '.tabs', 'must be a list of { label, fields }'],
  ['a tab without a label', arranged({ tabs: [{ fields: ['title'] }] }), '.tabs.0.label', 'must be a non-empty string'],
  ['a tab without fields', arranged({ tabs: [{ label: 'A' }] }), '.tabs.0.fields', 'must be a list of keys'],
  [
    'a tab with more',
    arranged({ tabs: [{ label: 'A', fields: ['title'], icon: 'x' }] }),
    '.tabs.0.icon',
    'label, fields',
  ],
  [
    'a field that is not there',
    arranged({ fields: ['titel'] }),
    '.fields.0',
    'names "titel", which is not a field. Use title',
  ],
  ['a field twice', arranged({ fields: ['title', ['body', 'title']] }), '.fields.1', 'names "title" again'],
  ['a field of the side panel', arranged({ fields: ['note'] }), '.fields.0', 'is in the panel beside the text'],
  ['an empty row', arranged({ fields: [[]] }), '.fields.0', 'must name a field'],
  ['a number', arranged({ fields: [5] }), '.fields.0', 'must be the key of a field, or a list of keys'],
  [
    'a section in a section',
    arranged({ fields: [{ label: 'A', fields: [{ label: 'B', fields: ['title'] }] }] }),
    '.fields.0.fields.0',
    'must be the key of a field, or a list of keys',
  ],
  [
    'a section that is closed by a text',
    arranged({ fields: [{ label: 'A', fields: ['title'], collapsed: 'yes' }] }),
    '.fields.0.collapsed',
    'must be true or false',
  ],
].map(([what, config, path, message]): Case => [String(what), config, `collections.posts.form${path}`, String(message)])

const PERSON = f.group({ name: f.text(), tags: f.list(f.text()) })

/** Faults of labels, and of other options for people. */
export const LABELS: readonly Case[] = [
  ['an empty label', field(f.text({ label: '' })), `${FIELD}.label`, 'must be a non-empty string'],
  ['a label of no language', field(f.text({ label: {} })), `${FIELD}.label`, "{ en: 'Title', de: 'Titel' }"],
  ['a label of no such language', field(f.text({ label: { e: 'T' } })), `${FIELD}.label`, 'is not a language tag'],
  ['an empty label of a language', field(f.text({ label: { de: ' ' } })), `${FIELD}.label`, 'one for each language'],
  ['a label that is a number', field(f.text({ label: wrong(5) })), `${FIELD}.label`, 'must be a non-empty string'],
  [
    'a description in one language',
    field(f.text({ description: { 'e n': 'T' } })),
    `${FIELD}.description`,
    'such as en',
  ],
  ['an empty label of a collection', option({ label: '' }), 'collections.posts.label', 'must be a non-empty string'],
  ['an empty singular', option({ singularLabel: {} }), 'collections.posts.singularLabel', 'must be a non-empty string'],
  ['a singular of a global', global({ singularLabel: 'Site' }), 'globals.site.singularLabel', 'is not an option'],
  [
    'an option with an empty label',
    field(f.select({ options: [{ value: 'a', label: '' }] })),
    `${FIELD}.options`,
    'has an option whose label must be a non-empty string',
  ],
  ['an option without a value', field(f.select({ options: wrong([{ label: 'A' }]) })), `${FIELD}.options`, 'different'],
  [
    'an option twice, with and without a label',
    field(f.select({ options: ['a', { value: 'a', label: 'A' }] })),
    `${FIELD}.options`,
    'different texts',
  ],
  [
    'an option with more',
    field(f.select({ options: wrong([{ value: 'a', colour: 'red' }]) })),
    `${FIELD}.options`,
    'without "colour"',
  ],
  [
    'statuses with labels, none of them public',
    field(f.status({ options: [{ value: 'draft', label: 'Draft' }] })),
    `${FIELD}.options`,
    'must contain "published"',
  ],
  ['a place that there is not', field(f.text({ admin: wrong({ position: 'top' }) })), `${FIELD}.admin`, "'side'"],
  ['a place in a group', field(f.group({ a: f.text({ admin: {} }) })), `${FIELD}.fields.a.admin`, 'top-level field'],
  ['a title of no field', field(f.list(PERSON, { itemTitle: 'nam' })), `${FIELD}.itemTitle`, 'item. Use name'],
  ['a title that is a list', field(f.list(PERSON, { itemTitle: 'tags' })), `${FIELD}.itemTitle`, 'not a single text'],
  ['a title of texts', field(f.list(title, { itemTitle: 'name' })), `${FIELD}.itemTitle`, 'Leave it out'],
  [
    'a title below a group',
    field(f.list(f.group({ person: PERSON }), { itemTitle: 'person.nom' })),
    `${FIELD}.itemTitle`,
    'is "person.nom", which is not a field of the item',
  ],
  [
    'a title of a block',
    field(f.blocks({ a: f.group(fields, { itemTitle: 'b' }) })),
    `${FIELD}.types.a.itemTitle`,
    'is "b", which is not a field of the item. Use one of: title',
  ],
  [
    'a required block',
    field(f.blocks({ a: f.group(fields, { required: true }) })),
    `${FIELD}.types.a.required`,
    'is not allowed on a block',
  ],
  [
    'a layout that there is not',
    field(f.group(fields, { layout: wrong('grid') })),
    `${FIELD}.layout`,
    '"collapsed" or',
  ],
  ['a block that is a text', field(f.blocks({ a: title })), `${FIELD}.types.a`, 'must be an object of fields'],
  [
    'a fault inside a block that is a group',
    field(f.blocks({ a: f.group({ b: f.text({ minLength: -1 }) }) })),
    `${FIELD}.types.a.fields.b.minLength`,
    '0 or more',
  ],
]
