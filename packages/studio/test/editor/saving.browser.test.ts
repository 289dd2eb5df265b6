import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type OpenBrowser, openBrowser } from '../../../client/test/support/browser.ts'
import { museumOf } from '../support/configs.ts'
import { INES, isSaved, isShown, makeAccount, TOMASZ } from '../support/people.ts'
import { visitStudio } from '../support/visit.ts'
import { visitPost, WRITES } from './support/posts.ts'

let open: OpenBrowser
beforeAll(async () => {
  open = await openBrowser()
}, 120_000)
afterAll(() => open[Symbol.asyncDispose]())

describe('saving', () => {
  test('saves edits as a draft, and publishes them on request', async () => {
    await using visit = await visitPost(open)
    const { page } = visit
    await page.getByLabel('Title').fill('Ink')
    await isSaved(page)
    expect((await visit.stored()).title).toBe('Ink')
    expect((await visit.published()).title).toBe('Post 1')
    await page.getByText('Unpublished changes').waitFor()
    await visit.shoot('editor-draft')
    expect(await visit.axeFaults()).toEqual([])
    // Publishing saves unsaved edits first.
    await page.getByLabel('Minutes').fill('7')
    await page.getByRole('button', { name: 'Publish', exact: true }).click()
    await page.getByText('Unpublished changes').waitFor({ state: 'detached' })
    expect(await visit.published()).toMatchObject({ title: 'Ink', minutes: 7 })
    expect(await visit.takeFaults()).toEqual([])
  })

  test('undoes and redoes edits by keys and buttons, also after a save', async () => {
    await using visit = await visitPost(open)
    const { page } = visit
    const title = page.getByLabel('Title')
    await title.fill('Ink')
    await isSaved(page)
    await title.press('ControlOrMeta+z')
    expect(await title.inputValue()).toBe('Post 1')
    await isSaved(page)
    expect((await visit.stored()).title).toBe('Post 1')
    await title.press('ControlOrMeta+Shift+z')
    expect(await title.inputValue()).toBe('Ink')
    await page.getByRole('button', { name: 'Undo' }).click()
    expect(await title.inputValue()).toBe('Post 1')
    await page.getByRole('button', { name: 'Redo' }).click()
    await isSaved(page)
    expect((await visit.stored()).title).toBe('Ink')
    expect(await visit.takeFaults()).toEqual([])
  })

  test('creates a new entry once its title is complete, and changes the URL without moving the focus', async () => {
    await using visit = await visitStudio(open, museumOf(1), { as: INES, path: '/studio/c/posts' })
    const { page, service } = visit
    await page.getByRole('link', { name: 'New entry' }).first().click()
    await isShown(page, 'New entry')
    await visit.shoot('editor-new')
    expect(await visit.axeFaults()).toEqual([])
    const link = page.getByRole('textbox', { name: 'Link' })
    const created = Promise.withResolvers<void>()
    await page.route(WRITES, async (route) => {
      if (route.request().method() === 'POST') await created.promise
      await route.continue()
    })
    const createRequest = page.waitForRequest((request) => request.method() === 'POST' && WRITES.test(request.url()))
    await page.getByLabel('Title').pressSequentially('Oak galls')
    await link.focus()
    await createRequest
    await link.pressSequentially('https://example')
    created.resolve()
    await page.waitForURL(/\/c\/posts\/[0-9a-f-]{36}$/)
    await page.keyboard.type('.org')
    expect(await link.inputValue()).toBe('https://example.org')
    await isSaved(page)
    const id = page.url().split('/').at(-1) ?? ''
    const entry = await service.content.get('posts', id, { draft: true })
    expect(entry).toMatchObject({ title: 'Oak galls', slug: 'oak-galls', status: 'draft', link: 'https://example.org' })
    expect(await visit.takeFaults()).toEqual([])
  })

  test('recovers edits of a stored and of a new entry after a tab was killed before saving', async () => {
    await using visit = await visitPost(open)
    const { page, url } = visit
    const context = page.context()
    await page.route(WRITES, (route) => (route.request().method() === 'PUT' ? undefined : route.continue()))
    await page.getByLabel('Title').fill('Ink')
    await page.waitForRequest((request) => request.method() === 'PUT')
    const secondTab = await context.newPage()
    await page.close()
    await secondTab.goto(url + visit.path)
    await isSaved(secondTab)
    expect(await secondTab.getByLabel('Title').inputValue()).toBe('Ink')
    expect((await visit.stored()).title).toBe('Ink')
    await secondTab.goto(`${url}/studio/c/posts/new`)
    await secondTab.waitForURL(/copy=/)
    await secondTab.getByLabel('Title').fill('Paper')
    await secondTab.locator('[data-copy=kept]').waitFor()
    const address = secondTab.url()
    const thirdTab = await context.newPage()
    await secondTab.close()
    await thirdTab.goto(address)
    await thirdTab.locator('[data-saving=unsaved]').waitFor()
    expect(await thirdTab.getByLabel('Title').inputValue()).toBe('Paper')
    // The page for a new entry lists unsaved ones, in case the user has forgotten their URL.
    await thirdTab.goto(url + visit.path)
    await isSaved(thirdTab)
    await thirdTab.goto(`${url}/studio/c/posts/new`)
    await thirdTab.getByText('New entries in this browser').waitFor()
    await thirdTab.getByRole('link', { name: 'Paper' }).click()
    await isShown(thirdTab, 'Paper')
  })

  test('waits while the browser is offline, and saves when the network returns', async () => {
    await using visit = await visitPost(open)
    const { page } = visit
    await page.context().setOffline(true)
    await page.getByLabel('Title').fill('Ink')
    await page.locator('[data-saving=waiting]').waitFor()
    await page.getByText('are kept in this browser').waitFor()
    await visit.shoot('editor-offline')
    expect(await visit.axeFaults()).toEqual([])
    await page.context().setOffline(false)
    await isSaved(page)
    expect((await visit.stored()).title).toBe('Ink')
  })

  test('keeps edits through a busy service, a newer revision and a rejected value', async () => {
    await using visit = await visitPost(open)
    const { page } = visit
    const statuses = [503, 412]
    await page.route(WRITES, (route) => {
      const status = route.request().method() === 'PUT' ? statuses.shift() : undefined
      if (status === undefined) return route.continue()
      const code = status === 503 ? 'SERVICE_UNAVAILABLE' : 'PRECONDITION_FAILED'
      const body = JSON.stringify({ code, message: 'no', details: {}, requestId: 'r' })
      const headers = { 'Content-Type': 'application/json', ...(status === 503 ? { 'Retry-After': '60' } : {}) }
      return route.fulfill({ status, body, headers })
    })
    await page.getByLabel('Title').fill('Ink')
    await page.locator('[data-saving=waiting]').waitFor()
    await page.getByRole('button', { name: 'Try now' }).click()
    await isSaved(page)
    expect(statuses).toEqual([])
    expect((await visit.stored()).title).toBe('Ink')
    await page.getByLabel('Minutes').fill('1000')
    await page.locator('[data-saving=refused]').waitFor()
    await page.getByLabel('Minutes').and(page.locator('[aria-invalid=true]')).waitFor()
    await visit.shoot('editor-refused')
    expect(await visit.axeFaults()).toEqual([])
    await page.getByRole('alert').getByRole('button', { name: 'Minutes' }).click()
    await page.keyboard.press('ControlOrMeta+a')
    await page.keyboard.type('10')
    await isSaved(page)
    expect((await visit.stored()).minutes).toBe(10)
  })

  test('waits for the same user when the session ends, and never saves as another one', async () => {
    await using visit = await visitPost(open)
    const { page, service } = visit
    await makeAccount(service, TOMASZ)
    await page.context().clearCookies()
    await page.getByLabel('Title').fill('Ink')
    const dialog = page.getByRole('dialog', { name: 'Your session has ended' })
    await dialog.waitFor()
    await dialog.getByLabel('E-mail address').fill(TOMASZ.email)
    await dialog.getByLabel('Password').fill(TOMASZ.password)
    await dialog.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByText('Another person is signed in now.').waitFor()
    expect((await visit.stored()).title).toBe('Post 1')
    expect(await page.getByLabel('Title').inputValue()).toBe('Ink')
    await visit.shoot('editor-other-person')
    await page.context().clearCookies()
    await page.getByRole('alert').getByRole('button', { name: 'Sign in' }).click()
    await dialog.waitFor()
    await dialog.getByLabel('E-mail address').fill(INES.email)
    await dialog.getByLabel('Password').fill(INES.password)
    await dialog.getByRole('button', { name: 'Sign in', exact: true }).click()
    await isSaved(page)
    expect((await visit.stored()).title).toBe('Ink')
  })

  test('does not save as another user if a different action on the page renewed the session', async () => {
    await using visit = await visitPost(open)
    const { page, service } = visit
    await makeAccount(service, TOMASZ)
    await page.context().clearCookies()
    await page.getByRole('button', { name: 'More' }).click()
    await page.getByRole('menuitem', { name: 'Delete …' }).click()
    const dialog = page.getByRole('dialog', { name: 'Your session has ended' })
    await dialog.getByLabel('E-mail address').fill(TOMASZ.email)
    await dialog.getByLabel('Password').fill(TOMASZ.password)
    await dialog.getByRole('button', { name: 'Sign in', exact: true }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.getByText('Another person is signed in now.').waitFor()
    await page.getByLabel('Title').fill('Ink')
    await page.getByRole('button', { name: 'Publish', exact: true }).click()
    await page.getByText('This was not done, because your changes are not saved yet. Save them first.').waitFor()
    expect((await visit.stored()).title).toBe('Post 1')
  })
})
