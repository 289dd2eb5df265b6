import type { DaybookConfig } from 'daybook'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type OpenBrowser, openBrowser } from '../../../client/test/support/browser.ts'
import { museumOf } from '../support/configs.ts'
import { INES, isShown, makeAccount, signIn } from '../support/people.ts'
import { visitStudio } from '../support/visit.ts'
import { firstRow, titlesShown } from './support.ts'

let open: OpenBrowser
beforeAll(async () => {
  open = await openBrowser()
}, 120_000)
afterAll(() => open[Symbol.asyncDispose]())

function watchLists(page: Page): URLSearchParams[] {
  const calls: URLSearchParams[] = []
  page.on('request', (request) => {
    const url = new URL(request.url())
    if (url.pathname === '/api/posts' && request.method() === 'GET') calls.push(url.searchParams)
  })
  return calls
}

const scrollToRow = (page: Page, row: number): Promise<void> =>
  page.evaluate(
    `document.querySelector('main').scrollTop = document.querySelector('[data-index]').parentElement.offsetTop + ${row} * document.querySelector('[data-index]').offsetHeight`,
  )

const scrolled = (page: Page): Promise<number> => page.evaluate('document.querySelector("main").scrollTop')

describe('the rows of a list', () => {
  test('are loaded as they come into view: the next page by cursor, a distant page by offset', async () => {
    await using visit = await visitStudio(open, museumOf(400), { as: INES, path: '/studio/c/posts' })
    const { page } = visit
    const calls = watchLists(page)
    await page.getByText('400 entries').waitFor()
    await firstRow(page, 'Post 400')
    const pages = () => calls.filter((call) => call.get('limit') === '50')
    expect(pages().length).toBe(1)
    await scrollToRow(page, 40)
    await page.getByRole('link', { name: 'Post 345', exact: true }).waitFor()
    expect(pages().length).toBe(2)
    expect(pages()[1]?.get('cursor')).not.toBeNull()
    await scrollToRow(page, 380)
    await page.getByRole('link', { name: 'Post 1', exact: true }).waitFor()
    expect(pages().length).toBe(3)
    expect(pages()[2]?.get('offset')).toBe('350')
    expect(await page.locator('[data-index]').count()).toBeLessThan(40)
    expect(await visit.takeFaults()).toEqual([])
  })

  test.each(['as it was', 'after a reload'])('keep scroll position and focus on return, %s', async (how) => {
    await using visit = await visitStudio(open, museumOf(400), {
      as: INES,
      path: '/studio/c/posts?sort=minutes',
    })
    const { page } = visit
    await firstRow(page, 'Post 1')
    await scrollToRow(page, 300)
    const link = page.getByRole('link', { name: 'Post 305', exact: true })
    await link.waitFor()
    const before = await scrolled(page)
    await link.click()
    await isShown(page, 'Post 305')
    if (how === 'after a reload') await page.reload()
    await isShown(page, 'Post 305')
    const calls = watchLists(page)
    await page.goBack()
    await page.locator('a:focus', { hasText: 'Post 305' }).waitFor()
    expect(await scrolled(page)).toBeCloseTo(before, -1)
    // The pages between the top and this position are not loaded.
    expect(calls.filter((call) => ['50', '100', '150', '200'].includes(call.get('offset') ?? ''))).toEqual([])
    await page.getByRole('link', { name: 'Post 307', exact: true }).waitFor()
    expect(await visit.takeFaults()).toEqual([])
  })

  test('keep the focus when scrolled out of view, and pass it on by arrow keys', async () => {
    await using visit = await visitStudio(open, museumOf(200), { as: INES, path: '/studio/c/posts' })
    const { page } = visit
    await firstRow(page, 'Post 200')
    await page.getByRole('link', { name: 'Post 199', exact: true }).focus()
    await scrollToRow(page, 150)
    await page.getByRole('link', { name: 'Post 45', exact: true }).waitFor()
    expect(await page.evaluate<string>('document.activeElement.textContent')).toBe('Post 199')
    await scrollToRow(page, 0)
    await page.getByRole('link', { name: 'Post 195', exact: true }).waitFor()
    await page.keyboard.press('ArrowDown')
    expect(await page.evaluate<string>('document.activeElement.textContent')).toBe('Post 198')
    await page.keyboard.press('Tab')
    expect(await page.evaluate<string>('document.activeElement.getAttribute("aria-label")')).toBe('Select Post 197')
    expect(await visit.takeFaults()).toEqual([])
  })

  test('are reached by arrow keys pressed faster than rows load, skipping deleted rows', async () => {
    await using visit = await visitStudio(open, museumOf(200), { as: INES, path: '/studio/c/posts' })
    const { page, service } = visit
    const focused = (title: string): Promise<void> => page.locator('a:focus', { hasText: title }).waitFor()
    await firstRow(page, 'Post 200')
    const content = service.content
    const [second] = (await content.list('posts', { where: { title: { eq: 'Post 199' } } })).items
    await content.delete('posts', String(second?.id))
    await page.locator('[data-index="1"]').getByText('removed', { exact: true }).waitFor()
    await page.getByRole('link', { name: 'Post 200', exact: true }).focus()
    await page.keyboard.press('ArrowDown')
    await focused('Post 198')
    await page.keyboard.press('ArrowUp')
    await focused('Post 200')
    for (let count = 0; count < 120; count += 1) await page.keyboard.press('ArrowDown')
    await focused('Post 79')
    for (let count = 0; count < 120; count += 1) await page.keyboard.press('ArrowUp')
    await focused('Post 200')
    expect(await visit.takeFaults()).toEqual([])
  })

  test('do not scroll back to a row that never loads after the user has scrolled away', async () => {
    await using visit = await visitStudio(open, museumOf(200), { as: INES, path: '/studio/c/posts' })
    const { page, service } = visit
    await firstRow(page, 'Post 200')
    // These requests never get a response.
    await page.route(/\/api\/posts\?.*(?:cursor|offset)=/, () => {})
    await page.getByRole('link', { name: 'Post 200', exact: true }).focus()
    for (let count = 0; count < 60; count += 1) await page.keyboard.press('ArrowDown')
    await expect.poll(() => scrolled(page)).toBeGreaterThan(1000)
    await page.mouse.move(600, 500)
    await page.mouse.wheel(0, -100_000)
    await expect.poll(() => scrolled(page)).toBe(0)
    await service.content.create('posts', { title: 'New one' })
    await page.getByRole('button', { name: 'Show 1 new entry' }).waitFor()
    expect(await scrolled(page)).toBe(0)
  })

  test('change in place, and new entries are announced and shown on demand', async () => {
    await using visit = await visitStudio(open, museumOf(30), { as: INES, path: '/studio/c/posts' })
    const { page, service } = visit
    await firstRow(page, 'Post 30')
    const content = service.content
    const before = await titlesShown(page)
    const third = (await content.list('posts', { where: { title: { eq: 'Post 28' } } })).items[0]
    const fourth = (await content.list('posts', { where: { title: { eq: 'Post 27' } } })).items[0]
    await content.update('posts', String(third?.id), { title: 'Renamed' })
    await content.delete('posts', String(fourth?.id))
    await content.create('posts', { title: 'New one' })
    await content.create('posts', { title: 'New two' })
    await page.getByRole('button', { name: 'Show 2 new entries' }).waitFor()
    await page.locator('[data-index="2"]').getByText('Renamed').waitFor()
    await page.locator('[data-index="3"]').getByText('removed', { exact: true }).waitFor()
    await page.getByText('29 entries').waitFor()
    await visit.shoot('list-live')
    expect(await visit.axeFaults()).toEqual([])
    expect((await titlesShown(page)).slice(4)).toEqual(before.slice(5))
    await page.getByRole('button', { name: 'Show 2 new entries' }).click()
    await firstRow(page, 'New two')
    await page.getByText('31 entries').waitFor()
    expect((await titlesShown(page)).slice(0, 4)).toEqual(['New two', 'New one', 'Renamed', 'Post 30'])
    expect(await visit.takeFaults()).toEqual([])
  })

  test('are filtered by status, with counts that delay no row', async () => {
    await using visit = await visitStudio(open, museumOf(30), { before: makeAccount, path: '/studio/c/posts' })
    const { page } = visit
    const counting = Promise.withResolvers<void>()
    await page.route(/\/api\/posts\?.*aggregate=/, async (route) => {
      await counting.promise
      await route.continue()
    })
    await signIn(page)
    await firstRow(page, 'Post 30')
    const tabs = page.getByRole('group', { name: 'Status' })
    expect(await tabs.getByRole('button').allTextContents()).toEqual(['All', 'Draft', 'Published', 'Archived'])
    counting.resolve()
    await tabs.getByRole('button', { name: 'Draft 6' }).click()
    await page.waitForURL(/status=draft/)
    await page.getByText('6 entries').waitFor()
    await tabs.getByRole('button', { name: 'Archived 0' }).click()
    await page.getByText('No entry has the status “Archived”.').waitFor()
    await visit.shoot('list-status')
    expect(await visit.axeFaults()).toEqual([])
    expect(await visit.takeFaults()).toEqual([])
  })

  test('report a failed load, and load when retried', async () => {
    const config: DaybookConfig = museumOf(200)
    await using visit = await visitStudio(open, config, { as: INES, path: '/studio/c/posts' })
    const { page } = visit
    await firstRow(page, 'Post 200')
    await page.route(/\/api\/posts\?.*limit=50/, (route) =>
      route.fulfill({ status: 500, json: { code: 'INTERNAL_ERROR', message: 'no', details: {} } }),
    )
    await scrollToRow(page, 150)
    await page.getByText('Some rows could not be loaded.').waitFor()
    await page.unroute(/\/api\/posts\?.*limit=50/)
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('link', { name: 'Post 45', exact: true }).waitFor()
    expect(await visit.takeFaults()).toEqual([])
  })
})
