import { posix } from 'node:path'
import { headingsOf, type Page } from '../markdown.ts'
import type { Tsdoc } from './tsdoc.ts'

/** A table of Markdown; a bar in a cell does not end it. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replace(/(?<!\\)\|/g, '\\|')).join(' | ')} |`
  const lines = [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)]
  return lines.map((one) => one.replace(/ {2,}\|/g, ' |')).join('\n')
}

/** The anchor that a heading gets on the web. */
export function anchorOf(heading: string): string {
  const text = heading.replace(/^#+ /, '').toLowerCase()
  return text.replace(/[^\p{L}\p{N} _-]/gu, '').replaceAll(' ', '-')
}

/** A page to generate for, and the pages that it may link to. */
export interface Target {
  /** Below the root of the repository. */
  readonly file: string
  readonly pages: readonly Page[]
}

/** What a doc comment says, with links to the pages that it names. */
export function proseOfDoc({ text, see }: Pick<Tsdoc, 'text' | 'see'>, target: Target): string {
  const links = see.map((one) => linkTo(one, target))
  return links.length === 0 ? text : `${text} See ${listed(links)}.`
}

/** `a, b and c` */
const listed = (parts: readonly string[]): string => parts.join(', ').replace(/, (?=[^,]*$)/, ' and ')

/** A link from a page to another one, or to one of its headings, under the heading's name. */
function linkTo(place: string, { file, pages }: Target): string {
  const [path = '', anchor] = place.split('#')
  const page = pages.find((one) => one.file === path)
  const headings = headingsOf(page?.text ?? '')
  const heading = anchor === undefined ? headings[0] : headings.find((one) => anchorOf(one) === anchor)
  if (heading === undefined) throw new Error(`@see ${place}: there is no such page or heading.`)
  const address = path === file ? '' : posix.relative(posix.dirname(file), path)
  return `[${heading.replace(/^#+ /, '')}](${address}${anchor === undefined ? '' : `#${anchor}`})`
}
