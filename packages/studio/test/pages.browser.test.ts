import { ANONYMOUS, type DaybookConfig } from 'daybook'
import { webhooks } from 'daybook/plugins'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type OpenBrowser, openBrowser } from '../../client/test/support/browser.ts'
import { gallery, pictureFile } from './assets/support.ts'
import managed from './overview/accounts.config.ts'
import { museumOf } from './support/configs.ts'
import { INPUT_DEVICES } from './support/input-devices.ts'
import { INES, isShown, makeAccount, makeAdministrator, TOMASZ } from './support/people.ts'
import { type Visit, type VisitOptions, visitStudio } from './support/visit.ts'

const SECRETS = ['whsec_b25seSBmb3IgdHJ5aW5nIHRoaW5ncyBvdXQsIG5vdCBmb3IgdXNl']

/** The museum with a webhook whose port has no listener, so that each delivery fails. */
function withUnreachableWebhook(): DaybookConfig {
  const base = museumOf(0)
  const site = { url: 'http://127.0.0.1:9/', secrets: SECRETS, allowPrivate: true }
  return { ...base, plugins: [...(base.plugins ?? []), webhooks({ endpoints: { site }, access: () => true })] }
}

const CONFIG = new URL('overview/accounts.config.ts', import.meta.url)

let open: OpenBrowser
beforeAll(async () => {
  open = await openBrowser()
}, 120_000)
afterAll(() => open[Symbol.asyncDispose]())

/** Signs in from elsewhere. Returns the status. */
async function logIn({ service }: Visit, account: object): Promise<number> {
  const response = await service.request('/api/cms/auth/actions/login', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(account),
  })
  return response.status
}

/** Expects that the page is no wider than the screen, and that no script failed. */
async function expectSound(visit: Visit): Promise<void> {
  const [screen = 0, ...widths] = await visit.page.evaluate<readonly number[]>(
    "[innerWidth, ...[document.documentElement, document.querySelector('main')].map((part) => part?.scrollWidth ?? 0)]",
  )
  expect(Math.max(...widths)).toBeLessThanOrEqual(screen)
  expect(await visit.takeFaults()).toEqual([])
}

