import { expect, test } from 'vitest'
import { durationField } from '../../packages/daybook/test/support/configs/duration-field.ts'
import { checkFieldTypes } from '../named.ts'

const OPTIONS = [
  'label',
  'admin',
  'showIf',
  'required',
  'description',
  'localized',
  'access',
  'validate',
  'renamedFrom',
  'fill',
  'unique',
  'index',
  'default',
  'max',
]

const pageWith = (options: readonly string[]): string =>
  [
    '# Config',
    '',
    '### `f.duration()`',
    '',
    '| option | what |',
    '|---|---|',
    ...options.map((option) => `| \`${option}\` | … |`),
  ].join('\n')

const checkText = (text: string): readonly string[] =>
  checkFieldTypes('config.md', text, { duration: durationField }).map(({ message }) => message)

test('a custom field type is documented if each of its options is', () => {
  expect(checkText(pageWith(OPTIONS))).toEqual([])
})

test('a field type without a section is reported', () => {
  expect(checkText('# Config')).toEqual(['does not describe the field type "duration". Add it.'])
})

test('an option without a row is reported, and so is a row without an option', () => {
  expect(checkText(pageWith(['min', ...OPTIONS.filter((option) => option !== 'max')]))).toEqual([
    'does not describe the option of f.duration() "max". Add it.',
    'describes the option of f.duration() "min", which does not exist. Remove it.',
  ])
})
