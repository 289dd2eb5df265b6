import { ANONYMOUS } from 'daybook'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type OpenBrowser, openBrowser } from '../../client/test/support/browser.ts'
import { museum, museumOf } from './support/configs.ts'
import { INES, isSaved, isShown, makeAccount } from './support/people.ts'
import { visitStudio } from './support/visit.ts'

let open: OpenBrowser
beforeAll(async () => {
  open = await openBrowser()
}, 120_000)
afterAll(() => open[Symbol.asyncDispose]())

describe('the Studio in a browser', () => {
  test('creates the first account, changes and publishes a title, and signs out', async () => {
    await using visit = await visitStudio(open, museumOf(120))
    const { page, service } = visit
    await isShown(page, 'Sign in')
    await visit.shoot('sign-in')
    expect(await visit.axeFaults()).toEqual([])
    await page.getByRole('button', { name: 'No account yet? Create one' }).click()
    await page.getByLabel('Name').fill(INES.name)
    await page.getByLabel('E-mail address').fill(INES.email)
    await page.getByLabel('Password').fill(INES.password)
    await page.getByRole('button', { name: 'Create an account' }).click()
    await isShown(page, 'Overview')
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
    await isSaved(page)
    await page.getByRole('button', { name: 'Publish' }).click()
    const findPublished = async () =>
      (await service.content.as(ANONYMOUS).list('posts', { q: 'ink', select: ['title'] })).items
    await expect.poll(async () => (await findPublished()).map(({ title }) => title)).toEqual(['Ink and paper'])
    await page.getByRole('button', { name: 'Inés', exact: true }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await isShown(page, 'Sign in')
    expect(await visit.takeFaults()).toEqual([])
  })

  test('moves through a list by arrow keys, and restores the focus on return', async () => {
    await using visit = await visitStudio(open, museumOf(60), { as: INES, path: '/studio/c/posts' })
    const { page } = visit
    const { keyboard } = page
    await page.getByRole('link', { name: 'Post 60', exact: true }).focus()
    await keyboard.press('ArrowDown')
    await keyboard.press('ArrowDown')
    await keyboard.press('Enter')
    await isShown(page, 'Post 58')
    expect(await page.evaluate<string>('document.activeElement.textContent')).toBe('Post 58')
    // The same as Alt+Left in a browser with a window.
    await page.goBack()
    await isShown(page, 'Posts')
    await page.locator('a:focus', { hasText: 'Post 58' }).waitFor()
    expect(await visit.takeFaults()).toEqual([])
  })

  test('signs in again over the page when the session has expired, then completes the request', async () => {
    await using visit = await visitStudio(open, museumOf(3), { as: INES, path: '/studio/g/site' })
    const { page, service } = visit
    await isShown(page, 'Site')
    await page.getByLabel('Site name').fill('The new museum')
    await page.context().clearCookies()
    await page.getByRole('button', { name: 'Save' }).click()
    const dialog = page.getByRole('dialog', { name: 'Your session has ended' })
    await dialog.waitFor()
    await visit.shoot('sign-in-again')
    expect(await visit.axeFaults()).toEqual([])
    await dialog.getByLabel('E-mail address').fill(INES.email)
    await dialog.getByLabel('Password').fill('not the one')
    await dialog.getByRole('button', { name: 'Sign in', exact: true }).click()
    await dialog.getByText('The e-mail address or the password is incorrect.').waitFor()
    await dialog.getByLabel('Password').fill(INES.password)
    await dialog.getByRole('button', { name: 'Sign in', exact: true }).click()
    await isSaved(page)
    expect(await service.content.as(ANONYMOUS).readGlobal('site')).toMatchObject({ siteName: 'The new museum' })
    expect(await visit.takeFaults()).toEqual([])
  })

  test('signs in with a token if there are no accounts', async () => {
    const auth = {
      getCapabilities: () => ({ provider: 'elsewhere', providerRoutes: { enabled: false } }),
      getPrincipal: async () => null,
      getIdentity: async () => null,
    }
    await using visit = await visitStudio(open, { ...museum, auth })
    const { page, service } = visit
    await page.getByLabel('Access token').fill('of nobody')
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByText('This token is unknown or has expired.').waitFor()
    await page.getByLabel('Access token').fill(service.token)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await isShown(page, 'Overview')
    await page.reload()
    await isShown(page, 'Overview')
    expect(await visit.takeFaults()).toEqual([])
  })

  test('creates an entry, shows issues at their fields, and shows changes by others', async () => {
    await using visit = await visitStudio(open, museum, { as: INES, path: '/studio/c/posts' })
    const { page, service } = visit
    await page.getByText('No entries yet').waitFor()
    await visit.shoot('list-empty')
    expect(await visit.axeFaults()).toEqual([])
    await page.getByRole('link', { name: 'New entry' }).first().click()
    await isShown(page, 'New entry')
    await page.getByLabel('Title').fill('Hello')
    await page.getByRole('textbox', { name: 'Link' }).fill('no address')
    await page.getByText('Some fields need your attention.').waitFor()
    await visit.shoot('entry-faults')
    expect(await visit.axeFaults()).toEqual([])
    expect(await page.getByRole('textbox', { name: 'Link' }).getAttribute('aria-invalid')).toBe('true')
    await page.getByRole('textbox', { name: 'Link' }).fill('https://example.org')
    await isSaved(page)
    await page.waitForURL(/\/c\/posts\/[0-9a-f-]{36}$/)
    await page.getByRole('main').getByRole('link', { name: 'Posts' }).click()
    await page.getByRole('link', { name: 'Hello', exact: true }).waitFor()
    const [entry] = (await service.content.list('posts')).items
    await service.content.update('posts', String(entry?.id), { title: 'Hello from afar' })
    await page.getByRole('link', { name: 'Hello from afar' }).waitFor()
    expect(await visit.takeFaults()).toEqual([])
  })

  test('asks before unsaved changes are abandoned, and finds entries by their words', async () => {
    await using visit = await visitStudio(open, museumOf(12), { as: INES, path: '/studio/c/authors' })
    const { page } = visit
    await page.getByRole('link', { name: 'Inés Prado' }).click()
    await page.getByLabel('Name').fill('Inés')
    await page.getByRole('navigation').getByRole('link', { name: 'Authors' }).click()
    await page.getByRole('dialog', { name: 'Leave without saving?' }).waitFor()
    await visit.shoot('leave')
    await page.getByRole('button', { name: 'Stay' }).click()
    expect(await page.getByLabel('Name').inputValue()).toBe('Inés')
    await page.getByRole('navigation').getByRole('link', { name: 'Authors' }).click()
    await page.getByRole('button', { name: 'Leave' }).click()
    await isShown(page, 'Authors')
    await page.getByRole('searchbox').fill('nobody')
    await page.getByText('Nothing found').waitFor()
    await page.waitForURL(/\/c\/authors\?q=nobody$/)
    await visit.shoot('list-none-found')
    expect(await visit.takeFaults()).toEqual([])
  })

  test('is German in a German browser, and remembers the chosen language and theme', async () => {
    await using visit = await visitStudio(open, museumOf(3), { before: makeAccount, locale: 'de-DE' })
    const { page } = visit
    await page.getByLabel('E-Mail-Adresse').fill(INES.email)
    await page.getByLabel('Passwort').fill(INES.password)
    await page.getByRole('button', { name: 'Anmelden', exact: true }).click()
    await isShown(page, 'Übersicht')
    await page.getByRole('button', { name: 'Inés', exact: true }).click()
    await visit.shoot('account-menu')
    await page.getByRole('menuitemradio', { name: 'Dunkel' }).click()
    await page.getByRole('button', { name: 'Inés', exact: true }).click()
    await page.getByRole('menuitemradio', { name: 'English' }).click()
    await isShown(page, 'Overview')
    await page.reload()
    await isShown(page, 'Overview')
    expect(await page.evaluate<string>('document.documentElement.dataset.theme')).toBe('dark')
    expect(await visit.takeFaults()).toEqual([])
  })

  test('starts in a browser with an invalid locale', async () => {
    const script = `for (const [key, value] of [['language', 'en-US@posix'], ['languages', ['en-US@posix']]])
      Object.defineProperty(navigator, key, { get: () => value })`
    await using visit = await visitStudio(open, museumOf(1), { as: INES, script })
    await isShown(visit.page, 'Overview')
    expect(await visit.takeFaults()).toEqual([])
  })

  test('creates the first administrator with the link that the start prints, once', async () => {
    const setup = 'the-secret-of-the-start'
    await using visit = await visitStudio(open, museumOf(1), {
      path: `/studio#setup=${setup}`,
      before: (service) => service.openSetup(setup),
    })
    const { page } = visit
    await isShown(page, 'Create the first account')
    await visit.shoot('first-run')
    expect(await visit.axeFaults()).toEqual([])
    await page.getByLabel('Name').fill(INES.name)
    await page.getByLabel('E-mail address').fill(INES.email)
    await page.getByLabel('Password').fill('short')
    await page.keyboard.press('Enter')
    await page.getByText('Password: ').waitFor()
    await page.getByLabel('Password').fill(INES.password)
    await page.keyboard.press('Enter')
    await isShown(page, 'Overview')
    expect(new URL(page.url()).hash).toBe('')
    expect(await visit.takeFaults()).toEqual([])

    const tab = await open.browser.newContext({ locale: 'de-DE' })
    const stranger = await tab.newPage()
    await stranger.goto(`${visit.url}/studio#setup=${setup}`)
    await isShown(stranger, 'Das erste Konto erstellen')
    await stranger.getByLabel('Name').fill('Eve')
    await stranger.getByLabel('E-Mail-Adresse').fill('eve@example.org')
    await stranger.getByLabel('Passwort').fill(INES.password)
    await stranger.keyboard.press('Enter')
    await stranger.getByText('Dieser Link wurde schon benutzt').waitFor()
    await tab.close()
  })

  test('shows a message if it cannot start', async () => {
    const script = "JSON.parse = () => { throw new Error('broken') }"
    await using visit = await visitStudio(open, museumOf(1), { script })
    await visit.page.getByRole('heading', { name: 'The Studio has not started' }).waitFor()
    expect(await visit.page.title()).toBe('The museum')
  })

  test('shows a message if its program does not load, or throws in its first render', async () => {
    await using visit = await visitStudio(open, museumOf(1), { as: INES })
    const { page, url } = visit
    await page.context().route('**/app/main.*.js', (route) => route.abort())
    await page.reload()
    await page.getByRole('heading', { name: 'The Studio has not started' }).waitFor()
    await visit.shoot('not-started')
    expect(await visit.axeFaults()).toEqual([])
    await page.context().unroute('**/app/main.*.js')
    await page.getByRole('link', { name: 'Reload' }).click()
    await isShown(page, 'Overview')

    await page.addInitScript("Intl.RelativeTimeFormat = () => { throw new Error('broken') }")
    await page.goto(`${url}/studio/c/posts`)
    await page.getByRole('heading', { name: 'The Studio has not started' }).waitFor()
    await page.context().addCookies([{ name: 'daybook-studio-language', value: 'de', url }])
    await page.reload()
    await page.getByRole('heading', { name: 'Das Studio ist nicht gestartet' }).waitFor()
  })

  test('shows the reason and a way to reload if the model cannot be fetched', async () => {
    await using visit = await visitStudio(open, museumOf(1), { as: INES })
    const { page } = visit
    await isShown(page, 'Overview')
    await page.context().route('**/api/cms/model*', (route) => route.fulfill({ status: 500, json: {} }))
    await page.reload()
    await page.getByRole('button', { name: 'Reload' }).waitFor()
    await page.context().unroute('**/api/cms/model*')
    await page.getByRole('button', { name: 'Reload' }).click()
    await isShown(page, 'Overview')
  })
})
