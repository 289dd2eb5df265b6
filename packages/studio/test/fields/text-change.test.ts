import { EditorState } from '@codemirror/state'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  findTextChange,
  insertLink,
  type MarkdownCommand,
  setHeading,
  toFileMarkdown,
  toggleCode,
  toggleInlineMark,
  toggleLinePrefix,
} from '../../src/app/editor/fields/markdown/markdown-commands.ts'

const words = fc.string({ unit: fc.constantFrom('a', 'b', '\n', ' ', '😀', '\r'), maxLength: 30 })

test('the change between two texts turns one into the other, and is no larger than necessary', () => {
  fc.assert(
    fc.property(words, words, words, words, (start, before, after, end) => {
      const from = start + before + end
      const to = start + after + end
      const change = findTextChange(from, to)
      if (!change) return from === to
      const changed = from.slice(0, change.from) + change.insert + from.slice(change.to)
      const isSmall = change.to - change.from <= before.length && change.insert.length <= after.length
      return changed === to && isSmall
    }),
  )
})

/** Runs a command on a text in which bars mark the selection; a single bar is the cursor. */
function run(command: MarkdownCommand, marked: string): string | null {
  const [from, to] = [marked.indexOf('|'), marked.lastIndexOf('|')]
  const doc = marked.replaceAll('|', '')
  const selection = { anchor: from, head: to === from ? from : to - 1 }
  const state = EditorState.create({ doc, selection })
  const spec = command(state)
  if (!spec) return null
  const { doc: next, selection: at } = state.update(spec).state
  const text = next.toString()
  const { from: start, to: end } = at.main
  return start === end
    ? `${text.slice(0, start)}|${text.slice(start)}`
    : `${text.slice(0, start)}|${text.slice(start, end)}|${text.slice(end)}`
}

test.each<[string, MarkdownCommand, string, string | null]>([
  ['bold around words', toggleInlineMark('**'), 'an |oak| gall', 'an **|oak|** gall'],
  ['bold taken away outside', toggleInlineMark('**'), 'an **|oak|** gall', 'an |oak| gall'],
  ['bold taken away inside', toggleInlineMark('**'), 'an |**oak**| gall', 'an |oak| gall'],
  ['bold where nothing is selected', toggleInlineMark('**'), 'an | gall', 'an **|** gall'],
  ['a heading', toggleLinePrefix('## '), 'In|k', '## In|k'],
  ['a heading in place of a list', toggleLinePrefix('## '), '- In|k', '## In|k'],
  ['a heading taken away', toggleLinePrefix('## '), '## In|k', 'In|k'],
  ['a quote in an empty line', toggleLinePrefix('> '), 'a\n|', 'a\n> |'],
  ['a list of lines', toggleLinePrefix('- '), '|a\nb|', '- |a\n- b|'],
  ['a numbered list', toggleLinePrefix('1. '), '|a\n- b|', '1. |a\n2. b|'],
  ['a link of words', insertLink, 'see |this|', 'see [this](|https://|)'],
  ['a link of an address', insertLink, '|https://example.org|', '[|](https://example.org)'],
  ['italic inside bold', toggleInlineMark('*'), 'an **|oak|** gall', 'an ***|oak|*** gall'],
  ['bold of the word at the cursor', toggleInlineMark('**'), 'an oa|k gall', 'an **oa|k** gall'],
  ['a smaller heading', setHeading(3), '## In|k', '### In|k'],
  ['a paragraph', setHeading(0), '## In|k', 'In|k'],
  ['code in a line', toggleCode, 'run |npm start|', 'run `|npm start|`'],
  ['code of lines', toggleCode, '|a\nb|', '```\n|a\nb|\n```'],
])('%s', (_, command, before, after) => expect(run(command, before)).toBe(after))

test('the name of an image cannot break out of its brackets', () => {
  expect(toFileMarkdown({ isImage: true, text: 'a](javascript:x)[\nb', url: '/uploads/a (1).png' })).toBe(
    '![a (javascript:x)  b](/uploads/a%20(1).png)'.replace('(1)', '%281%29'),
  )
})
