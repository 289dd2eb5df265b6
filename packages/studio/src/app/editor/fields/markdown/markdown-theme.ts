import { HighlightStyle } from '@codemirror/language'
import { EditorView } from '@codemirror/view'
import { tags } from '@lezer/highlight'

/** The look of the plain source. */
export const SOURCE_HIGHLIGHT = HighlightStyle.define([
  { tag: tags.heading, fontWeight: '650' },
  { tag: tags.strong, fontWeight: '650' },
  { tag: tags.emphasis, fontStyle: 'italic' },
  { tag: tags.strikethrough, textDecoration: 'line-through' },
  { tag: [tags.link, tags.url], color: 'var(--accent)' },
  { tag: tags.monospace, fontFamily: 'var(--font-mono)', fontSize: '0.9em' },
  { tag: [tags.processingInstruction, tags.quote, tags.meta], color: 'var(--text-muted)' },
])

export const THEME = EditorView.theme({
  '&': { font: 'inherit', backgroundColor: 'transparent' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { font: 'inherit', lineHeight: '1.6', overflow: 'visible' },
  '.cm-content': { padding: 'var(--space-3)', minBlockSize: '8rem', caretColor: 'var(--text)' },
  '.cm-line': { padding: '0' },
  '.cm-placeholder': { color: 'var(--text-muted)', whiteSpace: 'pre-wrap' },
  '.cm-tooltip': {
    border: '1px solid var(--line)',
    borderRadius: 'var(--radius-large)',
    background: 'var(--bg-raised)',
    boxShadow: 'var(--shadow)',
    zIndex: '5',
  },
  '.cm-slash': { padding: 'var(--space-1)', minInlineSize: '12rem' },
  '.cm-slash > div': { padding: 'var(--space-2) var(--space-3)', borderRadius: 'var(--radius)', cursor: 'pointer' },
  '.cm-link-tooltip': {
    display: 'flex',
    alignItems: 'center',
    gap: 'var(--space-1)',
    maxInlineSize: 'min(32rem, 92vw)',
    padding: 'var(--space-1) var(--space-1) var(--space-1) var(--space-3)',
    fontSize: 'var(--size-small)',
  },
  '.cm-link-tooltip > span': {
    overflow: 'hidden',
    textOverflow: 'ellipsis',
    whiteSpace: 'nowrap',
    color: 'var(--text-muted)',
  },
  '.cm-link-tooltip > button, .cm-panel.cm-search button, .cm-table-menu': {
    minBlockSize: '2rem',
    padding: '0 var(--space-2)',
    border: '0',
    borderRadius: 'var(--radius)',
    background: 'none',
    color: 'var(--accent)',
    font: 'inherit',
    fontSize: 'var(--size-small)',
    cursor: 'pointer',
    textTransform: 'none',
  },
  '.cm-link-tooltip > button:hover, .cm-panel.cm-search button:hover, .cm-table-menu:hover': {
    background: 'var(--bg-hover)',
  },
  '.cm-panels, .cm-panels-top': {
    position: 'sticky',
    insetBlockStart: 'var(--text-bar, 0px)',
    borderBlockEnd: '1px solid var(--line)',
    background: 'var(--bg-raised)',
    color: 'var(--text)',
  },
  '.cm-panel.cm-search': {
    display: 'flex',
    flexWrap: 'wrap',
    alignItems: 'center',
    gap: 'var(--space-1)',
    padding: 'var(--space-2) 2.5rem var(--space-2) var(--space-2)',
  },
  '.cm-panel.cm-search br': { display: 'none' },
  // Regular expressions and whole words are for programmers.
  '.cm-panel.cm-search label:has([name="re"]), .cm-panel.cm-search label:has([name="word"]), .cm-panel.cm-search [name="select"]':
    { display: 'none' },
  '.cm-panel.cm-search label': { fontSize: 'var(--size-small)' },
  '.cm-panel.cm-search input.cm-textfield': {
    flex: '1 1 9rem',
    minInlineSize: '6rem',
    minBlockSize: '2rem',
    margin: '0',
    padding: '0 var(--space-2)',
    border: '1px solid var(--line-control)',
    borderRadius: 'var(--radius)',
    background: 'var(--bg)',
    color: 'inherit',
    font: 'inherit',
  },
  '.cm-panel.cm-search button.cm-button': { border: '1px solid var(--line)', backgroundImage: 'none' },
  '.cm-panel.cm-search button[name="close"]': {
    insetBlockStart: 'var(--space-2)',
    insetInlineEnd: 'var(--space-2)',
    fontSize: '1.25rem',
    color: 'var(--text-muted)',
  },
  '.cm-searchMatch': { background: 'var(--warning-soft)', outline: '1px solid var(--warning)' },
  '.cm-searchMatch-selected': { background: 'var(--bg-selected)', outline: '2px solid var(--accent)' },
  '.cm-slash > [aria-selected="true"]': { background: 'var(--bg-selected)' },
})
