import { expect, test } from 'vitest'
import { renderMarkdown } from '../../src/content/markdown.ts'

/** GitHub-flavoured Markdown and the HTML that it becomes. */
const EXAMPLES: readonly (readonly [name: string, source: string, html: string])[] = [
  ['headings', '# One\n\nTwo\n---', '<h1>One</h1>\n<h2>Two</h2>'],
  ['emphasis', '*a* **b** ~~c~~', '<p><em>a</em> <strong>b</strong> <del>c</del></p>'],
  ['a line break', 'a  \nb', '<p>a<br>\nb</p>'],
  ['code', '`a < b`', '<p><code>a &lt; b</code></p>'],
  ['a code block', '```js\na < b\n```', '<pre><code class="language-js">a &lt; b\n</code></pre>'],
  ['a quote', '> a', '<blockquote>\n<p>a</p>\n</blockquote>'],
  ['a list', '- a\n- b', '<ul>\n<li>a</li>\n<li>b</li>\n</ul>'],
  ['a list from three on', '3. a', '<ol start="3">\n<li>a</li>\n</ol>'],
  ['a link', '[a](/b "c")', '<p><a href="/b" title="c">a</a></p>'],
  ['an image', '![*a* b](/c.png "d")', '<p><img src="/c.png" alt="a b" title="d"></p>'],
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
    '<p>a<sup><a href="#user-content-fn-1" id="user-content-fnref-1" data-footnote-ref aria-describedby="footnote-label">1</a></sup>' +
      ' b<sup><a href="#user-content-fn-1" id="user-content-fnref-1-2" data-footnote-ref aria-describedby="footnote-label">1</a></sup></p>\n' +
      '<section data-footnotes class="footnotes"><h2 class="sr-only" id="footnote-label">Footnotes</h2>\n<ol>\n<li id="user-content-fn-1">\n' +
      '<p>c <a href="#user-content-fnref-1" data-footnote-backref aria-label="Back to reference 1" class="data-footnote-backref">↩</a>' +
      ' <a href="#user-content-fnref-1-2" data-footnote-backref aria-label="Back to reference 1" class="data-footnote-backref">↩</a></p>\n</li>\n</ol>\n</section>',
  ],
  ['raw HTML, which is dropped', '<div>\na\n</div>\n\nb <b>c</b>', '<p>b c</p>'],
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
