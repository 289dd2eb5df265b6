import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { DaybookConfig } from 'daybook'
import { webhooks } from 'daybook/plugins'
import type { TestService } from 'daybook/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type OpenBrowser, openBrowser } from '../../../client/test/support/browser.ts'
import { museumOf } from '../support/configs.ts'
import { INES, isShown, makeAccount, makeAdministrator, signIn } from '../support/people.ts'
import { visitStudio } from '../support/visit.ts'
import managed from './accounts.config.ts'

let open: OpenBrowser
beforeAll(async () => {
  open = await openBrowser()
}, 120_000)
afterAll(() => open[Symbol.asyncDispose]())

async function send(
  service: TestService,
  path: string,
  token: string,
  body: object,
  method = 'POST',
): Promise<Response> {
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }
  return service.request(path, { method, headers, body: JSON.stringify(body) })
}

const CONFIG = new URL('accounts.config.ts', import.meta.url)

async function getRoles(service: TestService, account: object): Promise<readonly string[] | number> {
  const response = await service.request('/api/cms/auth/actions/login', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(account),
  })
  if (!response.ok) return response.status
  return ((await response.json()) as { readonly identity: { readonly roles: readonly string[] } }).identity.roles
}

async function signInAsInes(service: TestService): Promise<string> {
  const response = await service.request('/api/cms/auth/actions/login', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ email: INES.email, password: INES.password }),
  })
  return ((await response.json()) as { readonly token: string }).token
}

