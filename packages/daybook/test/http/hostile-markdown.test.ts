import { type DaybookConfig, defineCollection, defineConfig, f } from 'daybook'
import type { TestService } from 'daybook/testing'
import { createTestService } from 'daybook/testing'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ask, bodyOf } from '../support/client.ts'
import { parseHtml } from '../support/html.ts'
import { expectQuietProcess } from '../support/sane.ts'

/** Texts that become scripts where a renderer or a sanitizer is careless. */
const XSS: readonly string[] = [
  '<script>alert(1)</script>',
  '<ScRiPt src=//evil.example/x.js></ScRiPt>',
  '<scr<script>ipt>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '<img src="x" onerror="alert(1)"/>',
  '<svg onload=alert(1)>',
  '<svg><script>alert(1)</script></svg>',
  '<svg><a xlink:href="javascript:alert(1)"><text>x</text></a></svg>',
  '<math><mtext></form><form><mglyph><style></math><img src onerror=alert(1)>',
  '<iframe src="javascript:alert(1)"></iframe>',
  '<iframe srcdoc="<script>alert(1)</script>">',
  '<object data="data:text/html,<script>alert(1)</script>">',
  '<embed src="javascript:alert(1)">',
  '<base href="https://evil.example/">',
  '<meta http-equiv="refresh" content="0;url=javascript:alert(1)">',
  '<link rel=stylesheet href=//evil.example/x.css>',
  '<style>@import "//evil.example/x.css";</style>',
  '<form action="javascript:alert(1)"><button>x</button></form>',
  '<input autofocus onfocus=alert(1)>',
  '<details open ontoggle=alert(1)>',
  '<a href="javascript:alert(1)">x</a>',
  '<div style="background:url(javascript:alert(1))">x</div>',
  '<p id="__proto__" name="constructor">x</p>',
  '<!--><img src=x onerror=alert(1)>-->',
  '<![CDATA[<script>alert(1)</script>]]>',
  '<?php alert(1) ?>',
  '[x](javascript:alert(1))',
  '[x](JaVaScRiPt:alert(1))',
  '[x](java\nscript:alert(1))',
  '[x](java&#10;script:alert(1))',
  '[x](&#106;avascript:alert(1))',
  '[x](&#x6A&#x61;vascript:alert(1))',
  '[x](javascript&colon;alert(1))',
  '[x](\u0001javascript:alert(1))',
  '[x](<javascript:alert(1)>)',
  '[x]( javascript:alert(1))',
  '[x](vbscript:msgbox(1))',
  '[x](data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==)',
  '[x](file:///etc/passwd)',
  '[x](blob:https://evil.example/x)',
  '![x](javascript:alert(1))',
  '![x](data:image/svg+xml,<svg onload=alert(1)>)',
  '![x](x "onerror=alert(1)")',
  '![x](x"onerror="alert(1))',
  '[x](https://a.example "title\\" onmouseover=\\"alert(1)")',
  '[x](https://a.example/"onmouseover="alert(1))',
  '<javascript:alert(1)>',
  '<data:text/html,x>',
  '[x]: javascript:alert(1)\n\n[x]',
  '[x]: data:text/html,<script>alert(1)</script>\n\n![x]',
  'www.example.org"onmouseover="alert(1)',
  'https://a.example/<script>alert(1)</script>',
  'a@b.example"onmouseover=alert(1)',
  '```"><script>alert(1)</script>\ncode\n```',
  '```js onload=alert(1)\n<script>alert(1)</script>\n```',
  '`<script>alert(1)</script>`',
  '| <script>alert(1)</script> |\n| --- |\n| <img src=x onerror=alert(1)> |',
  '- [x] <input type=image src=x onerror=alert(1)>',
  '[^a]\n\n[^a]: <script>alert(1)</script>',
  '[^"><script>alert(1)</script>]\n\n[^"><script>alert(1)</script>]: x',
  '# <script>alert(1)</script>',
  '&lt;script&gt;alert(1)&lt;/script&gt;',
  '\\<script>alert(1)\\</script>',
  '<a href="https://a.example" target=_blank onclick=alert(1)>x</a>',
  '<img src=x:x onerror=alert(1)//',
  '<noscript><p title="</noscript><img src=x onerror=alert(1)>">',
  '<template><script>alert(1)</script></template>',
  '<x onclick=alert(1)>',
  '[a](<b)c>"onclick="alert(1))',
]

