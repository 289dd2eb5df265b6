import fc from 'fast-check'
import rehypeSanitize from 'rehype-sanitize'
import rehypeStringify from 'rehype-stringify'
import remarkGfm from 'remark-gfm'
import remarkParse from 'remark-parse'
import remarkRehype from 'remark-rehype'
import { unified } from 'unified'
import { expect, it } from 'vitest'
import { renderMarkdown } from '../../src/content/markdown.ts'

const whole = unified().use(remarkParse).use(remarkGfm).use(remarkRehype).use(rehypeSanitize).use(rehypeStringify)

/** Pieces of Markdown that mean something beside each other. */
const PIECES = [
  'word',
  'Word',
  ' ',
  '\n',
  '\n\n',
  '# ',
  '- ',
  '1. ',
  '> ',
  '    ',
  '```\n',
  '`',
  '*',
  '**',
  '_',
  '~',
  '~~',
  '|',
  '|-|-|\n',
  '[',
  ']',
  '(',
  ')',
  '\\',
  '!',
  '<',
  '>',
  '[^1]',
  '[^1]: note',
  '[ ] ',
  '[x] ',
  'https://example.org',
  '[a](https://example.org)',
  '[a](https://example.org "t")',
  '<https://example.org>',
  'www.example.org',
  'ines@example.org',
  '[a]: https://example.org\n',
  '<b>',
  '&amp;',
  '---\n',
  '===\n',
]

/** The parser's development build, which tests load, asserts what it cannot hold on odd inputs: the same for both. */
function outcome(render: () => string): string {
  try {
    return render()
  } catch (error) {
    return `threw ${error}`
  }
}

it('renders every text as the whole pipeline for GitHub-flavoured Markdown does', () => {
  const text = fc.array(fc.constantFrom(...PIECES), { maxLength: 14 }).map((pieces) => pieces.join(''))
  fc.assert(
    fc.property(text, (source) => {
      expect(outcome(() => renderMarkdown(source))).toBe(outcome(() => String(whole.processSync(source))))
    }),
    { numRuns: 3000, endOnFailure: true },
  )
})
