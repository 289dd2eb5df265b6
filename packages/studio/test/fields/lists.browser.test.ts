import { ANONYMOUS } from 'daybook'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type OpenBrowser, openBrowser } from '../../../client/test/support/browser.ts'
import { composed, visitEntry } from './support/pages.ts'

let open: OpenBrowser
beforeAll(async () => {
  open = await openBrowser()
}, 120_000)
afterAll(() => open[Symbol.asyncDispose]())

const PARTS = [
  { _type: 'text', heading: 'Ink', body: 'Oak galls.' },
  { _type: 'quote', words: 'Write it down.', by: 'Inés' },
  { _type: 'gallery', pictures: ['https://example.org/a.png'] },
]
const PAGE = {
  title: 'Ink and paper',
  seo: { title: 'Ink', image: { url: 'https://example.org/ink.png', alt: 'Ink' } },
  tags: ['ink', 'paper'],
  steps: [{ title: 'Grind' }, { title: 'Boil', minutes: 20 }],
  parts: PARTS,
}

const list = (page: Page, name: string) => page.getByRole('group', { name, exact: true })
const kindsOf = (stored: Readonly<Record<string, unknown>>) =>
  (stored.parts as readonly { readonly _type: string }[]).map(({ _type }) => _type)
const choose = async (page: Page, of: string, action: string) => {
  await page.getByRole('button', { name: `Actions for ${of}`, exact: true }).click()
  await page.getByRole('menuitem', { name: action, exact: true }).click()
}
const focused = (page: Page) =>
  page.evaluate<string>(
    'document.activeElement.getAttribute("aria-label") ?? document.activeElement.labels?.[0]?.textContent ?? document.activeElement.textContent',
  )

