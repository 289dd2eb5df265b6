import { EditorView } from '@codemirror/view'

const BLOCK = { paddingInline: 'var(--space-3)', background: 'var(--bg-sunken)' }

/** The distance by which a level of a list is indented. */
const LIST_INDENT_EM = 1.6

const itemIndents = Object.fromEntries(
  [1, 2, 3, 4, 5, 6].map((depth) => [
    `.cm-line.cm-item-${depth}`,
    { paddingInlineStart: `${(depth * LIST_INDENT_EM).toFixed(1)}em` },
  ]),
)

const calloutColor = (color: string) => ({ borderInlineStartColor: color, '& .cm-callout-label': { color } })

/** The look of formatted text. */
export const FORMAT_THEME = EditorView.theme({
  '.cm-heading': { fontWeight: '650', lineHeight: '1.3' },
  '.cm-line.cm-heading': { paddingBlock: '0.5em 0.15em' },
  '.cm-heading-1': { fontSize: '1.6em' },
  '.cm-heading-2': { fontSize: '1.35em' },
  '.cm-heading-3': { fontSize: '1.15em' },
  '.cm-strong': { fontWeight: '650' },
  '.cm-emphasis': { fontStyle: 'italic' },
  '.cm-strike': { textDecoration: 'line-through' },
  '.cm-code': {
    padding: '0.1em 0.25em',
    borderRadius: '0.25em',
    background: 'var(--bg-hover)',
    fontFamily: 'var(--font-mono)',
    fontSize: '0.9em',
  },
  '.cm-link': { color: 'var(--accent)', textDecoration: 'underline', textUnderlineOffset: '0.2em' },
  '.cm-syntax, .cm-syntax *': {
    color: 'var(--text-muted)',
    fontWeight: '400',
    fontStyle: 'normal',
    textDecoration: 'none',
    overflowWrap: 'anywhere',
  },
  '.cm-setext': { fontSize: '0.6em' },
  '.cm-source': { color: 'var(--text-muted)', fontFamily: 'var(--font-mono)', fontSize: '0.85em' },
  '.cm-line.cm-code-line': { ...BLOCK, fontFamily: 'var(--font-mono)', fontSize: '0.875em' },
  '.cm-code-first': { borderStartStartRadius: 'var(--radius)', borderStartEndRadius: 'var(--radius)' },
  '.cm-code-last': { borderEndStartRadius: 'var(--radius)', borderEndEndRadius: 'var(--radius)' },
  '.cm-code-info': { color: 'var(--text-muted)', fontSize: '0.9em' },
  '.cm-table-source': { fontFamily: 'var(--font-mono)', fontSize: '0.875em' },
  '.cm-line.cm-quote': {
    paddingInlineStart: 'var(--space-4)',
    borderInlineStart: '3px solid var(--line-control)',
    color: 'var(--text-muted)',
  },
  '.cm-line.cm-quote-2': { paddingInlineStart: 'var(--space-8)' },
  '.cm-line.cm-callout': { background: 'var(--bg-sunken)', color: 'var(--text)' },
  '.cm-callout-label': { fontWeight: '650' },
  '.cm-callout-note': calloutColor('var(--accent)'),
  '.cm-callout-important': calloutColor('var(--accent)'),
  '.cm-callout-tip': calloutColor('var(--success)'),
  '.cm-callout-warning': calloutColor('var(--warning)'),
  '.cm-callout-caution': calloutColor('var(--danger)'),
  ...itemIndents,
  '.cm-line.cm-item-first': { textIndent: `-${LIST_INDENT_EM}em` },
  '.cm-bullet, .cm-item-mark': {
    display: 'inline-block',
    minInlineSize: `${LIST_INDENT_EM}em`,
    color: 'var(--text-muted)',
    textIndent: '0',
  },
  '.cm-bullet': { paddingInlineStart: '0.4em' },
  '.cm-checkbox': {
    inlineSize: '1em',
    blockSize: '1em',
    margin: `0 ${LIST_INDENT_EM - 1.4}em 0 0.15em`,
    verticalAlign: '-0.1em',
    accentColor: 'var(--accent)',
  },
  '.cm-rule': {
    display: 'inline-block',
    inlineSize: '100%',
    borderBlockStart: '1px solid var(--line-control)',
    verticalAlign: 'middle',
  },
  '.cm-image': {
    display: 'inline-block',
    maxInlineSize: '100%',
    borderRadius: 'var(--radius)',
    textIndent: '0',
    verticalAlign: 'bottom',
    cursor: 'pointer',
  },
  '.cm-image img': { display: 'block', maxInlineSize: '100%', maxBlockSize: '28rem', borderRadius: 'var(--radius)' },
  '.cm-image-selected': { outline: 'var(--focus)', outlineOffset: '2px' },
  '.cm-image-alt, .cm-image-url': { display: 'block', paddingInline: 'var(--space-3)', overflowWrap: 'anywhere' },
  '.cm-image:has(.cm-image-url)': {
    paddingBlock: 'var(--space-2)',
    border: '1px dashed var(--line-control)',
    background: 'var(--bg-sunken)',
  },
  '.cm-image-url': { color: 'var(--text-muted)', fontSize: 'var(--size-small)' },
  '.cm-table': { position: 'relative', paddingBlock: 'var(--space-2)' },
  '.cm-table-scroller': { overflowX: 'auto' },
  '.cm-table table': { minInlineSize: '50%', maxInlineSize: '100%', borderCollapse: 'collapse' },
  '.cm-table th, .cm-table td': {
    minInlineSize: '4rem',
    padding: '0',
    border: '1px solid var(--line)',
    textAlign: 'start',
    verticalAlign: 'top',
  },
  '.cm-table th': { background: 'var(--bg-sunken)', fontWeight: '650' },
  '.cm-cell': {
    minBlockSize: '1.6em',
    padding: 'var(--space-1) var(--space-2)',
    outline: 'none',
    overflowWrap: 'anywhere',
  },
  '.cm-cell:focus': { boxShadow: 'inset 0 0 0 2px var(--accent)' },
  '.cm-cell[data-alignment="center"]': { textAlign: 'center' },
  '.cm-cell[data-alignment="end"]': { textAlign: 'end' },
  '.cm-cell code': { fontFamily: 'var(--font-mono)', fontSize: '0.9em' },
  '.cm-cell img': { maxBlockSize: '4rem', maxInlineSize: '100%' },
  '.cm-table-menu': { position: 'absolute', insetBlockEnd: '100%', insetInlineEnd: '0', opacity: '0' },
  '.cm-table:focus-within .cm-table-menu, .cm-table:hover .cm-table-menu': { opacity: '1' },
})
