import { type DaybookConfig, defineCollection, defineConfig, f } from 'daybook'
import { createTestService, type TestService } from 'daybook/testing'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectInertElement, XSS } from '../../support/configs/hostile-markdown.ts'
import { parseHtml } from '../../support/html.ts'
import { parseBody, sendRequest } from '../../support/scenarios/client.ts'
import { expectQuietProcess } from '../../support/scenarios/sane.ts'

/** Asserts that HTML contains nothing active. */
function expectInert(html: string): void {
  for (const element of parseHtml(html)) expectInertElement(element, html)
}

const notes = defineConfig({ collections: { notes: defineCollection({ fields: { body: f.markdown() } }) } })

/** On one store, since rendering does not depend on the store. */
describe('hostile Markdown', () => {
  let service: TestService
  /** A service with a short rendering timeout, so that the tests are fast. */
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

  const post = (body: string, to = service) => sendRequest(to, '/api/notes', { method: 'POST', json: { body } })

  async function render(body: string): Promise<string> {
    const response = await post(body)
    expect(response.status).toBe(201)
    return String(parseBody(response).bodyHtml)
  }

  test.each(XSS)('%j becomes inert HTML', async (source) => {
    expectInert(await render(source))
    expectInert(await render(`text ${source} text`))
  })

  test('is rendered by the worker thread in the same way', async () => {
    const padding = `${'word '.repeat(500)}\n\n`
    for (const source of XSS) expectInert(await render(padding + source))
    const html = await render(`${padding}**bold** <b onclick=alert(1)>raw</b> [x](javascript:alert(1))`)
    expect(html).toContain('<strong>bold</strong> <b>raw</b> <a>x</a>')
  })

  test('stays inert when it is cut and pasted at random', async () => {
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

  test('ordinary Markdown is rendered', async () => {
    const html = await render(
      '# T\n\n*a* **b** ~~c~~ `d` [e](https://a.example "t")\n\n| a |\n| - |\n| b |\n\n- [x] done\n\n![f](/f.png)\n\nx[^1]\n\n[^1]: note',
    )
    for (const part of [
      '<h1 id="t">T</h1>',
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

  /** Texts of a few kilobytes that a careless renderer needs minutes for. */
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
    ['headings that repeat', '# a\n# a-2\n# a-3\n'.repeat(50_000)],
    ['headings inside one another', '<h1>'.repeat(100_000)],
    ['tags that never close', '<a '.repeat(30_000)],
    ['comments that never close', '<!--'.repeat(25_000)],
    ['entities', '&amp'.repeat(25_000)],
    ['footnotes that refer to each other', Array.from({ length: 2000 }, (_, n) => `[^${n}]: x[^${n + 1}]`).join('\n')],
    ['definitions', `${'[a]: /x\n'.repeat(10_000)}[a]`],
    ['one table of 2,000 columns and 2,000 rows', tableBomb(2000, 2000)],
    ['strikes', '~~a~ '.repeat(20_000)],
    ['line breaks', 'a  \n'.repeat(25_000)],
    ['a megabyte of <', '<'.repeat(1_000_000)],
    ['a megabyte of elements inside one another', '<b>'.repeat(333_000)],
    ['blocks inside one another', '<div>\n\n'.repeat(100_000)],
    ['ends that fit no beginning', `${'<b>'.repeat(60_000)}${'</i>'.repeat(60_000)}`],
    ['beginnings and ends that cross', `${'<b><i>'.repeat(40_000)}${'</b>'.repeat(40_000)}`],
    ['tables inside one another', '<table><tr><td>'.repeat(60_000)],
    ['paragraphs that end by themselves', '<p>'.repeat(200_000)],
    ['values that never end', '<a href="'.repeat(100_000)],
    ['an element of 100,000 attributes', `<p ${Array.from({ length: 100_000 }, (_, n) => `a${n}`).join(' ')}>x</p>`],
    ['100,000 names', `<p id="${'a '.repeat(100_000)}">x</p>`],
    ['90,000 classes', `<code class="${'language-a '.repeat(90_000)}">x</code>`],
    ['100,000 comments in an address', `<a href="${'<!---->'.repeat(100_000)}">x</a>`],
    ['100,000 images to choose from', `<picture><source srcset="${'a 1x,'.repeat(100_000)}b"></picture>`],
    ['frames inside one another', '<iframe>'.repeat(100_000)],
    ['raw text inside raw text', '<svg><style>'.repeat(80_000)],
    ['raw text that never ends', '<noscript></p>'.repeat(70_000)],
  ]

  test.each(BOMBS)('%s: 201 or 400, and other requests are answered in the meantime', async (_name, text) => {
    const bomb = post(text, hasty)
    for (let count = 0; count < 5; count++)
      expect((await sendRequest(hasty, '/api/notes?limit=1&select=id')).status).toBe(200)
    const response = await bomb
    expect([201, 400]).toContain(response.status)
    if (response.status === 201) expect(parseBody(response).body).toBe(text)
    else expect(parseBody(response)).toMatchObject({ details: { issues: [{ path: '/body', code: 'markdown' }] } })
  })

  test('a text that takes too long does not delay other requests', async () => {
    const order: string[] = []
    const bomb = post(tableBomb(2000, 2000), hasty).then(({ status }) => order.push(`bomb ${status}`))
    for (let count = 0; count < 20; count++) {
      await sendRequest(hasty, '/api/notes?limit=1&select=id')
      order.push('read')
    }
    await bomb
    expect(order).toEqual([...Array(20).fill('read'), expect.stringMatching(/^bomb (?:201|400)$/)])
  })

  test('the service still renders after many of them at once', async () => {
    const bombs = await Promise.all(Array.from({ length: 4 }, () => post(tableBomb(2000, 2000), hasty)))
    for (const { status } of bombs) expect([201, 400]).toContain(status)
    const response = await post('*after*', hasty)
    expect(parseBody(response).bodyHtml).toBe('<p><em>after</em></p>')
    expect(await render(`${'word '.repeat(500)} *after*`)).toContain('<em>after</em>')
  })
})

/** Returns a table of many cells in a few kilobytes. */
function tableBomb(columns: number, rows: number): string {
  return `${'a|'.repeat(columns)}\n${'-|'.repeat(columns)}\n${'a\n'.repeat(rows)}`
}
