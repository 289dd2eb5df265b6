import { syntaxTree } from '@codemirror/language'
import type { EditorState, Line, Range } from '@codemirror/state'
import { Decoration, type DecorationSet, type EditorView } from '@codemirror/view'
import type { SyntaxNode } from '@lezer/common'
import { parseLink } from '../text-links.ts'
import { hasFocusWithin } from './editor-focus.ts'
import { BulletWidget, CalloutWidget, CheckboxWidget, ImageWidget, RuleWidget } from './format-widgets.ts'

export interface FormattedRanges {
  readonly decorations: DecorationSet
  /** Ranges over which the cursor moves in a step, since their text never shows. */
  readonly atomic: DecorationSet
}

/** Finds the formats of the visible text, from its syntax tree. */
export function findFormats(view: EditorView): FormattedRanges {
  const formats = new Formats(view.state)
  for (const { from, to } of view.visibleRanges) {
    syntaxTree(view.state).iterate({ from, to, enter: ({ node }) => formats.add(node, from, to) })
  }
  return formats.finish()
}

/** Styles of the text between the marks of a construct. */
const INLINE_CLASSES: Readonly<Record<string, string>> = {
  StrongEmphasis: 'cm-strong',
  Emphasis: 'cm-emphasis',
  Strikethrough: 'cm-strike',
  InlineCode: 'cm-code',
  HTMLTag: 'cm-source',
  Comment: 'cm-source',
}

/** Styles of the lines of a block. */
const BLOCK_CLASSES: Readonly<Record<string, string>> = {
  CodeBlock: 'cm-code-line',
  FencedCode: 'cm-code-line',
  HTMLBlock: 'cm-source cm-source-line',
  CommentBlock: 'cm-source cm-source-line',
  LinkReference: 'cm-source',
  Table: 'cm-table-source',
}

const HIDDEN = Decoration.replace({})

class Formats {
  readonly #state: EditorState
  readonly #ranges: Range<Decoration>[] = []
  /** The end of the hidden indent of a line, by the line's position. Inner items come last. */
  readonly #indentEnds = new Map<number, number>()
  readonly #lines = new Map<number, Set<string>>()
  /** The depth of the innermost list item of a line, by the line's position. */
  readonly #depths = new Map<number, number>()
  /** False if nothing can be edited now, so that no syntax has to show. */
  readonly #showsSyntax: boolean

  constructor(state: EditorState) {
    this.#state = state
    this.#showsSyntax = hasFocusWithin(state) && !state.readOnly
  }

  /** Adds the formats of a node. @returns false if those of its children are included */
  add(node: SyntaxNode, visibleFrom: number, visibleTo: number): boolean | undefined {
    const { name, from, to } = node
    const inlineClass = INLINE_CLASSES[name]
    if (inlineClass !== undefined) this.#mark(from, to, inlineClass)
    const level = /^(?:ATX|Setext)Heading(\d)$/.exec(name)?.[1]
    const blockClass = level === undefined ? BLOCK_CLASSES[name] : `cm-heading cm-heading-${level}`
    if (blockClass !== undefined) this.#addLines(node, blockClass, visibleFrom, visibleTo)
    this.#adders[name]?.(node, visibleFrom, visibleTo)
    return name === 'Image' ? false : undefined
  }

