/** The part of a Markdown syntax tree that joining trees needs. */
export interface MarkdownTree {
  readonly type: 'root'
  readonly children: readonly MarkdownNode[]
}

interface MarkdownNode {
  readonly type: string
  readonly children?: readonly MarkdownNode[]
  readonly position?: { readonly end: { readonly offset?: number | undefined } } | undefined
}

/** How much of a text is parsed at once, in characters. */
const PART_LENGTH = 1024

/** After an empty line, an unindented letter or `#` begins a new block, whatever lists and quotes stood before. */
const BLOCK_START = /\n[ \t]*\r?\n(?=[#\p{L}])/gu

/**
 * Parses a long text part by part into the tree that parsing it at once gives. The parser keeps records of some
 * two hundred bytes for each character until it is done, and only the tree is needed afterwards.
 *
 * @param partLength in characters
 */
export function parseInParts<Tree extends MarkdownTree>(
  source: string,
  parse: (text: string) => Tree,
  partLength: number = PART_LENGTH,
): Tree {
  // Definitions of links and footnotes hold for the whole text.
  if (source.length <= partLength || source.includes(']:')) return parse(source)
  const children: MarkdownNode[] = []
  for (let start = 0, length = partLength; start < source.length; ) {
    const part = source.slice(start, nextStart(source, start + length))
    const tree = parse(part)
    const isLast = start + part.length === source.length
    if (!isLast && mayGoOn(part, tree)) {
      length *= 2
      continue
    }
    for (const child of tree.children) children.push(child)
    start += part.length
    length = partLength
  }
  return { type: 'root', children } as MarkdownTree as Tree
}

function nextStart(source: string, from: number): number {
  BLOCK_START.lastIndex = from
  const found = BLOCK_START.exec(source)
  return found ? found.index + found[0].length : source.length
}

/**
 * Fenced code and raw HTML are the blocks that an empty line does not end: one that reaches the end is still open,
 * and inside a list it is for the next line to say where it ended.
 */
function mayGoOn(part: string, tree: MarkdownTree): boolean {
  let last: MarkdownNode | undefined = tree.children.at(-1)
  while (last?.children && last.children.length > 0) last = last.children.at(-1)
  const end = last?.position?.end.offset ?? part.length
  return (last?.type === 'code' || last?.type === 'html') && end > part.trimEnd().length
}