describe('groups, lists and blocks', () => {
  test('are edited in place, and saved as shown', async () => {
    await using visit = await visitEntry(open, composed, 'pages', PAGE)
    const { page } = visit
    await visit.shoot('composed')
    expect(await visit.axeFaults()).toEqual([])
    await page.getByRole('group', { name: 'Image', exact: true }).getByLabel('Alt').fill('A bottle of ink')
    await page.getByLabel('Tags 2', { exact: true }).fill('papyrus')
    await page.getByLabel('Add to Tags').last().fill('pens')
    await page.keyboard.press('Enter')
    await page.getByLabel('Tags 3', { exact: true }).waitFor()
    await list(page, 'Steps').getByLabel('Title').nth(1).fill('Simmer')
    await list(page, 'Parts').getByLabel('Words').fill('Write it twice.')
    await visit.save()
    expect(await visit.stored()).toMatchObject({
      seo: { title: 'Ink', image: { alt: 'A bottle of ink' } },
      tags: ['ink', 'papyrus', 'pens'],
      steps: [{ title: 'Grind' }, { title: 'Simmer', minutes: 20 }],
      parts: [PARTS[0], { ...PARTS[1], words: 'Write it twice.' }, PARTS[2]],
    })
    expect(await visit.takeFaults()).toEqual([])
  })

  test('blocks are inserted, duplicated, moved and removed by the menu; the focus follows, and each change is announced', async () => {
    await using visit = await visitEntry(open, composed, 'pages', PAGE)
    const { page } = visit
    await choose(page, 'Quote 2', 'Insert above')
    await page.getByRole('menuitem', { name: 'Text', exact: true }).click()
    await expect.poll(() => focused(page)).toBe('Heading')
    await page.keyboard.type('Paper')
    await choose(page, 'Quote 3', 'Duplicate')
    await expect.poll(() => focused(page)).toBe('Words')
    await page.keyboard.press('ControlOrMeta+a')
    await page.keyboard.type('Again.')
    await choose(page, 'Gallery 5', 'Move to top')
    await expect.poll(() => focused(page)).toBe('Actions for Gallery 1')
    await page.getByText('Gallery is now 1 of 5.').waitFor({ state: 'attached' })
    await choose(page, 'Text 2', 'Remove')
    await expect.poll(() => focused(page)).toBe('Actions for Text 2')
    await page.getByText('Text was removed.').waitFor({ state: 'attached' })
    await visit.save()
    expect((await visit.stored()).parts).toMatchObject([
      { _type: 'gallery' },
      { _type: 'text', heading: 'Paper' },
      { _type: 'quote', words: 'Write it down.' },
      { _type: 'quote', words: 'Again.' },
    ])
    expect(await visit.takeFaults()).toEqual([])
  })

  test('blocks are moved by keyboard, and folded blocks render no fields', async () => {
    await using visit = await visitEntry(open, composed, 'pages', PAGE)
    const { page } = visit
    const toggle = list(page, 'Parts').locator('[data-part=toggle]', { hasText: 'Quote' })
    await toggle.press('Enter')
    await list(page, 'Parts').getByLabel('Words').waitFor({ state: 'detached' })
    await list(page, 'Parts').getByText('Write it down.').waitFor()
    await list(page, 'Parts').getByRole('button', { name: 'Quote Write it down.' }).press('Alt+ArrowUp')
    await expect.poll(() => focused(page)).toBe('Actions for Quote 1')
    await page.keyboard.press('Alt+ArrowDown')
    await page.keyboard.press('Alt+ArrowDown')
    await expect.poll(() => focused(page)).toBe('Actions for Quote 3')
    await list(page, 'Parts').getByRole('button', { name: 'Expand all' }).click()
    await list(page, 'Parts').getByLabel('Words').waitFor()
    await list(page, 'Parts').getByRole('button', { name: 'Collapse all' }).click()
    await list(page, 'Parts').getByLabel('Words').waitFor({ state: 'detached' })
    await visit.shoot('folded')
    expect(await visit.axeFaults()).toEqual([])
    await visit.save()
    expect(kindsOf(await visit.stored())).toEqual(['text', 'gallery', 'quote'])
    expect(await visit.takeFaults()).toEqual([])
  })

  test('blocks are dragged by pointer, and Escape cancels', async () => {
    await using visit = await visitEntry(open, composed, 'pages', PAGE)
    const { page } = visit
    await list(page, 'Parts').getByRole('button', { name: 'Collapse all' }).click()
    const grip = list(page, 'Parts').locator('li').nth(2).locator('[data-part=grip]')
    const first = list(page, 'Parts').locator('li').first()
    const drag = async () => {
      await grip.hover()
      await page.mouse.down()
      await first.hover({ position: { x: 40, y: 4 } })
      await page.locator('[data-part="mark"]:not([hidden])').waitFor()
    }
    await drag()
    await page.keyboard.press('Escape')
    await page.mouse.up()
    await page.locator('[data-part="mark"]:not([hidden])').waitFor({ state: 'detached' })
    await drag()
    await page.mouse.up()
    await expect.poll(() => focused(page)).toBe('Actions for Gallery 1')
    await visit.save()
    expect(kindsOf(await visit.stored())).toEqual(['gallery', 'text', 'quote'])
    expect(await visit.takeFaults()).toEqual([])
  })

  test('blocks are copied to another entry, and pasted only where they fit', async () => {
    await using visit = await visitEntry(open, composed, 'pages', PAGE)
    const { page, service, url } = visit
    const other = await service.request('/api/pages', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${service.token}` },
      body: JSON.stringify({ title: 'Another one', parts: [{ _type: 'quote', words: 'First.' }] }),
    })
    const { id } = (await other.json()) as { readonly id: string }
    await choose(page, 'Quote 2', 'Copy')
    await page.goto(`${url}/studio/c/pages/${id}`)
    await page.getByRole('heading', { name: 'Another one' }).waitFor()
    await choose(page, 'Quote 1', 'Paste below')
    await page.getByText('Inserted 1 item.').waitFor({ state: 'attached' })
    await page.getByRole('group', { name: 'Steps', exact: true }).getByRole('button', { name: 'Paste' }).click()
    await page.getByText('The clipboard has no item that is allowed here.').waitFor({ state: 'attached' })
    await visit.save()
    const stored = await service.content.as(ANONYMOUS).get('pages', id)
    expect(stored?.parts).toMatchObject([{ words: 'First.' }, { words: 'Write it down.', by: 'Inés' }])
    expect(await visit.takeFaults()).toEqual([])
  })

  test('an item that the service rejects is marked', async () => {
    await using visit = await visitEntry(open, composed, 'pages', PAGE)
    const { page } = visit
    await list(page, 'Parts').getByLabel('Words').fill('')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Some fields need your attention.').waitFor()
    expect(await list(page, 'Parts').getByLabel('Words').getAttribute('aria-invalid')).toBe('true')
    await visit.shoot('faulty-block')
    expect(await visit.axeFaults()).toEqual([])
    expect(await visit.takeFaults()).toEqual([])
  })

  test('fit the screen of a phone, where blocks are moved by touch', async () => {
    const phone = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true }
    await using visit = await visitEntry(open, composed, 'pages', PAGE, phone)
    const { page } = visit
    await page.getByRole('button', { name: 'Actions for Quote 2' }).tap()
    await page.getByRole('menuitem', { name: 'Move up' }).tap()
    await page.getByRole('button', { name: 'Actions for Quote 1' }).waitFor()
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBe(360)
    expect(await visit.takeFaults()).toEqual([])
  })
})
