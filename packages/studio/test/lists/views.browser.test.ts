import type { DaybookConfig } from 'daybook'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type OpenBrowser, openBrowser } from '../../../client/test/support/browser.ts'
import { studio } from '../../src/index.ts'
import { museumOf } from '../support/configs.ts'
import { INES } from '../support/people.ts'
import { visitStudio } from '../support/visit.ts'
import { firstRow } from './support.ts'

let open: OpenBrowser
beforeAll(async () => {
  open = await openBrowser()
}, 120_000)
afterAll(() => open[Symbol.asyncDispose]())

const path = `/studio/c/posts?sort=minutes&columns=minutes&where=${encodeURIComponent('{"minutes":{"lte":3}}')}`

describe('the named views of a list', () => {
  test('are stored in the browser, chosen and deleted', async () => {
    await using visit = await visitStudio(open, museumOf(12), { as: INES, path })
    const { page } = visit
    await page.getByText('3 entries').waitFor()
    await page.getByRole('button', { name: 'Views' }).click()
    await page.getByRole('menuitem', { name: 'Save view' }).click()
    const dialog = page.getByRole('dialog', { name: 'Save view' })
    await dialog.getByLabel('Name').fill('Short ones')
    expect(await dialog.getByText('Share this view').count()).toBe(0)
    expect(await visit.axeFaults()).toEqual([])
    await page.keyboard.press('Enter')
    await page.waitForURL(/view=/)
    await page.getByRole('button', { name: 'Short ones' }).click()
    await visit.shoot('views')
    await page.getByRole('menuitemradio', { name: 'All entries' }).click()
    await page.getByText('12 entries').waitFor()
    await page.reload()
    await firstRow(page, 'Post 12')
    await page.getByRole('button', { name: 'Views' }).click()
    await page.getByRole('menuitemradio', { name: 'Short ones' }).click()
    await page.getByText('3 entries').waitFor()
    await firstRow(page, 'Post 1')
    await page.getByRole('columnheader', { name: 'Minutes' }).waitFor()
    await page.getByRole('button', { name: 'Short ones' }).click()
    await page.getByRole('menuitem', { name: 'Delete view “Short ones”' }).click()
    await page.getByRole('button', { name: 'Views' }).click()
    await page.getByRole('menuitem', { name: 'Save view' }).waitFor()
    expect(await page.getByRole('menuitemradio').count()).toBe(0)
    expect(await visit.takeFaults()).toEqual([])
  })

  test('are shared if the config has `sharedViews`', async () => {
    const config: DaybookConfig = { ...museumOf(12), plugins: [studio({ sharedViews: true })] }
    await using visit = await visitStudio(open, config, { as: INES, path })
    const { page, url } = visit
    await page.getByText('3 entries').waitFor()
    expect(await page.getByRole('navigation').getByRole('link', { name: 'Studio views' }).count()).toBe(0)
    await page.getByRole('button', { name: 'Views' }).click()
    await page.getByRole('menuitem', { name: 'Save view' }).click()
    const dialog = page.getByRole('dialog', { name: 'Save view' })
    await dialog.getByLabel('Name').fill('For everybody')
    await dialog.getByText('Share this view').click()
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.waitForURL(/view=/)
    // Private views exist only in the browser that saved them.
    await page.evaluate('localStorage.clear()')
    await page.goto(`${url}/studio/c/posts`)
    await firstRow(page, 'Post 12')
    await page.getByRole('button', { name: 'Views' }).click()
    await page.getByRole('menuitemradio', { name: 'For everybody (shared)' }).click()
    await page.getByText('3 entries').waitFor()
    const stranger = await fetch(`${url}/api/studioViews`)
    expect(((await stranger.json()) as { readonly total?: number }).total ?? 0).toBe(0)
    expect(await visit.takeFaults()).toEqual([])
  })
})
