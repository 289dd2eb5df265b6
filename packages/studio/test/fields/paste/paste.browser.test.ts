import { readFile } from 'node:fs/promises'
import { type DaybookConfig, defineCollection, defineConfig, f } from 'daybook'
import type { Page } from 'playwright-core'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type OpenBrowser, openBrowser } from '../../../../client/test/support/browser.ts'
import { SLOW_MACHINE_LIMITS } from '../../../../daybook/test/support/timeouts.ts'
import { studio } from '../../../src/index.ts'
import { copy, paste } from '../../support/clipboard.ts'
import { visitEntry } from '../support/pages.ts'

const articles: DaybookConfig = defineConfig({
  limits: { ...SLOW_MACHINE_LIMITS, signInsPerMinute: 1000 },
  plugins: [studio()],
  collections: {
    articles: defineCollection({ fields: { title: f.text({ required: true }), body: f.markdown() } }),
  },
})

let open: OpenBrowser
let picture: string
beforeAll(async () => {
  open = await openBrowser()
  const noise = { type: 'gaussian', mean: 120, sigma: 60 } as const
  const image = sharp({ create: { width: 24, height: 24, channels: 3, background: '#147', noise } })
  picture = `data:image/png;base64,${(await image.png().toBuffer()).toString('base64')}`
})
afterAll(() => open[Symbol.asyncDispose]())

const readFixture = (name: string): Promise<string> => readFile(new URL(name, import.meta.url), 'utf8')
/** Shows texts as their source, in which the test reads them. */
const SHOW_SOURCE = "localStorage.setItem('daybook-text-source', 'true')"
const visitBody = async (body: string) => {
  const visit = await visitEntry(open, articles, 'articles', { title: 'Ink', body }, { script: SHOW_SOURCE })
  await visit.page.locator('.cm-content').click()
  await visit.page.keyboard.press('ControlOrMeta+End')
  return visit
}
const text = (page: Page): Promise<string> =>
  page.evaluate<string>(`[...document.querySelectorAll('.cm-line')].map((line) => line.textContent).join('\\n')`)

describe('pasting', () => {
  test('a document becomes Markdown, and its images are stored', async () => {
    await using visit = await visitBody('Before\n\n')
    const { page } = visit
    const html = (await readFixture('google-docs.html')).replace(/src="https:[^"]+"/, `src="${picture}"`)
    await paste(page, { 'text/html': html, 'text/plain': 'How ink is made' })
    await page.getByText('/uploads/image').waitFor()
    await visit.save()
    const expected = (await readFixture('google-docs.md')).trim()
    const { body } = await visit.stored()
    expect(String(body).replace(/\/uploads\/image-[\w-]+\.png/, 'X')).toBe(
      `Before\n\n${expected.replace(/https:\/\/lh7[^)]+/, 'X')}`,
    )
    expect(await visit.takeFaults()).toEqual([])
    // A paste is one step, in which images keep their addresses.
    await page.keyboard.press('ControlOrMeta+z')
    await expect.poll(() => text(page)).toBe('Before\n\n')
    await page.keyboard.press('ControlOrMeta+Shift+z')
    await expect.poll(() => text(page)).toMatch(/!\[A pot of ink\]\(\/uploads\/image-[\w-]+\.png\)/)
    expect(await text(page)).not.toContain('uploading:')
  })

  test('fits into its place: links, lists, tables, code', async () => {
    await using visit = await visitBody('')
    const { page } = visit
    const bold = { 'text/html': '<b>ink</b>', 'text/plain': 'ink' }
    await page.keyboard.type('See ')
    await page.keyboard.type('this')
    await page.keyboard.press('ControlOrMeta+Shift+ArrowLeft')
    await paste(page, { 'text/plain': 'https://example.org/a_(b)' })
    await page.keyboard.press('Enter')
    await page.keyboard.press('Enter')
    await paste(page, {
      'text/plain': 'https://example.org',
      'text/html': '<a href="https://example.org">https://example.org</a>',
    })
    await page.getByText('https://example.org', { exact: true }).waitFor()
    await page.keyboard.press('Enter')
    await page.keyboard.press('Enter')
    await page.keyboard.type('Words')
    await paste(page, { 'text/html': '<h3>Head</h3><p>Text</p>', 'text/plain': 'Head Text' })
    await page.keyboard.press('Enter')
    await page.keyboard.press('Enter')
    await page.keyboard.type('```')
    await page.keyboard.press('Enter')
    await paste(page, bold)
    await page.keyboard.press('Enter')
    await page.keyboard.type('```')
    await page.keyboard.press('Enter')
    await paste(page, { ...bold, 'text/markdown': '*own*' })
    // Browsers leave the HTML out when these keys are pressed; some keep it.
    await page.keyboard.down('Control')
    await page.keyboard.down('Shift')
    await page.keyboard.down('v')
    await paste(page, bold)
    await page.keyboard.up('v')
    await page.keyboard.up('Shift')
    await page.keyboard.up('Control')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Enter')
    await page.keyboard.type('- ')
    await paste(page, { 'text/html': '<ul><li>a</li><li>b</li></ul>', 'text/plain': 'a b' })
    await visit.save()
    expect((await visit.stored()).body).toBe(
      'See [this](https://example.org/a_%28b%29)\n\nhttps://example.org\n\nWords\n\n### Head\n\nText\n\n```\nink\n```\n*own*ink\n\n- a\n- b',
    )
    expect(await visit.takeFaults()).toEqual([])
  })
})

test('copying gives Markdown and HTML, which pastes as the same Markdown', async () => {
  const body = [
    '## Ink *and* paper',
    '',
    'Galls [of oak](/uploads/a.pdf "x") &amp; **\\*gum\\*** `a < b` ![pot](/uploads/a.png)\\',
    'www.example.org <script>alert(1)</script> [x](javascript:alert(1))',
    '',
    '> quoted',
    '> text',
    '',
    '1. one',
    '   - inner',
    '2. two',
    '',
    '- [x] done',
    '',
    '```js',
    'let a = 1 < 2',
    '```',
    '',
    '| a | b |',
    '| - | - |',
    '| 1 | ~~2~~ |',
  ].join('\n')
  await using visit = await visitBody(body)
  const { page, url } = visit
  await page.keyboard.press('ControlOrMeta+a')
  const clipboard = await copy(page)
  expect(clipboard).toMatchObject({ 'text/plain': body, 'text/markdown': body })
  expect(clipboard['text/html']).toBe(
    [
      '<h2>Ink <em>and</em> paper</h2>',
      `<p>Galls <a href="${url}/uploads/a.pdf">of oak</a> &amp; <strong>*gum*</strong> <code>a &lt; b</code> `,
      `<img src="${url}/uploads/a.png" alt="pot"><br><a href="http://www.example.org/">www.example.org</a> `,
      '&lt;script&gt;alert(1)&lt;/script&gt; x</p><blockquote><p>quoted\n text</p></blockquote>',
      '<ol><li><p>one</p><ul><li><p>inner</p></li></ul></li><li><p>two</p></li></ol>',
      '<ul><li><p><input type="checkbox" checked>  done</p></li></ul><pre><code>let a = 1 &lt; 2</code></pre>',
      '<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td><del>2</del></td></tr></table>',
    ].join(''),
  )
  expect(await visit.takeFaults()).toEqual([])
})
