import { readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { rolldown } from 'rolldown'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type OpenBrowser, openBrowser } from '../../../../client/test/support/browser.ts'
import { createRenderMarkdown } from '../../../../daybook/src/content/markdown/markdown.ts'

const MODULE = fileURLToPath(
  new URL('../../../src/app/editor/fields/markdown/paste/html-to-markdown.ts', import.meta.url),
)
const readFixture = (name: string): Promise<string> => readFile(new URL(name, import.meta.url), 'utf8')
const SOURCES = readdirSync(new URL('.', import.meta.url)).filter((name) => name.endsWith('.html'))

let open: OpenBrowser
let page: Page
beforeAll(async () => {
  open = await openBrowser()
  page = await open.browser.newPage()
  const build = await rolldown({ input: MODULE, platform: 'browser' })
  const { output } = await build.generate({ format: 'iife', name: 'paste' })
  await page.evaluate(`${output[0].code}; window.paste = paste`)
})
afterAll(() => open[Symbol.asyncDispose]())

interface Conversion {
  readonly markdown: string
  readonly images: readonly { readonly placeholder: string; readonly source: string }[]
}

/** Converts HTML in the page, in which `make` is the body of a function that returns it. */
const convertMade = (make: string, canFetch = false): Promise<Conversion | undefined> =>
  page.evaluate<Conversion | undefined>(
    `paste.convertHtml((() => { ${make} })(), { origin: 'https://studio.test', canFetch: () => ${canFetch} })`,
  )
const convert = (html: string, canFetch = false): Promise<Conversion | undefined> =>
  convertMade(`return ${JSON.stringify(html)}`, canFetch)
const toMarkdown = async (html: string): Promise<string | undefined> => (await convert(html))?.markdown

describe('pasted HTML becomes Markdown', () => {
  test.each(SOURCES)('as in %s', async (source) => {
    const expected = await readFixture(source.replace('.html', '.md'))
    expect(`${await toMarkdown(await readFixture(source))}\n`).toBe(expected)
  })

  test.each([
    ['<b>Ink: </b>black', '**Ink:** black'],
    ['<b>Ink:</b>black', '**Ink**:black'],
    ['a<b> b </b>c', 'a **b** c'],
    ['<p><b><i>both</i></b></p>', '**_both_**'],
    ['<b><p>one</p><p>two</p></b>', 'one\n\ntwo'],
    ['<p>1. no list</p><p># no heading</p><p>[!NOTE]</p>', '1\\. no list\n\n\\# no heading\n\n\\[!NOTE]'],
    ['<p>line<br></p><br><p>next</p>', 'line\n\nnext'],
    ['<a href="mailto:ink@example.org">write</a>', '[write](mailto:ink@example.org)'],
    ['<a href="https://studio.test/uploads/a.pdf">file</a>', '[file](/uploads/a.pdf)'],
    ['<img src="https://studio.test/uploads/a.png" alt="A [pot]">', '![A \\[pot\\]](/uploads/a.png)'],
    ['<ul><li><p>one</p><p>more</p></li><li>two</li></ul>', '- one\n\n  more\n\n- two'],
    ['<h3><b>Bold</b></h3>', '### Bold'],
    ['<p>a &lt;b&gt; &amp;amp; c</p>', 'a \\<b> \\&amp; c'],
    ['10&nbsp;km, a &nbsp;b', '10\u00a0km, a b'],
  ])('%s', async (html, markdown) => {
    expect(await toMarkdown(html)).toBe(markdown)
  })

  test('images get placeholders if the browser can read them', async () => {
    const data = `data:image/png;base64,${'A'.repeat(400)}`
    const inline = await convert(`<p>Look: <img src="${data}" alt="ink"></p>`)
    expect(inline?.images).toEqual([{ placeholder: expect.stringMatching(/^uploading:/), source: data }])
    expect(inline?.markdown).toBe(`Look: ![ink](${inline?.images[0]?.placeholder})`)
    const remote = '<img src="https://images.test/a.png">'
    expect((await convert(remote, true))?.images).toMatchObject([{ source: 'https://images.test/a.png' }])
    expect(await convert(remote)).toEqual({ markdown: '![](https://images.test/a.png)', images: [] })
  })

  test('code that an editor has coloured stays plain text', async () => {
    const vsCode = `<meta charset='utf-8'><div style="color: #cccccc;background-color: #1f1f1f;font-family: Menlo, Monaco, 'Courier New', monospace;font-weight: normal;font-size: 12px;line-height: 18px;white-space: pre;"><div><span style="color: #569cd6;">let</span> ink</div></div>`
    const jetBrains = `<html><head><meta http-equiv="content-type" content="text/html; charset=UTF-8"></head><body><pre style="background-color:#2b2b2b;color:#a9b7c6;font-family:'JetBrains Mono',monospace;font-size:9,8pt;">let ink</pre></body></html>`
    for (const html of [vsCode, jetBrains]) expect(await convert(html)).toBeUndefined()
    expect(await toMarkdown('<pre style="font-family: monospace; orphans: 2">let ink</pre>')).toBe('```\nlet ink\n```')
  })
})

