import { glob, readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** A fenced code block: ```` ```LANGUAGE WORD… ````. */
export interface Block {
  readonly language: string
  /** The words after the language, such as `run` or `file=daybook.config.ts`. */
  readonly words: readonly string[]
  readonly code: string
  /** The line of the opening fence, counted from 1. */
  readonly line: number
}

export interface Page {
  /** The path below the repository's root, with `/`. */
  readonly file: string
  readonly text: string
}

const PAGES = ['*.md', 'docs/**/*.md', 'packages/*/README.md']

/** Reads every page of a checkout, sorted by name. */
export async function readPages(root: string): Promise<readonly Page[]> {
  const pages: Page[] = []
  for await (const path of glob(PAGES, { cwd: root })) {
    pages.push({ file: path.replaceAll('\\', '/'), text: await readFile(join(root, path), 'utf8') })
  }
  return pages.sort((a, b) => (a.file < b.file ? -1 : 1))
}

export function blocksOf(text: string): readonly Block[] {
  const blocks: Block[] = []
  let open: { language: string; words: string[]; line: number; code: string[] } | undefined
  for (const [index, line] of text.split('\n').entries()) {
    const fence = /^```\s*(.*)$/.exec(line)?.[1]
    if (fence === undefined) {
      open?.code.push(line)
    } else if (open) {
      blocks.push({ ...open, code: open.code.join('\n') })
      open = undefined
    } else {
      const [language = '', ...words] = fence.trim().split(/\s+/)
      open = { language, words, line: index + 1, code: [] }
    }
  }
  return blocks
}

/** Removes the fenced blocks of a page. */
export function proseOf(text: string): string {
  return text.replace(/^```[\s\S]*?^```$/gm, '')
}

/** Returns the text below a heading, up to the next heading of its level or above; empty if the heading is missing. */
export function sectionOf(text: string, heading: string): string {
  const lines = proseOf(text).split('\n')
  const start = lines.indexOf(heading)
  if (start < 0) return ''
  const level = /^#+/.exec(heading)?.[0].length ?? 1
  const end = lines.findIndex((line, index) => index > start && (/^#+(?= )/.exec(line)?.[0].length ?? 9) <= level)
  return lines.slice(start + 1, end < 0 ? undefined : end).join('\n')
}

/** Finds the headings of a page, with their `#`. */
export function headingsOf(text: string): readonly string[] {
  return proseOf(text)
    .split('\n')
    .filter((line) => /^#+ /.test(line))
}

/** Finds the rows of every table in a text, without heads and rules; cells are trimmed. */
export function rowsOf(text: string): readonly (readonly string[])[] {
  const lines = text.split('\n')
  const isRule = (line: string | undefined): boolean => /^\|[\s:|-]+\|$/.test(line?.trim() ?? '')
  return lines
    .filter((line, index) => line.startsWith('|') && !isRule(line) && !isRule(lines[index + 1]))
    .map((line) =>
      line
        .replace(/^\||\|\s*$/g, '')
        .split(/(?<!\\)\|/)
        .map((cell) => cell.trim()),
    )
}

export function codesIn(cell: string | undefined): readonly string[] {
  return [...(cell ?? '').matchAll(/`([^`]+)`/g)].map(([, code = '']) => code)
}