/** What may stand in the HTML of a Markdown text. */
const TAGS = new Set(
  'a blockquote br code del em h1 h2 h3 h4 h5 h6 hr img input li ol p pre section strong sup table tbody td th thead tr ul'.split(
    ' ',
  ),
)
const ATTRIBUTES = new Set(
  'align alt aria-describedby aria-label checked class data-footnote-backref data-footnote-ref data-footnotes dir disabled href id src start title type'.split(
    ' ',
  ),
)
const SCHEMES = new Set(['http', 'https', 'mailto', 'irc', 'ircs', 'xmpp'])

/** Asserts that HTML can do nothing but be shown. */
function expectInert(html: string): void {
  for (const { tag, attributes } of parseHtml(html)) {
    expect(TAGS, html).toContain(tag)
    for (const [name, value] of attributes) {
      expect(ATTRIBUTES, html).toContain(name)
      if (name === 'href' || name === 'src') expectSafeUrl(value, html)
      if (name === 'id' && value !== 'footnote-label') expect(value, html).toMatch(/^user-content-/)
      if (name === 'type') expect(value).toBe('checkbox')
    }
  }
}

function expectSafeUrl(url: string, html: string): void {
  // A browser drops control characters and leading spaces before it looks for the scheme (WHATWG URL).
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(url.replace(/[\p{Cc} ]/gu, ''))?.[1]?.toLowerCase()
  if (scheme !== undefined) expect(SCHEMES, html).toContain(scheme)
}

const notes = defineConfig({ collections: { notes: defineCollection({ fields: { body: f.markdown() } }) } })