describe('hostile HTML', () => {
  test.each([
    ['scripts', '<p>a<script>alert(1)</script><style>b{}</style><svg><script>alert(1)</script></svg></p>', 'a'],
    ['event handlers', '<p onclick="x()">a <b onmouseover="x()">b</b></p>', 'a **b**'],
    [
      'script links',
      '<a href="javascript:x()">a</a> <a href=" java&#10;script:x()">b</a> <a href="&#1;javascript:x()">c</a>',
      'a b c',
    ],
    [
      'other schemes',
      '<a href="data:text/html,x">a</a> <a href="vbscript:x">b</a> <a href="file:///etc/passwd">c</a>',
      'a b c',
    ],
    [
      'unsafe images',
      '<p>a<img src="javascript:x()"><img src="data:image/svg+xml;base64,AAAA"><img src=x onerror=x()></p>',
      'a![](x)',
    ],
    ['HTML in a text', '<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>', '\\<script>alert(1)\\</script>'],
    ['frames', '<p>a</p><iframe src="javascript:x()"></iframe><object data="x"></object><embed src="x">', 'a'],
    ['a broken table', '<table><tr><td>a<td>b<tr><td>c</table></td></tr>', '| a | b |\n| - | - |\n| c | |'],
    [
      'nested tables',
      '<table><tr><td><table><tr><td>a</td><td>b</td></tr></table></td><td>c</td></tr></table>',
      '| a | b |\n| - | - |\n\nc',
    ],
    ['an open comment', '<p>a</p><!-- <p>b</p>', 'a'],
    [
      'a title with quotes',
      '<figure><img src="/a.png"><figcaption>"><script>x</script></figcaption></figure>',
      `![](/a.png "\\">")`,
    ],
  ])('%s', async (_, html, markdown) => {
    const converted = await toMarkdown(html)
    expect(converted).toBe(markdown)
    expect(createRenderMarkdown()(converted ?? '')).not.toMatch(/<script|javascript:|onerror=/)
  })

  test.each([
    ['100,000 nested spans', `return '<span>'.repeat(100000) + 'ink'`],
    ['100,000 nested lists', `return '<ul><li>'.repeat(50000) + 'ink'`],
    ['400 nested quotes and bold texts', `return '<blockquote><b>'.repeat(200) + 'ink'`],
    ['10 MB of one text', `return '<p>' + 'ink '.repeat(2500000)`],
    ['900 KB of marks', `return '<p>' + '*_[]()\`'.repeat(130000)`],
    ['10 MB of paragraphs', `return '<p>ink <b>and</b> paper</p>'.repeat(350000)`],
    ['10 MB of an image', `return '<p>ink<img src="data:image/png;base64,' + 'A'.repeat(10000000) + '">'`],
    ['a table of 20,000 cells', `return '<table>' + ('<tr>' + '<td>a'.repeat(20)).repeat(1000)`],
    ['a table with a wide cell', `return '<table><tr><td colspan=1000000 rowspan=65534>a<td>b<tr><td>c</table>'`],
    ['20,000 line breaks', `return '<p>a' + '<br>'.repeat(20000) + 'b'`],
    ['20,000 bold letters', `return '<p>' + '<b>a</b> <i>b</i>'.repeat(10000)`],
  ])('%s: converted in time, or left to plain text', async (_, make) => {
    const begin = performance.now()
    const converted = await convertMade(make)
    expect(performance.now() - begin).toBeLessThan(20_000)
    if (converted) expect(converted.markdown).toMatch(/ink|a|\*/)
  })
})