  readonly #adders: Readonly<Record<string, (node: SyntaxNode, visibleFrom: number, visibleTo: number) => void>> = {
    Image: (node) => this.#addImage(node),
    Link: (node) => this.#addLink(node),
    Autolink: (node) => this.#addLink(node),
    Blockquote: (node, visibleFrom, visibleTo) => this.#addQuote(node, visibleFrom, visibleTo),
    FencedCode: (node) => this.#addFence(node),
    ListItem: (node, visibleFrom, visibleTo) => this.#addItem(node, visibleFrom, visibleTo),
    HeaderMark: (node) => this.#addHeaderMark(node),
    QuoteMark: (node) => this.#addLineMark(node),
    EmphasisMark: (node) => this.#addMark(node),
    StrikethroughMark: (node) => this.#addMark(node),
    CodeMark: (node) => node.parent?.name === 'InlineCode' && this.#addMark(node),
    URL: (node) => node.parent?.name === 'Paragraph' && this.#mark(node.from, node.to, 'cm-link'),
    Escape: ({ from, to }) => !this.#isTouched(from, to) && this.#hide(from, from + 1),
    HorizontalRule: ({ from, to }) => !this.#isTouched(from, to) && this.#replace(from, to, new RuleWidget()),
  }

  finish(): FormattedRanges {
    for (const [at, depth] of this.#depths) {
      this.#addLineClass(at, `cm-item-${Math.min(depth, MAX_DEPTH)}`)
    }
    for (const [at, classes] of this.#lines) {
      this.#ranges.push(Decoration.line({ class: [...classes].join(' ') }).range(at))
    }
    const indents = [...this.#indentEnds].filter(([from, to]) => to > from).map(([from, to]) => HIDDEN.range(from, to))
    return { decorations: Decoration.set([...this.#ranges, ...indents], true), atomic: Decoration.set(indents, true) }
  }

  #isTouched(from: number, to: number): boolean {
    return this.#showsSyntax && this.#state.selection.ranges.some((range) => range.from <= to && range.to >= from)
  }

  #isLineTouched(at: number): boolean {
    const line = this.#state.doc.lineAt(at)
    return this.#isTouched(line.from, line.to)
  }

  #mark(from: number, to: number, name: string): void {
    if (from < to) this.#ranges.push(Decoration.mark({ class: name }).range(from, to))
  }

  /** Hides a part of a line. Parts with line breaks stay, since they are lines of their own. */
  #hide(from: number, to: number): void {
    if (from < to && !this.#state.sliceDoc(from, to).includes('\n')) this.#ranges.push(HIDDEN.range(from, to))
  }

  #replace(from: number, to: number, widget: NonNullable<Parameters<typeof Decoration.replace>[0]['widget']>): void {
    this.#ranges.push(Decoration.replace({ widget }).range(from, to))
  }

  #addLineClass(at: number, name: string): void {
    const classes = this.#lines.get(at)
    if (classes) classes.add(name)
    else this.#lines.set(at, new Set([name]))
  }

  #visibleLines({ from, to }: SyntaxNode, visibleFrom: number, visibleTo: number): readonly Line[] {
    const { doc } = this.#state
    const first = doc.lineAt(Math.max(from, visibleFrom)).number
    const last = doc.lineAt(Math.max(from, visibleFrom, Math.min(to, visibleTo))).number
    return Array.from({ length: last - first + 1 }, (_, index) => doc.line(first + index))
  }

  #addLines(node: SyntaxNode, name: string, visibleFrom: number, visibleTo: number): void {
    for (const line of this.#visibleLines(node, visibleFrom, visibleTo)) this.#addLineClass(line.from, name)
  }

  /** Hides a mark while its construct is not edited. */
  #addMark({ from, to, parent }: SyntaxNode): void {
    const construct = parent ?? { from, to }
    if (this.#isTouched(construct.from, construct.to)) this.#mark(from, to, 'cm-syntax')
    else this.#hide(from, to)
  }

  /** Hides a mark and the space behind it while its line is not edited. */
  #addLineMark({ from, to }: SyntaxNode): void {
    if (this.#isLineTouched(from)) this.#mark(from, to, 'cm-syntax')
    else this.#hide(from, this.#state.sliceDoc(to, to + 1) === ' ' ? to + 1 : to)
  }

  #addHeaderMark(node: SyntaxNode): void {
    const heading = node.parent
    if (!heading) return
    const isSetext = heading.name.startsWith('Setext')
    if (isSetext) this.#mark(node.from, node.to, 'cm-syntax cm-setext')
    else if (node.from === heading.from) this.#addLineMark(node)
    else this.#addMark(node)
  }

  #addLink(node: SyntaxNode): void {
    const marks = node.getChildren('LinkMark')
    const [open, close] = marks
    if (!open || !close) return
    // A reference without a definition is text, such as [ink].
    const isPlain = node.name === 'Link' && !node.getChild('URL') && !node.getChild('LinkLabel')
    if (isPlain) return
    this.#mark(node.from, node.to, 'cm-link')
    if (this.#isTouched(node.from, node.to)) {
      this.#mark(open.from, open.to, 'cm-syntax')
      this.#mark(close.from, node.to, 'cm-syntax')
    } else {
      this.#hide(open.from, open.to)
      this.#hide(close.from, node.to)
    }
  }

  #addImage(node: SyntaxNode): void {
    const { url, text, from, to } = parseLink(this.#state, { node })
    const { main } = this.#state.selection
    const isSelected = this.#showsSyntax && main.from === from && main.to === to
    const widget = new ImageWidget(url, text, isSelected)
    const isOneLine = !this.#state.sliceDoc(from, to).includes('\n')
    if (isOneLine && (isSelected || !this.#isTouched(from, to))) {
      this.#replace(from, to, widget)
    } else {
      this.#mark(from, to, 'cm-syntax')
      this.#ranges.push(Decoration.widget({ widget, side: 1 }).range(to))
    }
  }

  #addQuote(node: SyntaxNode, visibleFrom: number, visibleTo: number): void {
    this.#addLines(
      node,
      node.parent?.name === 'Blockquote' ? 'cm-quote cm-quote-2' : 'cm-quote',
      visibleFrom,
      visibleTo,
    )
    const { from, text } = this.#state.doc.lineAt(node.from)
    const [head, mark = '', kind = ''] = CALLOUT.exec(text) ?? []
    if (head === undefined || node.parent?.name !== 'Document') return
    this.#addLines(node, `cm-callout cm-callout-${kind.toLowerCase()}`, visibleFrom, visibleTo)
    if (this.#isTouched(from, from + text.length)) return
    this.#replace(from + mark.length, from + head.length, new CalloutWidget(this.#state.phrase(kind.toLowerCase())))
  }

  #addFence(node: SyntaxNode): void {
    const isTouched = this.#isTouched(node.from, node.to)
    const marks = node.getChildren('CodeMark')
    for (const { from, to } of marks) {
      if (isTouched) this.#mark(from, to, 'cm-syntax')
      else this.#hide(from, to)
    }
    const info = node.getChild('CodeInfo')
    if (info) this.#mark(info.from, info.to, 'cm-code-info')
    this.#addLineClass(this.#state.doc.lineAt(node.from).from, 'cm-code-first')
    this.#addLineClass(this.#state.doc.lineAt(node.to).from, 'cm-code-last')
  }

  #addItem(node: SyntaxNode, visibleFrom: number, visibleTo: number): void {
    const mark = node.getChild('ListMark')
    if (!mark) return
    let depth = 0
    for (let parent: SyntaxNode | null = node; parent; parent = parent.parent)
      if (parent.name === 'ListItem') depth += 1
    const { doc } = this.#state
    const first = doc.lineAt(node.from)
    for (const line of this.#visibleLines(node, visibleFrom, visibleTo)) {
      if (line.text === '') continue
      this.#depths.set(line.from, depth)
      const [indent = ''] = /^[ \t]*/.exec(line.text) ?? []
      const isFirst = line.from === first.from
      const end = line.from + Math.min(indent.length, isFirst ? Number.POSITIVE_INFINITY : mark.to + 1 - first.from)
      this.#indentEnds.set(line.from, end)
    }
    if (mark.from < visibleFrom) return
    this.#addLineClass(first.from, 'cm-item-first')
    this.#addItemMark(node, mark)
  }

  #addItemMark(node: SyntaxNode, mark: SyntaxNode): void {
    const task = node.getChild('Task')?.getChild('TaskMarker')
    const end = this.#state.sliceDoc(mark.to, mark.to + 1) === ' ' ? mark.to + 1 : mark.to
    if (task) {
      const isChecked = /x/i.test(this.#state.sliceDoc(task.from, task.to))
      if (this.#isTouched(mark.from, task.to)) this.#mark(mark.from, task.to, 'cm-syntax')
      else this.#replace(mark.from, task.to, new CheckboxWidget(isChecked))
    } else if (node.parent?.name === 'OrderedList' || this.#isTouched(mark.from, mark.to)) {
      this.#mark(mark.from, end, 'cm-item-mark')
    } else {
      this.#replace(mark.from, end, new BulletWidget())
    }
  }
}

/** The deepest list that has an indent of its own. */
const MAX_DEPTH = 6

const CALLOUT = /^(\s*> ?)\[!(note|tip|important|warning|caution)\][ \t]*$/i
