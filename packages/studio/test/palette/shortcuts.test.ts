import { describe, expect, test } from 'vitest'
import { matchDestinations, readTitle } from '../../src/app/shell/palette/destinations.ts'
import { findShortcut, type Shortcut } from '../../src/app/ui/shortcuts.ts'

const open: Shortcut = { presses: ['Mod+K'], run: () => {} }
const create: Shortcut = { presses: ['N'], run: () => {} }
const redo: Shortcut = { presses: ['Mod+Shift+Z', 'Mod+Y'], run: () => {} }
const shortcuts = { open, create, redo }
const free = { isTyping: false, hasSingleKeys: true, isDialogOpen: () => false }
const press = (key: string, more: object = {}) => ({
  key,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  shiftKey: false,
  defaultPrevented: false,
  isComposing: false,
  ...more,
})

describe('a key press', () => {
  test.each([
    ['n', {}, free, 'create'],
    ['N', {}, free, 'create'],
    ['k', { ctrlKey: true }, free, 'open'],
    ['K', { metaKey: true }, { ...free, isTyping: true, hasSingleKeys: false }, 'open'],
    ['n', {}, { ...free, isTyping: true }, undefined],
    ['n', {}, { ...free, hasSingleKeys: false }, undefined],
    ['n', {}, { ...free, isDialogOpen: () => true }, undefined],
    ['n', { ctrlKey: true }, free, undefined],
    ['n', { altKey: true }, free, undefined],
    ['n', { defaultPrevented: true }, free, undefined],
    ['n', { isComposing: true }, free, undefined],
    ['k', {}, free, undefined],
    ['K', { ctrlKey: true, shiftKey: true }, free, undefined],
    ['N', { shiftKey: true }, free, 'create'],
    ['Z', { metaKey: true, shiftKey: true }, free, 'redo'],
    ['y', { ctrlKey: true }, { ...free, isTyping: true }, 'redo'],
    ['z', { ctrlKey: true }, free, undefined],
  ])('of %s with %j, in %j, means %s', (key, more, state, name) => {
    const shortcut = findShortcut(press(key, more), Object.values(shortcuts), state)
    expect(Object.entries(shortcuts).find(([, candidate]) => candidate === shortcut)?.[0]).toBe(name)
  })
})

test('the page is not searched for dialogs unless a key has a shortcut', () => {
  const isDialogOpen = () => {
    throw new Error('the page was searched')
  }
  expect(findShortcut(press('x'), Object.values(shortcuts), { ...free, isDialogOpen })).toBeUndefined()
  expect(findShortcut(press('n'), Object.values(shortcuts), { ...free, isTyping: true, isDialogOpen })).toBeUndefined()
})

const destinations = ['All authors', 'Authors', 'Über uns', 'Publish', 'Harbour'].map((label) => ({
  group: 'pages' as const,
  id: label,
  label,
  kind: 'Page',
  target: `/${label}`,
}))

test.each([
  ['auth', ['Authors', 'All authors']],
  ['uber PAGE', ['Über uns']],
  ['page nothing', []],
  ['pubish', ['Publish']],
  ['pulbish', ['Publish']],
  ['harbuor pgae', ['Harbour']],
  ['pob', []],
])('the words %s find %j, without accents and with a typo in a longer word', (text, labels) => {
  expect(matchDestinations(destinations, text).map(({ label }) => label)).toEqual(labels)
})

test.each([
  ['new post Spring fair', 'Spring fair'],
  ['New  Pots Spring', 'Spring'],
  ['new post', undefined],
  ['Spring fair', undefined],
])('the text %s names the action and then the title %s', (text, title) => {
  expect(readTitle(text, 'New post')).toBe(title)
})
