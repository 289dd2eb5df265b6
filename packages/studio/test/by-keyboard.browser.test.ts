import { SYSTEM } from 'daybook'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type OpenBrowser, openBrowser } from '../../client/test/support/browser.ts'
import { gallery, pictureFile } from './assets/support.ts'
import managed from './overview/accounts.config.ts'
import { withUnreachableWebhook } from './overview/support/unreachable-webhook.ts'
import { makeAdministrator } from './support/administrator.ts'
import { enter, goTo } from './support/by-keyboard.ts'
import { museumOf } from './support/configs.ts'
import { INES, isShown, makeAccount, TOMASZ } from './support/people.ts'
import { visitStudio } from './support/visit.ts'

const CONFIG = new URL('overview/accounts.config.ts', import.meta.url)

let open: OpenBrowser
beforeAll(async () => {
  open = await openBrowser()
}, 120_000)
afterAll(() => open[Symbol.asyncDispose]())

/** The first field has the focus. */
async function signInByKeys(page: Page): Promise<void> {
  await isShown(page, 'Sign in')
  await page.keyboard.type(INES.email)
  await page.keyboard.press('Tab')
  await page.keyboard.type(INES.password)
  await page.keyboard.press('Enter')
}

describe('without a mouse', () => {
  test('a list is sorted, filtered, given columns and kept as a view', async () => {
    await using visit = await visitStudio(open, museumOf(12), { before: makeAccount })
    const { page } = visit
    const { keyboard } = page
    await signInByKeys(page)
    await isShown(page, 'Overview')
    await enter(page, 'Posts')
    await isShown(page, 'Posts')
    await page.getByText('12 entries').waitFor()
    await enter(page, 'Title')
    await page.getByRole('columnheader', { name: 'Title' }).and(page.locator('[aria-sort=ascending]')).waitFor()
    await enter(page, 'Columns', 'Shift+Tab')
    const columns = page.getByRole('dialog', { name: 'Columns' })
    await columns.waitFor()
    await goTo(page, 'Minutes')
    await keyboard.press('Space')
    await page.waitForURL(/columns=status%2CupdatedAt%2Cminutes/)
    await enter(page, 'Move Minutes up', 'Shift+Tab')
    await keyboard.press('Escape')
    await columns.waitFor({ state: 'detached' })
    await page.waitForURL(/columns=status%2Cminutes%2CupdatedAt/)
    await enter(page, 'Filter', 'Shift+Tab')
    const filter = page.getByRole('dialog', { name: 'Filter' })
    await filter.waitFor()
    await enter(page, 'Add a condition')
    await goTo(page, 'Field', 'Shift+Tab')
    await keyboard.type('Minutes')
    await goTo(page, 'Value')
    await keyboard.type('7')
    await enter(page, 'Apply')
    await filter.waitFor({ state: 'detached' })
    await page.getByText('1 entry', { exact: true }).waitFor()
    await enter(page, 'Views')
    await page.getByRole('menuitem', { name: 'Save this view' }).waitFor()
    await keyboard.press('Enter')
    await page.getByRole('dialog', { name: 'Save this view' }).waitFor()
    await keyboard.type('Seven')
    await keyboard.press('Enter')
    await page.waitForURL(/view=/)
    await enter(page, 'Remove: Minutes')
    await page.getByText('12 entries').waitFor()
    await enter(page, 'Post 11')
    await isShown(page, 'Post 11')
    expect(await visit.takeFaults()).toEqual([])
  })

  test('entries are published after a dry run, and that is taken back', async () => {
    await using visit = await visitStudio(open, museumOf(12), { before: makeAccount, path: '/studio/c/posts' })
    const { page, service } = visit
    const { keyboard } = page
    const drafts = async () => (await service.content.as(SYSTEM).list('posts', { status: 'draft', limit: 0 })).total
    await signInByKeys(page)
    await page.getByText('12 entries').waitFor()
    await enter(page, 'Draft')
    await page.getByText('2 entries', { exact: true }).waitFor()
    await goTo(page, 'Select Post 10')
    await keyboard.press('Space')
    await goTo(page, 'Select Post 5')
    await keyboard.press('Shift+Space')
    await page.getByText('2 selected').waitFor()
    await enter(page, 'Publish')
    const dialog = page.getByRole('dialog', { name: 'Publish' })
    await dialog.getByText('2 entries will change.').waitFor()
    expect(await drafts()).toBe(2)
    await enter(page, 'Publish (2)')
    await dialog.waitFor({ state: 'detached' })
    await page.getByText('2 entries changed.').waitFor()
    expect(await drafts()).toBe(0)
    await enter(page, 'Undo', 'Shift+Tab')
    await page.getByText('All is as it was.').waitFor()
    expect(await drafts()).toBe(2)
    expect(await visit.takeFaults()).toEqual([])
  })

  test('a file is uploaded, described and deleted', async () => {
    await using visit = await visitStudio(open, gallery, { before: makeAccount, path: '/studio/assets' })
    const { page, service } = visit
    const { keyboard } = page
    const files = async () => (await service.content.list('assets', {})).items
    await signInByKeys(page)
    await isShown(page, 'Files')
    const chosen = page.waitForEvent('filechooser')
    await enter(page, 'Upload')
    await (await chosen).setFiles(pictureFile('harbour.png'))
    await page.getByText('1 of 1 uploaded').waitFor()
    await enter(page, 'harbour.png')
    await isShown(page, 'harbour.png')
    await goTo(page, 'Alt text')
    await keyboard.type('Boats at noon')
    await enter(page, 'Save', 'Shift+Tab')
    await page.getByText('Saved', { exact: true }).waitFor()
    expect((await files()).map(({ alt }) => alt)).toEqual(['Boats at noon'])
    await enter(page, 'Delete', 'Shift+Tab')
    await page.getByRole('dialog', { name: 'Delete this file?' }).waitFor()
    await enter(page, 'Delete')
    await isShown(page, 'Files')
    await expect.poll(files).toEqual([])
    expect(await visit.takeFaults()).toEqual([])
  })

  test('accounts get roles, and are banned and let in again', async () => {
    await using visit = await visitStudio(open, managed, { before: (service) => makeAdministrator(service, CONFIG) })
    const { page } = visit
    const { keyboard } = page
    await signInByKeys(page)
    await isShown(page, 'Overview')
    // It is asked for who may see it.
    await page.getByRole('main').getByRole('link', { name: 'Accounts' }).waitFor()
    await enter(page, 'Accounts')
    await isShown(page, 'Accounts')
    await enter(page, 'Create an account')
    const form = page.getByRole('dialog', { name: 'Create an account' })
    await form.waitFor()
    await keyboard.type(TOMASZ.name)
    await keyboard.press('Tab')
    await keyboard.type(TOMASZ.email)
    await enter(page, 'Create an account')
    await page.getByRole('dialog', { name: 'The account is created' }).waitFor()
    await enter(page, 'Close')
    await page.getByText(TOMASZ.email).waitFor()
    await enter(page, 'Roles of Tomasz')
    await page.getByRole('dialog', { name: 'Roles of Tomasz' }).waitFor()
    await keyboard.press('ControlOrMeta+a')
    await keyboard.type('editor')
    await enter(page, 'Save')
    await page.getByText('tomasz@example.org · editor').waitFor()
    await enter(page, 'Ban Tomasz')
    await page.getByRole('dialog', { name: 'Ban Tomasz?' }).waitFor()
    await enter(page, 'Ban')
    await page.getByText('banned', { exact: true }).waitFor()
    await enter(page, 'Lift the ban of Tomasz')
    await page.getByText('banned', { exact: true }).waitFor({ state: 'detached' })
    expect(await visit.takeFaults()).toEqual([])
  })

  test('what a webhook did not take is sent again', async () => {
    await using visit = await visitStudio(open, withUnreachableWebhook(), { before: makeAccount })
    const { page, service } = visit
    await signInByKeys(page)
    await isShown(page, 'Overview')
    await service.content.as(SYSTEM).create('authors', { name: 'Ann' })
    await page.getByRole('main').getByRole('link', { name: 'Webhooks' }).waitFor()
    await enter(page, 'Webhooks')
    await isShown(page, 'Webhooks')
    await page.getByText('1 is sent again', { exact: false }).waitFor()
    await enter(page, 'Send again')
    await page.getByText('They are sent again soon').waitFor()
    expect(await visit.takeFaults()).toEqual([])
  })
})
