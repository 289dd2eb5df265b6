import { expect, test } from 'vitest'
import { durationField } from '../../packages/daybook/test/support/configs/duration-field.ts'
import { checkFieldTypes } from '../named.ts'

const OPTIONS = [
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
    ...options.map((one) => `| \`${one}\` | … |`),
  ].join('\n')

const checkText = (text: string): readonly string[] =>
  checkFieldTypes('config.md', text, { duration: durationField }).map(({ message }) => message)

test('a field type of your own is documented when each of its options is', () => {
  expect(checkText(pageWith(OPTIONS))).toEqual([])
})

test('one without a section is named', () => {
  expect(checkText('# Config')).toEqual(['does not describe the field type "duration". Add it.'])
})

test('an option without a row is named, and a row without an option', () => {
  expect(checkText(pageWith(['min', ...OPTIONS.filter((one) => one !== 'max')]))).toEqual([
    'does not describe the option of f.duration() "max". Add it.',
    'describes the option of f.duration() "min", which does not exist. Remove it.',
  ])
})
