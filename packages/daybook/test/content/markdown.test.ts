import fc from 'fast-check'
import MarkdownIt from 'markdown-it'
import { describe, expect, test } from 'vitest'
import { createRenderMarkdown } from '../../src/content/markdown/markdown.ts'
import { MarkdownRenderer, RenderError } from '../../src/content/markdown/markdown-renderer.ts'

const renderMarkdown = createRenderMarkdown()

const EXAMPLES: readonly (readonly [name: string, source: string, html: string])[] = [
  ['headings', '# One\n\nTwo\n---', '<h1 id="one">One</h1>\n<h2 id="two">Two</h2>'],
  [
    'a heading with marks, whose id has the letters and digits',
    '## Crème *brûlée* & `a < b`, [twice](/c) ![hot](/d.png)',
    '<h2 id="creme-brulee-a-b-twice-hot">Crème <em>brûlée</em> &amp; <code>a &lt; b</code>, <a href="/c">twice</a> <img src="/d.png" alt="hot"></h2>',
  ],
  ['a heading in other letters', '# हिन्दी लेख', '<h1 id="हिन्दी-लेख">हिन्दी लेख</h1>'],
  [
    'headings without letters, and one without anything',
    '# !\n# ?\n#',
    '<h1 id="section">!</h1>\n<h1 id="section-2">?</h1>\n<h1></h1>',
  ],
  [
    'headings that repeat beside one that looks like a repetition',
    '# A\n# a!\n# A\n# A 2\n# A 2',
    '<h1 id="a">A</h1>\n<h1 id="a-3">a!</h1>\n<h1 id="a-4">A</h1>\n<h1 id="a-2">A 2</h1>\n<h1 id="a-2-2">A 2</h1>',
  ],
  [
    'a heading that names a part of a footnote',
    '# User content fn 1',
    '<h1 id="section-user-content-fn-1">User content fn 1</h1>',
  ],
  [
    'headings in HTML',
    '<h2 title=" id=" align="left">A</h2>\n<h2 id="b">B</h2>\n<h2 id="b">C</h2>\n<h2 id="">A</h2>',
    '<h2 id="a" title=" id=" align="left">A</h2>\n<h2 id="user-content-b">B</h2>\n<h2 id="user-content-b-2">C</h2>\n<h2 id="a-2">A</h2>',
  ],
  ['emphasis', '*a* **b** ~~c~~', '<p><em>a</em> <strong>b</strong> <del>c</del></p>'],
  ['a line break', 'a  \nb', '<p>a<br>\nb</p>'],
  [
    'images with a width, and with a caption where they are a paragraph',
    '![a](/a.png#width=640 "*From* 1786")\n\nb ![c](/c.png#width=320 "d") ![e](/e.png#width=0)\n\n- ![f](/f.png "g")',
    '<figure><img src="/a.png" alt="a" width="640"><figcaption>*From* 1786</figcaption></figure>\n<p>b <img src="/c.png" alt="c" title="d" width="320"> <img src="/e.png#width=0" alt="e"></p>\n<ul>\n<li><img src="/f.png" alt="f" title="g"></li>\n</ul>',
  ],
  [
    'a figure beside HTML that needs the sanitizer',
    '![a](/a.png#width=640 "b")\n\n<i onclick="x()">c</i>',
    '<figure><img src="/a.png" alt="a" width="640"><figcaption>b</figcaption></figure>\n<p><i>c</i></p>',
  ],
  ['code', '`a < b`', '<p><code>a &lt; b</code></p>'],
  ['a code block', '```js\na < b\n```', '<pre><code class="language-js">a &lt; b\n</code></pre>'],
  ['a quote', '> a', '<blockquote>\n<p>a</p>\n</blockquote>'],
  [
    'a callout',
    '> [!NOTE]\n> a *b*',
    '<blockquote class="callout callout-note" data-callout="note">\n<p>a <em>b</em></p>\n</blockquote>',
  ],
  [
    'a callout with a line between, in small letters, with blocks and raw HTML',
    '> [!warning]  \n>\n> # a\n>\n> - <kbd>b</kbd>',
    '<blockquote class="callout callout-warning" data-callout="warning">\n<h1 id="a">a</h1>\n<ul>\n<li><kbd>b</kbd></li>\n</ul>\n</blockquote>',
  ],
  [
    'callouts of each kind',
    ['TIP', 'IMPORTANT', 'CAUTION'].map((kind) => `> [!${kind}]\n> a`).join('\n\n'),
    ['tip', 'important', 'caution']
      .map((kind) => `<blockquote class="callout callout-${kind}" data-callout="${kind}">\n<p>a</p>\n</blockquote>`)
      .join('\n'),
  ],
  [
    'quotes that are no callouts',
    ['[!NOTE] a', 'a\n> [!NOTE]', '[!OTHER]\n> a', '\\[!NOTE]\n> a', '[!NOTE]', '> [!NOTE]\n> > a', '# [!NOTE]\n> a']
      .map((text) => `> ${text}`)
      .join('\n\n<!-- -->\n\n'),
    [
      '<p>[!NOTE] a</p>',
      '<p>a\n[!NOTE]</p>',
      '<p>[!OTHER]\na</p>',
      '<p>[!NOTE]\na</p>',
      '<p>[!NOTE]</p>',
      '<blockquote>\n<p>[!NOTE]\na</p>\n</blockquote>',
      '<h1 id="note">[!NOTE]</h1>\n<p>a</p>',
    ]
      .map((html) => `<blockquote>\n${html}\n</blockquote>`)
      .join('\n\n'),
  ],
  [
    'classes of quotes in HTML',
    '<blockquote class="callout-tip modal">a</blockquote>',
    '<blockquote class="callout-tip">a</blockquote>',
  ],
  ['a list', '- a\n- b', '<ul>\n<li>a</li>\n<li>b</li>\n</ul>'],
  ['a list from three on', '3. a', '<ol start="3">\n<li>a</li>\n</ol>'],
  ['a link', '[a](/b "c")', '<p><a href="/b" title="c">a</a></p>'],
  ['an image', '![*a* b](/c.png "d")', '<figure><img src="/c.png" alt="a b"><figcaption>d</figcaption></figure>'],
  ['a bare address', 'see https://a.example/b.', '<p>see <a href="https://a.example/b">https://a.example/b</a>.</p>'],
  ['www', 'www.a.example', '<p><a href="http://www.a.example">www.a.example</a></p>'],
  ['a mail address', 'ines@a.example', '<p><a href="mailto:ines@a.example">ines@a.example</a></p>'],
  ['names of files', 'README.md, node.js, ftp://a.example', '<p>README.md, node.js, ftp://a.example</p>'],
  ['an address in code', '`https://a.example`', '<p><code>https://a.example</code></p>'],
  [
    'a table',
    '| a | b |\n|---|:-:|\n| 1 | 2 |',
    '<table>\n<thead>\n<tr>\n<th>a</th>\n<th align="center">b</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td>1</td>\n<td align="center">2</td>\n</tr>\n</tbody>\n</table>',
  ],
  [
    'tasks',
    '- [x] a\n- [ ] *b*\n- [y] c',
    '<ul class="contains-task-list">\n<li class="task-list-item"><input type="checkbox" checked="" disabled=""> a</li>\n' +
      '<li class="task-list-item"><input type="checkbox" disabled=""> <em>b</em></li>\n<li>[y] c</li>\n</ul>',
  ],
  [
    'a footnote that is named twice',
    'a[^n] b[^n]\n\n[^n]: c',
    '<p>a<sup><a href="#user-content-fn-1" id="user-content-fnref-1" data-footnote-ref aria-describedby="user-content-footnote-label">1</a></sup>' +
      ' b<sup><a href="#user-content-fn-1" id="user-content-fnref-1-2" data-footnote-ref aria-describedby="user-content-footnote-label">1</a></sup></p>\n' +
      '<section data-footnotes class="footnotes"><h2 class="sr-only" id="user-content-footnote-label">Footnotes</h2>\n<ol>\n<li id="user-content-fn-1">\n' +
      '<p>c <a href="#user-content-fnref-1" data-footnote-backref aria-label="Back to reference 1" class="data-footnote-backref">↩</a>' +
      ' <a href="#user-content-fnref-1-2" data-footnote-backref aria-label="Back to reference 1" class="data-footnote-backref">↩</a></p>\n</li>\n</ol>\n</section>',
  ],
  ['raw HTML', '<div>\na\n</div>\n\nb <b>c</b>', '<div>\na\n</div>\n<p>b <b>c</b></p>'],
  [
    'details with Markdown inside',
    '<details open>\n<summary>More</summary>\n\n*a*\n\n</details>',
    '<details open>\n<summary>More</summary>\n<p><em>a</em></p>\n</details>',
  ],
  [
    'keys and powers',
    'Press <kbd>Ctrl</kbd>, 10<sup>3</sup>, H<sub>2</sub>O',
    '<p>Press <kbd>Ctrl</kbd>, 10<sup>3</sup>, H<sub>2</sub>O</p>',
  ],
  [
    'an image of a size',
    '<img src="/a.png" alt="" width="320" height="200">',
    '<img src="/a.png" alt="" width="320" height="200">',
  ],
  [
    'images to choose from',
    'a <picture><source srcset="/a.webp 1x, /b.webp 2x" media="(min-width: 9em)"><img src="/a.png"></picture>',
    '<p>a <picture><source srcset="/a.webp 1x, /b.webp 2x" media="(min-width: 9em)"><img src="/a.png"></picture></p>',
  ],
  [
    'a table in HTML',
    '<table><tr><td align="right" colspan="2">a</td></tr></table>',
    '<table><tr><td align="right" colspan="2">a</td></tr></table>',
  ],
  ['a part of a table without one', '<td>a</td> <tr><th>b</th></tr>', 'a b'],
  [
    'names, set apart from those of the page',
    '<p id="a" name="b">c</p>',
    '<p id="user-content-a" name="user-content-b">c</p>',
  ],
  ['an element that never ends', '<div>\n\na *b*', '<div>\n<p>a <em>b</em></p>\n</div>'],
  ['an end without a beginning', 'a</div></b>\n\n</section>', '<p>a</p>'],
  ['elements that cross', '<b>a <i>b</b> c</i>', '<p><b>a <i>b</i></b> c</p>'],
  ['elements that are not allowed', 'a <font color="red">b</font> <my-tag>c</my-tag>', '<p>a b c</p>'],
  ['what is no content', 'a<!-- b --><style>c</style><script>d</script>', '<p>a</p>'],
  [
    'texts and values',
    'a <b title="&lt;a&gt; &amp; &quot;">b &amp; c &lt; d</b>',
    '<p>a <b title="&lt;a&gt; &amp; &quot;">b &amp; c &lt; d</b></p>',
  ],
  ['an address that is not safe', '[a](javascript:b) ![c](data:d)', '<p><a>a</a> <img alt="c"></p>'],
  [
    'a colon that ends no scheme',
    '[a](/b:c) [d](?e:f) [g](#h:i)',
    '<p><a href="/b:c">a</a> <a href="?e:f">d</a> <a href="#h:i">g</a></p>',
  ],
  ['nothing', '', ''],
]

