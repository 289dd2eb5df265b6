import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type OpenBrowser, openBrowser } from '../../../client/test/support/browser.ts'
import { isShown, makeAdministrator, signIn } from '../support/people.ts'
import { visitStudio } from '../support/visit.ts'
import invites from './invite.config.ts'

let open: OpenBrowser
beforeAll(async () => {
  open = await openBrowser()
}, 120_000)
afterAll(() => open[Symbol.asyncDispose]())

const CONFIG = new URL('invite.config.ts', import.meta.url)
const visit = (path: string) =>
  visitStudio(open, invites, { path, before: (service) => makeAdministrator(service, CONFIG) })

describe('invitations', () => {
  test('let people create an account by a link, with their own name and password', async () => {
    await using admin = await visit('/studio/accounts')
    const { page, url } = admin
    await signIn(page)
    await isShown(page, 'Accounts')
    await page.getByText('No open invitations.').waitFor()
    await page.getByRole('button', { name: 'Invite a person' }).click()
    const form = page.getByRole('dialog', { name: 'Invite a person' })
    await form.getByLabel('E-mail address').fill('tomasz@example.org')
    await form.getByLabel('Roles').fill('editor')
    await form.getByLabel('Valid for').selectOption('30 days')
    await admin.shoot('invite')
    expect(await admin.axeFaults()).toEqual([])
    await form.getByRole('button', { name: 'Create link' }).focus()
    await page.keyboard.press('Enter')
    const shown = page.getByRole('dialog', { name: 'The invitation is ready' })
    const link = (await shown.locator('code').textContent()) ?? ''
    expect(link).toMatch(new RegExp(`^${url}/studio#email=tomasz%40example.org&invitation=[\\w-]{43}$`))
    await shown.getByRole('button', { name: 'Close' }).click()
    await page.getByText('tomasz@example.org').waitFor()
    await admin.shoot('invitations')
    expect(await admin.axeFaults()).toEqual([])

    const tab = await open.browser.newContext({ locale: 'en-GB' })
    const invited = await tab.newPage()
    await invited.goto(link)
    await invited.getByText('You have been invited as tomasz@example.org.').waitFor()
    await invited.getByLabel('Name').fill('Tomasz')
    await invited.getByLabel('Password').fill('one of my own choice')
    await invited.getByRole('button', { name: 'Create an account' }).click()
    await isShown(invited, 'Overview')
    expect(new URL(invited.url()).hash).toBe('')
    await tab.close()

    await page.reload()
    await page.getByText('No open invitations.').waitFor()
    await page.getByText('Tomasz', { exact: true }).waitFor()
    expect(await admin.takeFaults()).toEqual([])
  })

  test('can be withdrawn; their links then create no account', async () => {
    await using admin = await visit('/studio/accounts')
    const { page } = admin
    await signIn(page)
    await page.getByRole('button', { name: 'Invite a person' }).click()
    const form = page.getByRole('dialog', { name: 'Invite a person' })
    await form.getByLabel('E-mail address').fill('ines@example.org')
    await form.getByRole('button', { name: 'Create link' }).click()
    await form.getByText('This address is already used by another account.').waitFor()
    await form.getByLabel('E-mail address').fill('eve@example.org')
    await form.getByRole('button', { name: 'Create link' }).click()
    const shown = page.getByRole('dialog', { name: 'The invitation is ready' })
    const link = (await shown.locator('code').textContent()) ?? ''
    await shown.getByRole('button', { name: 'Close' }).click()
    await page.getByRole('button', { name: 'Withdraw invitation of eve@example.org' }).click()
    await page.getByText('No open invitations.').waitFor()
    const tab = await open.browser.newContext({ locale: 'en-GB' })
    const invited = await tab.newPage()
    await invited.goto(link)
    await invited.getByLabel('Name').fill('Eve')
    await invited.getByLabel('Password').fill('one of my own choice')
    await invited.getByRole('button', { name: 'Create an account' }).click()
    await invited.getByText('This invitation is not valid').waitFor()
    await tab.close()
    expect(await admin.takeFaults()).toEqual([])
  })
})

describe('access tokens', () => {
  test('are created for a purpose, shown once, and revoked', async () => {
    await using admin = await visit('/studio')
    const { page, service } = admin
    await signIn(page)
    await page.getByRole('link', { name: 'Access tokens' }).click()
    await isShown(page, 'Access tokens')
    await page.getByText('No tokens yet').waitFor()
    await page.getByRole('button', { name: 'Create a token' }).click()
    const form = page.getByRole('dialog', { name: 'Create a token' })
    await form.getByLabel('Name').fill('site build')
    await form.getByLabel('Permissions').selectOption('Certain collections')
    expect(await form.getByRole('button', { name: 'Create a token' }).isDisabled()).toBe(true)
    await form.getByRole('group', { name: 'Authors' }).getByLabel('create').check()
    await admin.shoot('create-token')
    expect(await admin.axeFaults()).toEqual([])
    await form.getByRole('button', { name: 'Create a token' }).click()
    const shown = page.getByRole('dialog', { name: 'The token was created' })
    const token = (await shown.locator('code').textContent()) ?? ''
    await shown.getByRole('button', { name: 'Close' }).click()
    const write = (): Promise<Response> =>
      service.request('/api/authors', {
        method: 'POST',
        headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
        body: JSON.stringify({ name: 'By a program' }),
      })
    expect((await write()).status).toBe(201)
    await page.getByText('authors:create').waitFor()
    await admin.shoot('tokens')
    expect(await admin.axeFaults()).toEqual([])
    await page.getByRole('button', { name: 'Create a token' }).click()
    await form.getByLabel('Name').fill('site build')
    await form.getByRole('button', { name: 'Create a token' }).click()
    await form.getByText('This name is already used by another token.').waitFor()
    await form.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('button', { name: 'Revoke site build' }).click()
    await page.getByRole('dialog', { name: 'Revoke site build?' }).getByRole('button', { name: 'Revoke' }).click()
    await page.getByText('No tokens yet').waitFor()
    expect((await write()).status).toBe(401)
    expect(await admin.takeFaults()).toEqual([])
  })
})
