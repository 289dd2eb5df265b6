import { expect, test } from 'vitest'
import {
  fitItems,
  type ItemKind,
  listItemKinds,
  parseItems,
  summarizeItem,
} from '../../src/app/editor/fields/lists/items.ts'
import type { StudioField } from '../../src/app/model/studio-model.ts'

const field = (key: string, type: string, properties: Partial<StudioField> = {}): StudioField => ({
  key,
  label: key,
  type,
  schema: { type: { integer: 'integer', group: 'object', list: 'array', blocks: 'array' }[type] ?? 'string' },
  required: false,
  many: type === 'list' || type === 'blocks',
  localized: false,
  unique: false,
  writable: true,
  operators: [],
  sortable: false,
  aggregates: [],
  searchable: false,
  generated: [],
  ...properties,
})

const text = field('text', 'text')
const blocks = field('parts', 'blocks', {
  blocks: [
    { type: 'quote', label: 'quote', fields: [field('words', 'text'), field('minutes', 'integer')] },
    { type: 'article', label: 'article', fields: [field('body', 'markdown', { generated: ['bodyHtml'] })] },
    { type: 'gallery', label: 'gallery', fields: [field('pictures', 'list', { of: { ...text } })] },
  ],
})
const fit = (items: readonly unknown[], list = blocks) => fitItems(listItemKinds(list), items)

test('blocks of known kinds are kept unchanged, without derived values', () => {
  expect(fit([{ _type: 'quote', words: 'Ink', minutes: 3 }])).toEqual({
    items: [{ _type: 'quote', words: 'Ink', minutes: 3 }],
    isWhole: true,
  })
  expect(fit([{ _type: 'article', body: '# A', bodyHtml: '<h1>A</h1>' }])).toEqual({
    items: [{ _type: 'article', body: '# A' }],
    isWhole: true,
  })
})

test('kinds, fields and values that the model does not know are dropped, and the result is marked as incomplete', () => {
  expect(
    fit([{ _type: 'quote', words: 'Ink', colour: 'red', minutes: 'three' }, { _type: 'video' }, null, 'x']),
  ).toEqual({
    items: [{ _type: 'quote', words: 'Ink', minutes: 'three' }],
    isWhole: false,
  })
  expect(fit([{ _type: 'quote', words: { html: '<b>' } }]).items).toEqual([{ _type: 'quote' }])
  expect(fit([{ _type: 'gallery', pictures: ['a', 7, 'b'] }])).toEqual({
    items: [{ _type: 'gallery', pictures: ['a', 'b'] }],
    isWhole: false,
  })
})

test('groups in a list keep known fields only; an item without any is dropped', () => {
  const list = field('steps', 'list', { of: field('', 'group', { fields: [field('title', 'text')] }) })
  expect(fit([{ _type: 'quote', title: 'One' }], list).items).toEqual([{ title: 'One' }])
  expect(fit([{ words: 'Ink' }], list)).toEqual({ items: [], isWhole: false })
})

test.each([
  '',
  'some words',
  '{"type":"daybook/items"',
  '{"type":"daybook/items","items":{}}',
  '["daybook/items"]',
  'null',
])('%j contains no items', (words) => expect(parseItems(words)).toBeUndefined())

test('an item is titled by the value that the model names, else by its first text', () => {
  const role = field('role', 'select', { options: ['host'], optionLabels: { host: 'Gastgeberin' } })
  const person = field('person', 'group', { fields: [field('name', 'text'), role] })
  const titled = (itemTitle: string) =>
    listItemKinds(
      field('people', 'list', { itemTitle, of: field('', 'group', { fields: [text, person] }) }),
    )[0] as ItemKind
  const item = { text: 'Notes', person: { name: 'Inés', role: 'host' } }
  expect(summarizeItem(titled('person.name'), item)).toBe('Inés')
  expect(summarizeItem(titled('person.role'), item)).toBe('Gastgeberin')
  expect(summarizeItem(titled('person.name'), { text: 'Notes', person: null })).toBe('Notes')
})