/** On one store: what is rendered never asks where it is kept. */
describe('hostile Markdown (B10)', () => {
  let service: TestService
  /** Gives up on a text soon, so that the tests need not wait for it. */
  let hasty: TestService
  beforeAll(async () => {
    service = await createTestService<DaybookConfig>(notes)
    hasty = await createTestService<DaybookConfig>({ ...notes, limits: { renderMs: 600 } })
  })
  afterAll(async () => {
    await service.close()
    await hasty.close()
    await expectQuietProcess()
  })

  const post = (body: string, to = service) => ask(to, '/api/notes', { method: 'POST', json: { body } })

  async function render(body: string): Promise<string> {
    const answer = await post(body)
    expect(answer.status).toBe(201)
    return String(bodyOf(answer).bodyHtml)
  }

  test.each(XSS)('%j becomes inert HTML', async (source) => {
    expectInert(await render(source))
    expectInert(await render(`text ${source} text`))
  })

  test('long enough for the worker, it is rendered no differently', async () => {
    const padding = `${'word '.repeat(500)}\n\n`
    for (const source of XSS.slice(0, 20)) expectInert(await render(padding + source))
    const html = await render(`${padding}**bold** <b>raw</b> [x](javascript:alert(1))`)
    expect(html).toContain('<strong>bold</strong>')
    expect(html).not.toContain('<b>')
  })

  test('cut and pasted at random it stays inert', async () => {
    const pieces = [
      ...XSS,
      '`',
      '*',
      '[',
      '](',
      ')',
      '<',
      '>',
      '"',
      "'",
      '\n',
      '\n\n',
      '    ',
      '> ',
      '- ',
      '|',
      '&',
      ';',
      '\\',
      '# ',
      '---',
      '[^a]: ',
      '![',
    ]
    const source = fc
      .array(fc.tuple(fc.constantFrom(...pieces), fc.nat(40)), { minLength: 1, maxLength: 8 })
      .map((parts) => parts.map(([text, at]) => text.slice(text.length > 20 ? at % 20 : 0)).join(''))
    await fc.assert(
      fc.asyncProperty(source, async (text) => expectInert(await render(text))),
      { numRuns: 300 },
    )
  })

  test('what people write every day is rendered', async () => {
    const html = await render(
      '# T\n\n*a* **b** ~~c~~ `d` [e](https://a.example "t")\n\n| a |\n| - |\n| b |\n\n- [x] done\n\n![f](/f.png)\n\nx[^1]\n\n[^1]: note',
    )
    for (const part of [
      '<h1>T</h1>',
      '<em>a</em>',
      '<del>c</del>',
      '<a href="https://a.example" title="t">e</a>',
      '<td>b</td>',
      '<img src="/f.png" alt="f">',
      'type="checkbox" checked',
    ]) {
      expect(html).toContain(part)
    }
  })

  /** Texts of a few kilobytes that take a careless renderer minutes. */
  const BOMBS: readonly (readonly [name: string, text: string])[] = [
    ['100,000 quotes', '>'.repeat(100_000)],
    ['100,000 spaced quotes', '> '.repeat(100_000)],
    ['100,000 quotation marks', `"' `.repeat(33_000)],
    ['100,000 brackets', '['.repeat(100_000)],
    ['50,000 links that never close', '[a]('.repeat(50_000)],
    ['50,000 images that never close', '!['.repeat(50_000)],
    ['50,000 stars', '*a_ '.repeat(25_000)],
    ['50,000 stars and underscores', '**a __b '.repeat(6_000)],
    ['100,000 backticks of growing length', Array.from({ length: 440 }, (_, n) => '`'.repeat(n)).join(' ')],
    ['10,000 nested lists', Array.from({ length: 600 }, (_, n) => `${'  '.repeat(n)}- a`).join('\n')],
    ['10,000 list markers in a line', '- '.repeat(10_000)],
    ['mail addresses without end', 'mailto:a@'.repeat(10_000)],
    ['addresses without end', `${'a.'.repeat(50_000)}@`],
    ['links of www', 'www.'.repeat(25_000)],
    ['tags that never close', '<a '.repeat(30_000)],
    ['comments that never close', '<!--'.repeat(25_000)],
    ['entities', '&amp'.repeat(25_000)],
    ['footnotes that refer to each other', Array.from({ length: 2000 }, (_, n) => `[^${n}]: x[^${n + 1}]`).join('\n')],
    ['definitions', `${'[a]: /x\n'.repeat(10_000)}[a]`],
    ['one table of 2,000 columns and 2,000 rows', tableBomb(2000, 2000)],
    ['strikes', '~~a~ '.repeat(20_000)],
    ['line breaks', 'a  \n'.repeat(25_000)],
  ]

  test.each(BOMBS)('%s: 201 or 400, and others are answered meanwhile', async (_name, text) => {
    const bomb = post(text, hasty)
    for (let count = 0; count < 5; count++) expect((await ask(hasty, '/api/notes?limit=1&select=id')).status).toBe(200)
    const answer = await bomb
    expect([201, 400]).toContain(answer.status)
    if (answer.status === 201) expect(bodyOf(answer).body).toBe(text)
    else expect(bodyOf(answer)).toMatchObject({ details: { issues: [{ path: '/body', code: 'markdown' }] } })
  })

  test('a text that takes too long holds nobody up: whoever asks meanwhile is answered first', async () => {
    const order: string[] = []
    const bomb = post(tableBomb(2000, 2000), hasty).then(({ status }) => order.push(`bomb ${status}`))
    for (let count = 0; count < 20; count++) {
      await ask(hasty, '/api/notes?limit=1&select=id')
      order.push('read')
    }
    await bomb
    expect(order).toEqual([...Array(20).fill('read'), expect.stringMatching(/^bomb (?:201|400)$/)])
  })

  test('after many of them at once the service renders as before', async () => {
    const bombs = await Promise.all(Array.from({ length: 4 }, () => post(tableBomb(2000, 2000), hasty)))
    for (const { status } of bombs) expect([201, 400]).toContain(status)
    const answer = await post('*after*', hasty)
    expect(bodyOf(answer).bodyHtml).toBe('<p><em>after</em></p>')
    expect(await render(`${'word '.repeat(500)} *after*`)).toContain('<em>after</em>')
  })
})

/** A few kilobytes that say a table of many cells. */
function tableBomb(columns: number, rows: number): string {
  return `${'a|'.repeat(columns)}\n${'-|'.repeat(columns)}\n${'a\n'.repeat(rows)}`
}