describe('the overview', () => {
  test('shows recent changes, my drafts, schedules, and live changes by others', async () => {
    await using visit = await visitStudio(open, museumOf(20), {
      before: async (service) => {
        await makeAccount(service)
        const token = await signInAsInes(service)
        const { items } = await service.content.list('posts', { select: ['title'], limit: 2 })
        const [draft, planned] = items
        await send(service, `/api/posts/${draft?.id}?draft=true`, token, { title: 'Half a thought' }, 'PATCH')
        const publishAt = '2099-05-01T10:00:00.000Z'
        await send(service, `/api/posts/${planned?.id}?draft=true`, token, { title: 'For the first of May' }, 'PATCH')
        await send(service, `/api/posts/${planned?.id}/publish`, token, { publishAt })
      },
    })
    const { page, service } = visit
    await signIn(page)
    await isShown(page, 'Overview')
    const section = (name: string) => page.getByRole('heading', { name, level: 2 }).locator('..')
    await section('Recent changes').getByRole('link', { name: 'Half a thought' }).waitFor()
    await section('My drafts').getByRole('link', { name: 'Half a thought' }).waitFor()
    await section('Scheduled').getByRole('link', { name: 'For the first of May' }).waitFor()
    await section('Scheduled').getByText('1 May 2099', { exact: false }).waitFor()
    await visit.shoot('overview')
    expect(await visit.axeFaults()).toEqual([])
    await service.content.create('authors', { name: 'Somebody new' })
    await section('Recent changes').getByRole('link', { name: 'Somebody new' }).waitFor()
    await page.getByRole('link', { name: 'New entry in Authors' }).click()
    await isShown(page, 'New entry')
    expect(await visit.takeFaults()).toEqual([])
  })

  test('lets administrators create and ban accounts and set their roles', async () => {
    await using visit = await visitStudio(open, managed, { before: (service) => makeAdministrator(service, CONFIG) })
    const { page, service } = visit
    await signIn(page)
    await page.getByRole('link', { name: 'Accounts' }).click()
    await isShown(page, 'Accounts')
    await page.getByText('ines@example.org').waitFor()
    await page.getByRole('button', { name: 'Create an account' }).click()
    const form = page.getByRole('dialog', { name: 'Create an account' })
    await form.getByLabel('Name').fill('Eve')
    await form.getByLabel('E-mail address').fill('eve@example.org')
    await form.getByLabel('Roles').fill('author')
    await form.getByRole('button', { name: 'Create an account' }).click()
    const shown = page.getByRole('dialog', { name: 'The account was created' })
    const password = (await shown.locator('code').textContent()) ?? ''
    await visit.shoot('account-created')
    expect(await visit.axeFaults()).toEqual([])
    await shown.getByRole('button', { name: 'Close' }).click()
    const eve = { email: 'eve@example.org', password }
    expect(await getRoles(service, eve)).toEqual(['author'])
    await page.getByRole('button', { name: 'Roles of Eve' }).click()
    const roles = page.getByRole('dialog', { name: 'Roles of Eve' })
    // The dialog offers the role of the new account once it has read the roles of all accounts.
    await roles.getByRole('checkbox', { name: 'author' }).waitFor()
    await roles.getByRole('textbox', { name: 'Roles' }).fill('editor, author')
    // An expired session keeps the page open; the pending request continues after the next sign-in.
    await page.context().clearCookies()
    await roles.getByRole('button', { name: 'Save' }).click()
    const again = page.getByRole('dialog', { name: 'Your session has ended' })
    await signIn(again)
    await again.waitFor({ state: 'detached' })
    await roles.waitFor({ state: 'detached' })
    await page.getByText('editor, author').waitFor()
    expect(await getRoles(service, eve)).toEqual(['editor', 'author'])
    await page.getByRole('button', { name: 'Ban Eve' }).click()
    await page.getByRole('dialog', { name: 'Ban Eve?' }).getByRole('button', { name: 'Ban' }).click()
    await page.getByRole('button', { name: 'Lift the ban of Eve' }).waitFor()
    await visit.shoot('accounts')
    expect(await visit.axeFaults()).toEqual([])
    expect(await getRoles(service, eve)).toBe(403)
    await page.getByRole('searchbox').fill('nobody@')
    await page.getByText('No account has this address.').waitFor()
    await page.getByRole('searchbox').fill('eve@')
    await page.getByRole('button', { name: 'Lift the ban of Eve' }).click()
    await page.getByRole('button', { name: 'Ban Eve' }).waitFor()
    // An e-mail address can have only one account.
    await page.getByRole('button', { name: 'Create an account' }).click()
    await form.getByLabel('Name').fill('Eve again')
    await form.getByLabel('E-mail address').fill('eve@example.org')
    await form.getByRole('button', { name: 'Create an account' }).click()
    await form.getByText('This address is already used by another account.').waitFor()
    expect(await visit.takeFaults()).toEqual([])
  })

  test('hides accounts and webhooks from other users', async () => {
    await using visit = await visitStudio(open, museumOf(1), { as: INES })
    const { page } = visit
    await page.getByRole('link', { name: 'Post 1', exact: true }).waitFor()
    expect(await page.getByRole('link', { name: /Accounts|Webhooks/ }).count()).toBe(0)
    await page.goto(`${visit.url}/studio/accounts`)
    await page.getByText('You are not allowed to do this.').waitFor()
    expect(await visit.takeFaults()).toEqual([])
  })

  test('lists failed webhook deliveries and sends them again', async () => {
    let isUp = false
    const received: string[] = []
    const receiver = createServer((request, response) => {
      received.push(String(request.headers['webhook-id']))
      response.writeHead(isUp ? 204 : 500).end()
    })
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
    const { port } = receiver.address() as AddressInfo
    const secrets = ['whsec_b25seSBmb3IgdHJ5aW5nIHRoaW5ncyBvdXQsIG5vdCBmb3IgdXNl']
    const base = museumOf(0)
    const config: DaybookConfig = {
      ...base,
      plugins: [
        ...(base.plugins ?? []),
        webhooks({
          endpoints: { site: { url: `http://127.0.0.1:${port}/`, secrets, allowPrivate: true } },
          access: () => true,
        }),
      ],
    }
    try {
      await using visit = await visitStudio(open, config, { as: INES })
      const { page, service } = visit
      await service.content.create('authors', { name: 'Ann' })
      await expect.poll(() => received.length).toBeGreaterThan(0)
      await page.getByRole('link', { name: 'Webhooks' }).click()
      await isShown(page, 'Webhooks')
      await page.getByText('1 delivery is retried', { exact: false }).waitFor()
      // A slow machine may have made more than one attempt by now.
      await page.getByText(/\d+ attempts?/).waitFor()
      await visit.shoot('webhooks')
      expect(await visit.axeFaults()).toEqual([])
      isUp = true
      const before = received.length
      await page.getByRole('button', { name: 'Send again' }).click()
      await expect.poll(() => received.length).toBeGreaterThan(before)
      expect(await visit.takeFaults()).toEqual([])
    } finally {
      receiver.close()
    }
  })
})
