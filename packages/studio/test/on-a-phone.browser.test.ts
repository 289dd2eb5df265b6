import { type DaybookConfig, SYSTEM } from 'daybook'
import type { TestService } from 'daybook/testing'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type OpenBrowser, openBrowser } from '../../client/test/support/browser.ts'
import { gallery, pictureFile } from './assets/support.ts'
import managed from './overview/accounts.config.ts'
import { withUnreachableWebhook } from './overview/support/unreachable-webhook.ts'
import { makeAdministrator } from './support/administrator.ts'
import { museumOf } from './support/configs.ts'
import { INES, isShown, makeAccount, TOMASZ } from './support/people.ts'
import { type Visit, visitStudio } from './support/visit.ts'

const CONFIG = new URL('overview/accounts.config.ts', import.meta.url)

let open: OpenBrowser
beforeAll(async () => {
  open = await openBrowser()
}, 120_000)
afterAll(() => open[Symbol.asyncDispose]())

const visitOnPhone = (
  config: DaybookConfig,
  path: string,
  before: (service: TestService) => Promise<unknown> = makeAccount,
): Promise<Visit> =>
  visitStudio(open, config, { before, path, viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true })

async function signInByTouch(page: Page): Promise<void> {
  await page.getByLabel('E-mail address').fill(INES.email)
  await page.getByLabel('Password').fill(INES.password)
  await tap(page, 'Sign in')
}

/** Taps a button by its whole name. */
const tap = (page: Page, name: string): Promise<void> => page.getByRole('button', { name, exact: true }).tap()

/** Nothing of a page stands beside the screen. */
async function fits(page: Page): Promise<void> {
  const widths = await page.evaluate<readonly number[]>(
    "[document.documentElement, document.querySelector('main')].map((one) => one?.scrollWidth ?? 0)",
  )
  expect(Math.max(...widths)).toBeLessThanOrEqual(360)
}

