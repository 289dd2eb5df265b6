import { posix } from 'node:path'
import { headingsOf, type Page } from '../markdown.ts'
import type { Tsdoc } from './tsdoc.ts'

/** A table of Markdown; a bar in a cell does not end it. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replace(/(?<!\\)\|/g, '\\|')).join(' | ')} |`
  const lines = [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)]
  return lines.map((text) => text.replace(/ {2,}\|/g, ' |')).join('\n')
}

/** The anchor of a heading on a rendered page. */
export function anchorOf(heading: string): string {
  const text = heading.replace(/^#+ /, '').toLowerCase()
  return text.replace(/[^\p{L}\p{N} _-]/gu, '').replaceAll(' ', '-')
}

/** A page to generate for, and the pages that it may link to. */
export interface Target {
  /** The path below the root of the repository. */
  readonly file: string
  readonly pages: readonly Page[]
}

/** The text of a doc comment, with links to the pages of `@see`. */
export function proseOfDoc({ text, see }: Pick<Tsdoc, 'text' | 'see'>, target: Target): string {
  const links = see.map((place) => linkTo(place, target))
  return links.length === 0 ? text : `${text} See ${joinParts(links)}.`
}

/** Joins parts as in `a, b and c`. */
const joinParts = (parts: readonly string[]): string => parts.join(', ').replace(/, (?=[^,]*$)/, ' and ')

/** A link from one page to another or to a heading, with the heading's text. */
function linkTo(place: string, { file, pages }: Target): string {
  const [path = '', anchor] = place.split('#')
  const page = pages.find((candidate) => candidate.file === path)
  const headings = headingsOf(page?.text ?? '')
  const heading = anchor === undefined ? headings[0] : headings.find((text) => anchorOf(text) === anchor)
  if (heading === undefined) throw new Error(`@see ${place}: the page or heading does not exist.`)
  const address = path === file ? '' : posix.relative(posix.dirname(file), path)
  return `[${heading.replace(/^#+ /, '')}](${address}${anchor === undefined ? '' : `#${anchor}`})`
}
