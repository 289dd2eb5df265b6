import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  deleteColumn,
  deleteRow,
  formatTable,
  insertColumn,
  insertRow,
  moveColumn,
  moveRow,
  parseTable,
  setCellText,
  type TableEdit,
} from '../../src/app/editor/fields/markdown/tables/table-text.ts'

const SOURCE = '| Ink | Price |\n|:--|--:|\n| Oak \\| gall | 3 |\nSoot\n'.trimEnd()

describe('a cell', () => {
  const set = (row: number, column: number, text: string): string => {
    const { from, to, insert } = setCellText(SOURCE, { row, column }, text)
    return SOURCE.slice(0, from) + insert + SOURCE.slice(to)
  }

  test('is read without the escapes of pipes', () => {
    const rows = [
      ['Ink', 'Price'],
      ['Oak | gall', '3'],
      ['Soot', ''],
    ]
    expect(parseTable(SOURCE)).toEqual({ rows, delimiters: [':--', '--:'] })
  })

  test('changes alone', () => {
    expect(set(1, 0, 'Iron | gall')).toBe(SOURCE.replace('Oak', 'Iron'))
    expect(set(1, 1, '')).toBe(SOURCE.replace('3', ''))
    expect(set(2, 1, '4')).toBe(`${SOURCE} | 4 |`)
  })

  test('keeps what is written in it, and all others', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '|', ' ', '*', '😀', '-') })
    fc.assert(
      fc.property(fc.array(fc.array(text, { minLength: 2, maxLength: 2 }), { minLength: 1 }), text, (cells, next) => {
        const rows = cells.map((row) => row.map((cell) => cell.trim()))
        const table = { rows, delimiters: ['---', ':-:'] }
        const source = formatTable(table, '')
        const { from, to, insert } = setCellText(source, { row: 0, column: 1 }, next)
        const changed = source.slice(0, from) + insert + source.slice(to)
        const [head = [], ...body] = rows
        expect(parseTable(source).rows).toEqual(rows)
        expect(parseTable(changed).rows).toEqual([[head[0], next.trim()], ...body])
      }),
    )
  })
})

test.each<[string, TableEdit, string]>([
  ['a row below', insertRow(1), '| a | b |\n| --- | --: |\n| c | d |\n|  |  |\n| e | f |'],
  ['a row above', insertRow(0), '| a | b |\n| --- | --: |\n|  |  |\n| c | d |\n| e | f |'],
  ['a column after', insertColumn(1), '| a |  | b |\n| --- | --- | --: |\n| c |  | d |\n| e |  | f |'],
  ['a row less', deleteRow, '| a | b |\n| --- | --: |\n| e | f |'],
  ['a column less', deleteColumn, '| b |\n| --: |\n| d |\n| f |'],
  ['a row moved down', moveRow(1), '| a | b |\n| --- | --: |\n| e | f |\n| c | d |'],
  ['a row moved into the head', moveRow(-1), '| c | d |\n| --- | --: |\n| a | b |\n| e | f |'],
  ['a column moved', moveColumn(1), '| b | a |\n| --: | --- |\n| d | c |\n| f | e |'],
])('%s', (_, edit, expected) => {
  const source = '| a | b |\n| --- | --: |\n| c | d |\n| e | f |'
  const table = edit(parseTable(source), { row: 1, column: 0 })
  expect(table && parseTable(formatTable(table, source))).toEqual(parseTable(expected))
})

test('the last row or column leaves no table', () => {
  const table = parseTable('| a |\n| --- |')
  expect(deleteRow(table, { row: 0, column: 0 })).toBeNull()
  expect(deleteColumn(table, { row: 0, column: 0 })).toBeNull()
})

test('line ends stay', () => {
  const source = '| a |\r\n| --- |\r\n| b |\r'
  expect(formatTable(parseTable(source), source)).toBe('| a   |\r\n| --- |\r\n| b   |\r')
})