describe('on a phone', () => {
  test('a list is come to, searched, filtered, given columns and kept as a view', async () => {
    await using visit = await visitOnPhone(museumOf(12), '/studio')
    const { page } = visit
    await signInByTouch(page)
    await isShown(page, 'Overview')
    await fits(page)
    await tap(page, 'Open the navigation')
    await page.getByRole('dialog', { name: 'Navigation' }).getByRole('link', { name: 'Posts' }).tap()
    await isShown(page, 'Posts')
    await page.getByText('12 entries').waitFor()
    await fits(page)
    await page.getByRole('searchbox', { name: 'Search Posts' }).fill('post 1')
    await page.getByText('4 entries').waitFor()
    await page.getByRole('searchbox', { name: 'Search Posts' }).fill('')
    await page.getByText('12 entries').waitFor()
    await tap(page, 'Columns')
    const columns = page.getByRole('dialog', { name: 'Columns' })
    await columns.getByRole('combobox', { name: 'Sort by' }).selectOption('minutes')
    await columns.getByText('Minutes', { exact: true }).last().tap()
    await tap(page, 'Close')
    await page.waitForURL(/columns=.*minutes/)
    await page.locator('[data-index="0"]').getByText('Post 1', { exact: true }).waitFor()
    await tap(page, 'Filter')
    const filter = page.getByRole('dialog', { name: 'Filter' })
    await filter.getByRole('button', { name: 'Add a condition' }).tap()
    await filter.getByRole('combobox', { name: 'Field' }).selectOption('minutes')
    await filter.getByRole('textbox', { name: 'Value' }).fill('7')
    await filter.getByRole('button', { name: 'Apply' }).tap()
    await page.getByText('1 entry', { exact: true }).waitFor()
    await fits(page)
    await tap(page, 'Views')
    await page.getByRole('menuitem', { name: 'Save this view' }).tap()
    await page.getByRole('dialog', { name: 'Save this view' }).getByLabel('Name').fill('Seven')
    await tap(page, 'Save')
    await page.waitForURL(/view=/)
    await page.getByRole('button', { name: /^Remove: Minutes/ }).tap()
    await page.getByText('12 entries').waitFor()
    await page.getByRole('link', { name: 'Post 1', exact: true }).tap()
    await isShown(page, 'Post 1')
    expect(await visit.takeFaults()).toEqual([])
  })

  test('entries are published after a dry run, and that is taken back; the palette leads on', async () => {
    await using visit = await visitOnPhone(museumOf(12), '/studio/c/posts')
    const { page, service } = visit
    const drafts = async () => (await service.content.as(SYSTEM).list('posts', { status: 'draft', limit: 0 })).total
    await signInByTouch(page)
    await page.getByText('12 entries').waitFor()
    await page.getByRole('button', { name: /^Draft/ }).tap()
    await page.getByText('2 entries', { exact: true }).waitFor()
    await page.getByRole('checkbox', { name: 'Select Post 10' }).tap()
    await page.getByRole('checkbox', { name: 'Select Post 5' }).tap()
    await page.getByText('2 selected').waitFor()
    await fits(page)
    expect(await visit.axeFaults()).toEqual([])
    await tap(page, 'Publish')
    await page.getByText('2 entries will change.').waitFor()
    await tap(page, 'Publish (2)')
    await page.getByText('2 entries changed.').waitFor()
    expect(await drafts()).toBe(0)
    await tap(page, 'Undo')
    await page.getByText('All is as it was.').waitFor()
    expect(await drafts()).toBe(2)
    await tap(page, 'Find')
    await page.getByRole('dialog', { name: 'Go to' }).getByRole('combobox').fill('inés')
    await page.getByRole('option', { name: 'Inés Prado Authors' }).tap()
    await isShown(page, 'Inés Prado')
    expect(await visit.takeFaults()).toEqual([])
  })

  test('a file is uploaded, described and deleted', async () => {
    await using visit = await visitOnPhone(gallery, '/studio/assets')
    const { page, service } = visit
    const files = async () => (await service.content.list('assets', {})).items
    await signInByTouch(page)
    await isShown(page, 'Files')
    await fits(page)
    const chosen = page.waitForEvent('filechooser')
    await page.getByRole('button', { name: 'Upload' }).first().tap()
    await (await chosen).setFiles(pictureFile('harbour.png'))
    await page.getByText('1 of 1 uploaded').waitFor()
    await page.getByRole('main').getByRole('link', { name: 'harbour.png' }).first().tap()
    await isShown(page, 'harbour.png')
    await fits(page)
    await page.getByLabel('Alt text').fill('Boats at noon')
    await tap(page, 'Save')
    await page.getByText('Saved', { exact: true }).waitFor()
    expect((await files()).map(({ alt }) => alt)).toEqual(['Boats at noon'])
    await tap(page, 'Delete')
    await page.getByRole('dialog', { name: 'Delete this file?' }).getByRole('button', { name: 'Delete' }).tap()
    await isShown(page, 'Files')
    await expect.poll(files).toEqual([])
    expect(await visit.takeFaults()).toEqual([])
  })

  test('accounts are banned and let in again', async () => {
    await using visit = await visitOnPhone(managed, '/studio/accounts', (service) => makeAdministrator(service, CONFIG))
    const { page } = visit
    await signInByTouch(page)
    await isShown(page, 'Accounts')
    await tap(page, 'Create an account')
    const form = page.getByRole('dialog', { name: 'Create an account' })
    await form.getByLabel('Name').fill(TOMASZ.name)
    await form.getByLabel('E-mail address').fill(TOMASZ.email)
    await form.getByRole('button', { name: 'Create an account' }).tap()
    await tap(page, 'Close')
    await tap(page, 'Ban Tomasz')
    await tap(page, 'Ban')
    await tap(page, 'Lift the ban of Tomasz')
    await page.getByRole('button', { name: 'Ban Tomasz' }).waitFor()
    await fits(page)
    expect(await visit.takeFaults()).toEqual([])
  })

  test('what a webhook did not take is sent again', async () => {
    await using visit = await visitOnPhone(withUnreachableWebhook(), '/studio')
    const { page, service } = visit
    await signInByTouch(page)
    await isShown(page, 'Overview')
    await service.content.as(SYSTEM).create('authors', { name: 'Ann' })
    await page.getByRole('link', { name: 'Webhooks' }).tap()
    await page.getByText('1 is sent again', { exact: false }).waitFor()
    await fits(page)
    await page
      .getByRole('button', { name: /^Send again/ })
      .first()
      .tap()
    await page.getByText('They are sent again soon').waitFor()
    expect(await visit.takeFaults()).toEqual([])
  })
})
