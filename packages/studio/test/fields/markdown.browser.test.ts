import { readFile } from 'node:fs/promises'
import { type DaybookConfig, defineCollection, defineConfig, f } from 'daybook'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type OpenBrowser, openBrowser } from '../../../client/test/support/browser.ts'
import { SLOW_MACHINE_LIMITS } from '../../../daybook/test/support/timeouts.ts'
import { studio } from '../../src/index.ts'
import { dropFiles } from '../support/drop.ts'
import { visitEntry } from './support/pages.ts'

const articles: DaybookConfig = defineConfig({
  limits: { ...SLOW_MACHINE_LIMITS, signInsPerMinute: 1000 },
  plugins: [studio()],
  collections: {
    articles: defineCollection({
      fields: { title: f.text({ required: true }), body: f.markdown({ description: 'What readers read.' }) },
    }),
  },
})

let open: OpenBrowser
beforeAll(async () => {
  open = await openBrowser()
}, 120_000)
afterAll(() => open[Symbol.asyncDispose]())

const body = (page: Page) => page.getByRole('textbox', { name: 'Body' })
const isLoaded = (page: Page) => page.locator('.cm-content').waitFor()
const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

describe('the Markdown editor', () => {
  test('formats by buttons, shortcuts and the slash menu, and previews the rendered HTML', async () => {
    await using visit = await visitEntry(open, articles, 'articles', { title: 'Ink', body: 'Oak galls\n' })
    const { page } = visit
    await isLoaded(page)
    await body(page).click()
    await page.keyboard.press('ControlOrMeta+End')
    await page.keyboard.type('/quo')
    await page.getByRole('option', { name: 'Quote' }).waitFor()
    expect(await visit.axeFaults()).toEqual([])
    await page.keyboard.press('Enter')
    await page.keyboard.type('Write it ')
    await page.keyboard.press('ControlOrMeta+b')
    await page.keyboard.type('down')
    await page.keyboard.press('ControlOrMeta+Home')
    await page.getByRole('toolbar').getByRole('button', { name: 'Text style: Paragraph' }).click()
    await page.getByRole('menuitemradio', { name: 'Heading 2' }).click()
    await page.getByRole('button', { name: 'Text style: Heading 2' }).waitFor()
    await page.getByRole('button', { name: 'Preview' }).click()
    const preview = page.getByRole('region', { name: 'Preview of Body' })
    await preview.locator('blockquote strong', { hasText: 'down' }).waitFor()
    await preview.getByRole('heading', { name: 'Oak galls' }).waitFor()
    await visit.shoot('markdown')
    expect(await visit.axeFaults()).toEqual([])
    await visit.save()
    expect(await visit.stored()).toMatchObject({ body: '## Oak galls\n> Write it **down**' })
    expect(await visit.takeFaults()).toEqual([])
  })

  test('leaves a text untouched except where the user types', async () => {
    const text = '# A  \r\n\r\n*  one\n+ two\t\n\n\n__bold__ <b onclick="x()">html</b>\u00a0\n\tcode\n'
    await using visit = await visitEntry(open, articles, 'articles', { title: 'Ink', body: text })
    const { page } = visit
    await isLoaded(page)
    await body(page).click()
    await page.keyboard.press('ControlOrMeta+End')
    await page.keyboard.type('!')
    await visit.save()
    expect((await visit.stored()).body).toBe(`${text}!`)
    expect(await visit.takeFaults()).toEqual([])
  })

  test('says why a file is not stored, and takes its place away', async () => {
    await using visit = await visitEntry(open, articles, 'articles', { title: 'Ink', body: 'Look: ' })
    const { page } = visit
    await isLoaded(page)
    await page.route('**/api/assets*', (route) =>
      route.fulfill({ status: 413, json: { code: 'PAYLOAD_TOO_LARGE', message: 'Too large.' } }),
    )
    await dropFiles(page.locator('.cm-line'), [{ name: 'large.png', bytes: PIXEL }])
    await page
      .getByText('large.png: This is too large for the service. Make it smaller, or do it in several steps.')
      .waitFor()
    expect(await body(page).textContent()).not.toContain('Uploading large.png')
    expect(await visit.takeFaults()).toEqual([])
  })

  test('uploads dropped files, and inserts them at the drop position in order', async () => {
    await using visit = await visitEntry(open, articles, 'articles', { title: 'Ink', body: 'Look: ' })
    const { page } = visit
    await isLoaded(page)
    await dropFiles(page.locator('.cm-line'), [
      { name: 'ink.png', bytes: PIXEL },
      { name: 'quill.png', bytes: PIXEL },
      { name: 'prices [2026].txt', bytes: Buffer.from('Ink: 3') },
    ])
    await page.getByText(/prices\s+2026 \.txt/).waitFor()
    await expect.poll(() => body(page).textContent()).not.toContain('Uploading')
    await visit.save()
    expect((await visit.stored()).body).toMatch(
      /^Look: !\[\]\(\/uploads\/ink-[^)]+\)!\[\]\(\/uploads\/quill-[^)]+\)\[prices {2}2026 \.txt\]\(\/uploads\/prices-2026-[^)]+\)$/,
    )
    expect(await visit.takeFaults()).toEqual([])
  })

  test('falls back to a plain textarea if its code cannot be loaded', async () => {
    await using visit = await visitEntry(open, articles, 'articles', { title: 'Ink', body: 'Oak galls' })
    const { page } = visit
    await isLoaded(page)
    await page.route('**/markdown-view*', (route) => route.abort())
    await page.reload()
    await page.locator('textarea').waitFor()
    await page.getByLabel('Body', { exact: true }).fill('Typed in a plain field')
    await visit.save()
    expect((await visit.stored()).body).toBe('Typed in a plain field')
  })

  test('draws formats and tables in place, edits them by keyboard, and shows the source', async () => {
    const rest = '\n\n1. galls\n2. iron\n\n| Ink | Price |\n|:--|--:|\n| Oak | 3 |\n\nThe *end*.'
    await using visit = await visitEntry(open, articles, 'articles', { title: 'Ink', body: `**Inks**${rest}` })
    const { page } = visit
    await isLoaded(page)
    const { keyboard } = page
    expect(await body(page).first().innerText()).not.toContain('*')
    await page.locator('.cm-line', { hasText: 'galls' }).click()
    await keyboard.press('End')
    await keyboard.press('Enter')
    await keyboard.type('vitriol')
    await page
      .locator('.cm-line', { hasText: '3.iron' })
      .or(page.locator('.cm-line', { hasText: '3. iron' }))
      .waitFor()
    await keyboard.press('ArrowDown')
    await keyboard.press('ArrowDown')
    await keyboard.press('ArrowDown')
    await page.locator('.cm-cell:focus', { hasText: 'Ink' }).waitFor()
    for (let step = 0; step < 4; step += 1) await keyboard.press('Tab')
    await keyboard.type('Soot')
    await keyboard.press('Alt+ArrowUp')
    await keyboard.press('Shift+F10')
    await page.getByRole('menuitem', { name: 'Insert column after' }).click()
    await page.getByRole('textbox', { name: 'Row 2, column 2' }).and(page.locator(':focus')).waitFor()
    await keyboard.type('a|b')
    expect(await visit.axeFaults()).toEqual([])
    await visit.shoot('table')
    await keyboard.press('Escape')
    await keyboard.type('Below')
    await page.getByRole('button', { name: 'Full screen' }).click()
    await page.getByRole('button', { name: 'Leave full screen' }).waitFor()
    await keyboard.press('Escape')
    await page.getByRole('button', { name: 'Full screen', exact: true }).waitFor()
    await page.getByRole('button', { name: 'Source' }).click()
    await page.locator('.cm-line', { hasText: '**Inks**' }).waitFor()
    await visit.save()
    await page.reload()
    await page.locator('.cm-line', { hasText: '**Inks**' }).waitFor()
    const table = '| Ink  |      | Price |\n| :--- | ---- | ----: |\n| Soot | a\\|b |       |\n| Oak  |      | 3     |'
    const { body: stored } = await visit.stored()
    expect(stored).toMatch(/^\*\*Inks\*\*\n\n1\. galls\n2\. vitriol\n3\. iron\n\n\| Ink/)
    expect(String(stored).replace(/[ -]+/g, ' ')).toContain(table.replace(/[ -]+/g, ' '))
    expect(stored).toMatch(/\n\nBelow\n\nThe \*end\*\.$/)
    expect(await visit.takeFaults()).toEqual([])
  })

  test('leaves the docs of Daybook untouched while the cursor moves through them', async () => {
    const folder = new URL('../../../../docs/guides/', import.meta.url)
    const names = ['modelling-content.md', 'files.md', 'studio-for-editors.md']
    const texts = await Promise.all(names.map((name) => readFile(new URL(name, folder), 'utf8')))
    const text = texts.join('\n').replaceAll('](../', '](https://example.org/')
    await using visit = await visitEntry(open, articles, 'articles', { title: 'Ink', body: text })
    const { page } = visit
    await isLoaded(page)
    await body(page)
      .first()
      .click({ position: { x: 5, y: 5 } })
    await page.keyboard.press('ControlOrMeta+Home')
    for (let step = 0; step < 200; step += 1) await page.keyboard.press(step % 5 === 0 ? 'ArrowRight' : 'ArrowDown')
    await page.getByRole('button', { name: 'Source' }).click()
    await page.getByRole('button', { name: 'Source' }).click()
    await page.keyboard.press('ControlOrMeta+End')
    await page.keyboard.type('word')
    await visit.save()
    expect((await visit.stored()).body).toBe(`${text}word`)
  })

  test('handles a text of one megabyte', async () => {
    const text = 'Words and **more** words of ink.\n\n'.repeat(29_000).slice(0, 999_990)
    await using visit = await visitEntry(open, articles, 'articles', { title: 'Ink', body: text })
    const { page } = visit
    await isLoaded(page)
    await body(page).click()
    await page.keyboard.press('ControlOrMeta+End')
    await page.keyboard.type('The end.')
    await page.getByText('Not saved yet').waitFor()
    await visit.save()
    expect((await visit.stored()).body).toBe(`${text}The end.`)
    expect(await visit.takeFaults()).toEqual([])
  })
})
