import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type OpenBrowser, openBrowser } from '../../client/test/support/browser.ts'
import { museumOf } from './support/configs.ts'
import { visitStudio } from './support/visit.ts'

const PASSWORD = 'a long one of mine'

let open: OpenBrowser
beforeAll(async () => {
  open = await openBrowser()
}, 120_000)
afterAll(() => open[Symbol.asyncDispose]())

const isShown = (page: Page, name: string): Promise<void> => page.getByRole('heading', { name, level: 1 }).waitFor()

/** Makes an account on the page that the Studio begins with. */
async function register(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'No account yet? Create one' }).click()
  await page.getByLabel('Name').fill('Inés')
  await page.getByLabel('E-mail address').fill('ines@example.org')
  await page.getByLabel('Password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Create an account' }).click()
  await isShown(page, 'Overview')
}

describe('the Studio in a browser', () => {
  test('leads from the first account to a changed title and out again', async () => {
    await using visit = await visitStudio(open, museumOf(120))
    const { page, service } = visit
    await isShown(page, 'Sign in')
    await visit.shoot('sign-in')
    expect(await visit.axeFaults()).toEqual([])
    await register(page)
    expect(await page.title()).toBe('Overview · The museum')
    await visit.shoot('overview')
    expect(await visit.axeFaults()).toEqual([])
    await page.getByRole('navigation').getByRole('link', { name: 'Posts' }).click()
    await isShown(page, 'Posts')
    await page.getByText('120 entries').waitFor()
    await visit.shoot('list')
    expect(await visit.axeFaults()).toEqual([])
    await page.getByRole('link', { name: 'Post 118', exact: true }).click()
    await isShown(page, 'Post 118')
    await visit.shoot('entry')
    expect(await visit.axeFaults()).toEqual([])
    await page.getByLabel('Title').fill('Ink and paper')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved').first().waitFor()
    await page.getByRole('button', { name: 'Publish' }).click()
    await page.getByText('Published').first().waitFor()
    const { items } = await service.content.list('posts', { q: 'ink', select: ['title'] })
    expect(items.map(({ title }) => title)).toEqual(['Ink and paper'])
    await page.getByRole('button', { name: 'Inés' }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await isShown(page, 'Sign in')
    expect(await visit.takeFaults()).toEqual([])
  })
})
