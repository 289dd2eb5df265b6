import { f } from 'daybook'
import { type Case, FIELD, field, fields, global, option, title, wrong } from './config-cases.ts'

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
  ['a block that is a text', field(f.blocks({ a: title })), `${FIELD}.types.a`, 'must be an object of fields'],
  [
    'a fault inside a block that is a group',
    field(f.blocks({ a: f.group({ b: f.text({ minLength: -1 }) }) })),
    `${FIELD}.types.a.fields.b.minLength`,
    '0 or more',
  ],
]