describe.each(INPUT_DEVICES)('by $name', (device) => {
  const { activate, choose, select, tick, write } = device

  const visitSignedOut = (config: Parameters<typeof visitStudio>[1], options: VisitOptions): Promise<Visit> =>
    visitStudio(open, config, { ...device.screen, ...options })

  async function signIn(page: Page): Promise<void> {
    await isShown(page, 'Sign in')
    await write(page, 'E-mail address', INES.email)
    await write(page, 'Password', INES.password)
    await activate(page, 'Sign in')
  }

  test('a list is opened, searched, filtered, given columns and saved as a view', async () => {
    await using visit = await visitSignedOut(museumOf(12), { before: makeAccount })
    const { page } = visit
    await signIn(page)
    await isShown(page, 'Overview')
    if (device.name === 'touch') {
      await activate(page, 'Open navigation')
      await page.getByRole('dialog', { name: 'Navigation' }).waitFor()
      expect(await visit.axeFaults()).toEqual([])
    }
    await activate(page, 'Posts')
    await isShown(page, 'Posts')
    await page.getByText('12 entries').waitFor()
    await write(page, 'Search Posts', 'post 1')
    await page.getByText('4 entries').waitFor()
    await write(page, 'Search Posts', ' ')
    await page.getByText('12 entries').waitFor()
    if (device.name === 'keyboard') {
      await activate(page, 'Title')
      await page.getByRole('columnheader', { name: 'Title' }).and(page.locator('[aria-sort=ascending]')).waitFor()
    }
    await activate(page, 'Columns')
    const columns = page.getByRole('dialog', { name: 'Columns' })
    await columns.waitFor()
    await tick(page, 'Minutes')
    await page.waitForURL(/columns=status%2CupdatedAt%2Cminutes/)
    await activate(page, 'Move Minutes up')
    await page.waitForURL(/columns=status%2Cminutes%2CupdatedAt/)
    await page.keyboard.press('Escape')
    await columns.waitFor({ state: 'detached' })
    await activate(page, 'Add filter')
    await write(page, 'Find a field', 'Minutes')
    await activate(page, 'Minutes')
    const filter = page.getByRole('dialog', { name: 'Minutes' })
    await filter.waitFor()
    await write(page, 'Value', '7')
    await activate(page, 'Done')
    await filter.waitFor({ state: 'detached' })
    await page.getByText('1 entry', { exact: true }).waitFor()
    await expectSound(visit)
    await activate(page, 'Views')
    await choose(page, 'Save view')
    await page.getByRole('dialog', { name: 'Save view' }).waitFor()
    await write(page, 'Name', 'Seven')
    await activate(page, 'Save')
    await page.waitForURL(/view=/)
    await activate(page, 'Remove: Minutes')
    await page.getByText('12 entries').waitFor()
    await activate(page, 'Post 11')
    await isShown(page, 'Post 11')
    await expectSound(visit)
  })

  test('entries are published after a dry run, and unpublished by undo', async () => {
    await using visit = await visitSignedOut(museumOf(12), { as: INES, path: '/studio/c/posts' })
    const { page, service } = visit
    const countDrafts = async () => (await service.content.list('posts', { status: 'draft', limit: 0 })).total
    await page.getByText('12 entries').waitFor()
    await activate(page, 'Draft')
    await page.getByText('2 entries', { exact: true }).waitFor()
    await tick(page, 'Select Post 10')
    await tick(page, 'Select Post 5')
    await page.getByText('2 selected').waitFor()
    expect(await visit.axeFaults()).toEqual([])
    await activate(page, 'Publish')
    const dialog = page.getByRole('dialog', { name: 'Publish' })
    await dialog.getByText('2 entries will change.').waitFor()
    expect(await countDrafts()).toBe(2)
    await activate(page, 'Publish (2)')
    await dialog.waitFor({ state: 'detached' })
    await page.getByText('2 entries changed.').waitFor()
    expect(await countDrafts()).toBe(0)
    await activate(page, 'Undo')
    await page.getByText('Change undone').waitFor()
    expect(await countDrafts()).toBe(2)
    await expectSound(visit)
  })

  test('a file is uploaded, described and deleted', async () => {
    await using visit = await visitSignedOut(gallery, { as: INES, path: '/studio/assets' })
    const { page, service } = visit
    const listFiles = async () => (await service.content.as(ANONYMOUS).list('assets', {})).items
    await isShown(page, 'Files')
    const chooser = page.waitForEvent('filechooser')
    await activate(page, 'Upload')
    await (await chooser).setFiles(pictureFile('harbour.png'))
    await page.getByText('1 of 1 uploaded').waitFor()
    await page.getByRole('main').getByRole('link', { name: 'harbour.png' }).first().waitFor()
    await activate(page, 'harbour.png')
    await isShown(page, 'harbour.png')
    await write(page, 'Alt text', 'Boats at noon')
    await activate(page, 'Save')
    await page.getByText('Saved', { exact: true }).waitFor()
    expect((await listFiles()).map(({ alt }) => alt)).toEqual(['Boats at noon'])
    await activate(page, 'Delete')
    await page.getByRole('dialog', { name: 'Delete this file?' }).waitFor()
    await activate(page, 'Delete')
    await isShown(page, 'Files')
    await expect.poll(listFiles).toEqual([])
    await expectSound(visit)
  })

  test('accounts get roles, are banned and unbanned', async () => {
    const before = (service: Parameters<typeof makeAdministrator>[0]) => makeAdministrator(service, CONFIG)
    await using visit = await visitSignedOut(managed, { before, path: '/studio/accounts' })
    const { page } = visit
    await signIn(page)
    await isShown(page, 'Accounts')
    await activate(page, 'Create an account')
    await page.getByRole('dialog', { name: 'Create an account' }).waitFor()
    await write(page, 'Name', TOMASZ.name)
    await write(page, 'E-mail address', TOMASZ.email)
    await activate(page, 'Create an account')
    await page.getByRole('dialog', { name: 'The account was created' }).waitFor()
    await activate(page, 'Close')
    await page.getByText(TOMASZ.email).waitFor()
    await activate(page, 'Roles of Tomasz')
    await page.getByRole('dialog', { name: 'Roles of Tomasz' }).waitFor()
    await write(page, 'Roles', 'editor')
    await activate(page, 'Save')
    await page.getByText('tomasz@example.org · editor').waitFor()
    await activate(page, 'New password for Tomasz')
    await page.getByRole('dialog', { name: 'New password for Tomasz' }).waitFor()
    await page.getByText('All sessions of the account end.', { exact: false }).waitFor()
    await activate(page, 'New password')
    const replaced = page.getByRole('dialog', { name: 'The password was replaced' })
    const password = await replaced.locator('code').textContent()
    await activate(page, 'Close')
    expect(await logIn(visit, { email: TOMASZ.email, password })).toBe(200)
    await activate(page, 'Ban Tomasz')
    await page.getByRole('dialog', { name: 'Ban Tomasz?' }).waitFor()
    await activate(page, 'Ban')
    await page.getByText('banned', { exact: true }).waitFor()
    await activate(page, 'Lift the ban of Tomasz')
    await page.getByText('banned', { exact: true }).waitFor({ state: 'detached' })
    await expectSound(visit)
  })

  test('administrators find each page in the navigation, undo a change in the audit, and change their password', async () => {
    const before = (service: Parameters<typeof makeAdministrator>[0]) => makeAdministrator(service, CONFIG)
    await using visit = await visitSignedOut(managed, { before })
    const { page, service } = visit
    await signIn(page)
    await isShown(page, 'Overview')
    const go = async (name: string): Promise<void> => {
      if (device.name === 'touch') await activate(page, 'Open navigation')
      await page.getByRole('link', { name, exact: true }).waitFor()
      await activate(page, name)
      await isShown(page, name)
    }
    await go('Settings')
    await page.getByText('better-auth').waitFor()
    await visit.shoot('settings')
    expect(await visit.axeFaults()).toEqual([])
    await go('Roles')
    await page.getByText('1 account: Inés').waitFor()
    await visit.shoot('roles')
    expect(await visit.axeFaults()).toEqual([])

    const { id } = await service.content.create('authors', { name: 'Ann' })
    await service.content.update('authors', id, { name: 'Anne' })
    await go('Audit')
    await page.getByText('Changed ·').first().waitFor()
    await visit.shoot('audit')
    expect(await visit.axeFaults()).toEqual([])
    await select(page, 'Action', 'Created')
    await expect.poll(() => page.getByRole('listitem').filter({ hasText: 'Changed ·' }).count()).toBe(0)
    expect(new URL(page.url()).search).toBe('?action=create')
    await activate(page, 'Reset')
    await page.getByText('Changed ·').first().waitFor()
    await page
      .getByRole('button', { name: /^Undo change/ })
      .first()
      .waitFor()
    const name = await page
      .getByRole('button', { name: /^Undo change/ })
      .first()
      .getAttribute('aria-label')
    await activate(page, name ?? '')
    await page.getByText('1 document changes.').waitFor()
    await visit.shoot('audit-undo')
    expect(await visit.axeFaults()).toEqual([])
    await activate(page, 'Undo')
    await expect.poll(async () => (await service.content.get('authors', id))?.name).toBe('Ann')
    await page.getByText('Change undone').waitFor()

    expect(await logIn(visit, { email: INES.email, password: INES.password })).toBe(200)
    await activate(page, 'Inés')
    await choose(page, 'Profile')
    await isShown(page, 'Profile')
    await page.getByText('You are also signed in in another browser.').waitFor()
    await write(page, 'Name', 'Inés M.')
    await activate(page, 'Save')
    await page.getByText('Saved').waitFor()
    await visit.shoot('profile')
    expect(await visit.axeFaults()).toEqual([])
    await write(page, 'Current password', 'not the right one')
    await write(page, 'New password', 'a new one of mine')
    await activate(page, 'Change password')
    await page.getByText('The current password is incorrect').waitFor()
    await write(page, 'Current password', INES.password)
    await activate(page, 'Change password')
    await page.getByText('You are signed in here only.').waitFor()
    await expectSound(visit)
  })

  test('a failed delivery of a webhook is sent again', async () => {
    await using visit = await visitSignedOut(withUnreachableWebhook(), { as: INES })
    const { page, service } = visit
    await isShown(page, 'Overview')
    await service.content.create('authors', { name: 'Ann' })
    if (device.name === 'touch') await activate(page, 'Open navigation')
    await page.getByRole('link', { name: 'Webhooks' }).waitFor()
    await activate(page, 'Webhooks')
    await isShown(page, 'Webhooks')
    await page.getByText('1 delivery is retried', { exact: false }).waitFor()
    await activate(page, 'Send again')
    await page.getByText('Will be sent again soon').waitFor()
    await expectSound(visit)
  })
})
