import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createHtmlSanitizer } from '../../src/content/markdown/html-sanitizer.ts'
import { createRenderMarkdown } from '../../src/content/markdown/markdown.ts'
import { addHeadingIds } from '../../src/fields/markdown-headings.ts'

const render = createRenderMarkdown()
const sanitize = createHtmlSanitizer()

/** Fragments of Markdown, of its addresses, titles and languages, without raw HTML. */
const MARKS = (
  '* ** *** _ __ ~~ ~ ` `` ``` ~~~ [ ] ]( ][ ![ ) < > <> ( # ## > - + 1. 7) | |- :-: --- === [x] \\ ! ^ [^n] [^n]: ' +
  '& &amp; &quot; &lt; &#0; &#13; &#x202e; &nbsp; &colon; " \' b.c http:// https://a.example/b?c=d&e#f www.a.example ' +
  'a@b.example <https://a.example> <irc:a> javascript: JavaScript: data: mailto: irc: //a.example /b:c ?d:e #f:g [n] [n]: ' +
  '[!NOTE] [!tip] "t" js\\"c é 中 😀 \ud800'
).split(' ')
const SPACES = [
  ' ',
  '  ',
  '    ',
  '\t',
  '\n',
  '\n\n',
  '\n    ',
  '\n> ',
  '\n- ',
  '\n1. ',
  '\f',
  '\u00a0',
  '\u2028',
  '\0',
]
const PLACES = [
  '[%](/a)',
  '![%](b:c "d")',
  '*%*',
  '> %',
  '> [!NOTE]\n> %',
  '- [ ] %',
  '| a |\n|:-:|\n| % |',
  '[^%]\n\n[^%]: %',
  '```%',
  '<%>',
]

const written: fc.Arbitrary<string> = fc
  .array(fc.constantFrom(...MARKS, ...SPACES), { maxLength: 60 })
  .map((pieces) => pieces.join(''))
const placed: fc.Arbitrary<string> = fc
  .tuple(fc.constantFrom(...PLACES), written)
  .map(([place, text]) => place.replaceAll('%', () => text))

function expectSanitized(source: string): void {
  const html = render(source)
  // Heading ids are added after sanitizing, since the sanitizer prefixes all ids.
  const withoutIds = html.replace(/(?<=<h[1-6]) id="(?!user-content-)[^"]*"/g, '')
  expect(addHeadingIds(sanitize(withoutIds)).trimEnd(), JSON.stringify(source)).toBe(html)
}

describe('sanitizing changes nothing in the HTML', () => {
  test('of any Markdown without raw HTML', () => {
    fc.assert(fc.property(fc.oneof(written, placed), expectSanitized), { numRuns: 5000 })
  })

  test.each([
    ['emphasis deeper than it allows', `${'*a **b '.repeat(400)}${'**c *'.repeat(400)}`],
    ['quotes deeper than it allows', `${'> '.repeat(600)}a`],
    ['lists deeper than it allows', Array.from({ length: 600 }, (_, depth) => `${'  '.repeat(depth)}- a`).join('\n')],
    ['a link within a link', '[a <https://b.example> c](/d)'],
    ['a footnote within a link', '[a[^b]](/c)\n\n[^b]: d'],
    ['an image within a link', '[![a *b* <i>](/c "d")](/e "f")'],
    ['a language with marks', '```a"b&c<d e\nf\n```'],
    [
      'addresses that are not safe',
      '[a](javascript:b) ![c](irc:d) [e](irc:f) ![g](mailto:h) [i](\u0001data:j) [k](l:m)',
    ],
    ['a footnote that begins a quote of another one', '[^n]:>[^n]:'],
    ['a footnote that begins a list of another one', '[^n]:- [^n]:\n\na'],
    ['an address without anything', '[a]() ![](<> "b")'],
  ])('of %s', (_name, source) => {
    expectSanitized(source)
  })
})