test.each(EXAMPLES)('%s', (_name, source, html) => {
  expect(renderMarkdown(source)).toBe(html)
})

test('addresses are normalized as markdown-it normalizes them', () => {
  const plain = new MarkdownIt()
  const host = fc.array(fc.constantFrom('a', 'Z', '0', '-', '.', 'xn--', 'é', '@', ':80', 'a'.repeat(40)), {
    minLength: 1,
  })
  const path = fc.array(fc.constantFrom(..."abZ09-_.!~*'()#;/?:@&=+$,%é"))
  const address = fc
    .tuple(fc.constantFrom('http://', 'https://', 'HTTPS://', '//', '/'), host, path)
    .map(([start, names, rest]) => `${start}${names.join('')}/${rest.join('')}`)
  fc.assert(
    fc.property(address, (source) => {
      expect(renderMarkdown(`[a](<${source}>)`)).toBe(plain.render(`[a](<${source}>)`).trimEnd())
    }),
    { numRuns: 3000 },
  )
})

const idsOf = (source: string): readonly (string | undefined)[] =>
  [...renderMarkdown(source).matchAll(/<h\d(?:[^>]*? id="([^"]*)")?/g)].map(([, id]) => id)

test('heading ids are unique, and depend on the text of the heading alone unless it repeats', () => {
  const texts = ['A', 'a', 'A 2', 'a-2', 'A 2 2', 'A 3', '!', 'Section', 'Section 2', 'B', 'User content b']
  const block = fc.constantFrom(...texts.map((text) => `# ${text}`), '<h2 id="b">A</h2>', '<h2>B</h2>', 'text')
  const blocks = fc.array(block).map((parts) => parts.join('\n\n'))
  const unique = fc.constantFrom('A 4', 'A 2 3', 'Section 3', 'User content b 2', 'B-2')
  fc.assert(
    fc.property(blocks, unique, blocks, (before, text, after) => {
      const ids = idsOf(`${before}\n\n# ${text}\n\n${after}`)
      expect(new Set(ids).size).toBe(ids.length)
      expect(ids).toContain(idsOf(`# ${text}`)[0])
    }),
    { numRuns: 500 },
  )
})

test('a footnote reference in a heading is not part of its id', () => {
  const source = 'a[^m]\n\n# B[^n]\n\n[^m]: c\n\n[^n]: d'
  expect(idsOf(source)).toEqual(['b', 'user-content-footnote-label'])
})

/** Returns a text long enough to be rendered in a thread. */
const long = (text: string): string => `${'word '.repeat(1000)}*${text}*`
/** The parser searches all open elements for each end tag, which takes quadratic time. */
const BOMB = `${'<b>'.repeat(150_000)}${'</i>'.repeat(150_000)}`
const markedIn = (html: string): string | undefined => /<em>(.*)<\/em>/.exec(html)?.[1]

describe.each([1, 8])('a render thread with %i texts at once', (renderDepth) => {
  const open = (renderMs?: number): MarkdownRenderer =>
    new MarkdownRenderer(undefined, { renderMs, renderThreads: 1, renderDepth })

  test('returns to each request the HTML of its text', async () => {
    const renderer = open()
    const texts = Array.from({ length: 40 }, (_, n) => `text ${n}`)
    const htmlTexts = await Promise.all(texts.map((text) => renderer.render(long(text))))
    expect(htmlTexts.map(markedIn)).toEqual(texts)
    await renderer.close()
  })

  test('rejects a text that takes too long, and no other', async () => {
    const renderer = open(2000)
    const texts = [long('before'), BOMB, long('behind'), BOMB, long('last')]
    const ended = await Promise.all(texts.map((text) => renderer.render(text).then(markedIn, (error) => error)))
    expect(ended).toEqual(['before', expect.any(RenderError), 'behind', expect.any(RenderError), 'last'])
    await renderer.close()
  }, 120_000)

  test('rejects pending and later texts once the renderer is closed', async () => {
    const renderer = open()
    const outcomes = Promise.allSettled([long('a'), long('b')].map((text) => renderer.render(text)))
    await renderer.close()
    for (const outcome of await outcomes) expect(outcome).toMatchObject({ reason: { code: 'SERVICE_UNAVAILABLE' } })
    await expect(renderer.render(long('c'))).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
  })
})
