import { EditorState } from '@codemirror/state'
import { expect, test } from 'vitest'
import {
  continueList,
  deleteItemMark,
  indentItems,
  numberAfterDeletion,
  outdentItems,
} from '../../src/app/editor/fields/markdown/list-commands.ts'
import type { MarkdownCommand } from '../../src/app/editor/fields/markdown/markdown-commands.ts'

/** Runs a command on a text in which a bar marks the cursor. */
function run(command: MarkdownCommand, marked: string): string | null {
  const anchor = marked.indexOf('|')
  const state = EditorState.create({ doc: marked.replace('|', ''), selection: { anchor } })
  const spec = command(state)
  if (!spec) return null
  const { doc, selection } = state.update(spec).state
  const text = doc.toString()
  return `${text.slice(0, selection.main.head)}|${text.slice(selection.main.head)}`
}

test.each<[string, MarkdownCommand, string, string | null]>([
  ['Enter continues a list', continueList, '- ink|', '- ink\n- |'],
  ['Enter numbers the later items', continueList, '1. a|\n2. b\n3. c', '1. a\n2. |\n3. b\n4. c'],
  ['Enter leaves a list with a blank line', continueList, '- ink\n- |', '- ink\n\n|'],
  ['Enter divides a list', continueList, '- a\n- |\n- b', '- a\n\n|\n\n- b'],
  ['Enter leaves an inner list first', continueList, '- a\n  - |', '- a\n- |'],
  ['Enter unticks the next task', continueList, '- [x] ink|', '- [x] ink\n- [ ] |'],
  ['Enter outside of a list does nothing', continueList, 'ink|', null],
  ['Tab indents below a bullet', indentItems, '- a\n- b|', '- a\n  - b|'],
  ['Tab indents below a number', indentItems, '1. a\n2. b|\n3. c', '1. a\n   1. b|\n2. c'],
  ['Tab takes the inner items along', indentItems, '- a\n- b|\n  - c\n- d', '- a\n  - b|\n    - c\n- d'],
  ['Tab leaves the first item', indentItems, '- a|', '- a|'],
  ['Tab outside of a list does nothing', indentItems, 'ink|', null],
  ['Shift Tab outdents', outdentItems, '1. a\n   1. b|\n2. c', '1. a\n2. b|\n3. c'],
  ['Backspace removes a mark', deleteItemMark, '- a\n- |b', '- a\n|b'],
  ['Backspace outdents an inner item', deleteItemMark, '- a\n  - |b', '- a\n- |b'],
  ['Backspace in an item does nothing', deleteItemMark, '- a|', null],
  ['a longer number moves the content below it', continueList, '8. a|\n9. b\n   - c', '8. a\n9. |\n10. b\n    - c'],
  ['numbers in code stay', continueList, '1. a|\n   ```\n1. x\n   ```\n2. b', '1. a\n2. |\n   ```\n1. x\n   ```\n3. b'],
])('%s', (_, command, before, after) => expect(run(command, before)).toBe(after))

test('deleting an item numbers the later ones', () => {
  const doc = '1. a\n2. b\n3. c\n'
  const state = EditorState.create({ doc, extensions: numberAfterDeletion })
  const changes = { from: 5, to: 10 }
  expect(state.update({ changes, userEvent: 'delete.line' }).state.doc.toString()).toBe('1. a\n2. c\n')
  expect(state.update({ changes }).state.doc.toString()).toBe('1. a\n3. c\n')
})
