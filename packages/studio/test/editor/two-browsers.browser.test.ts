import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type OpenBrowser, openBrowser } from '../../../client/test/support/browser.ts'
import { isSaved, isShown, makeAccount, TOMASZ } from '../support/people.ts'
import { openElsewhere, visitPost, writeBody } from './support/posts.ts'

let open: OpenBrowser
beforeAll(async () => {
  open = await openBrowser()
}, 120_000)
afterAll(() => open[Symbol.asyncDispose]())

describe('two users in one entry', () => {
  test('see each other, and changes to different fields are merged and listed', async () => {
    await using visit = await visitPost(open)
    const { page, service } = visit
    await makeAccount(service, TOMASZ)
    const theirs = await openElsewhere(open, visit, visit.path, TOMASZ)
    await isShown(theirs, 'Post 1')
    await theirs.getByText('Also open for Inés.').waitFor()
    await theirs.getByLabel('Minutes').fill('9')
    await isSaved(theirs)
    await page.getByLabel('Title').fill('Ink')
    await page.getByText('Also edited by Tomasz: Minutes.').waitFor()
    expect(await page.getByLabel('Minutes').inputValue()).toBe('9')
    await isSaved(page)
    expect(await visit.stored()).toMatchObject({ title: 'Ink', minutes: 9 })
    await page.getByRole('button', { name: 'Show changes' }).click()
    await visit.shoot('editor-merged')
    expect(await visit.axeFaults()).toEqual([])
    await page.getByRole('button', { name: 'Dismiss' }).click()
    await page.getByText(/^Also edited/).waitFor({ state: 'detached' })
    expect(await visit.takeFaults()).toEqual([])
    await theirs.context().close()
  })

  test('resolve a conflict in one field with both texts side by side', async () => {
    await using visit = await visitPost(open)
    const { page, service } = visit
    await makeAccount(service, TOMASZ)
    await writeBody(page, 'Ink is made of oak galls and vitriol.')
    await isSaved(page)
    const theirs = await openElsewhere(open, visit, visit.path, TOMASZ)
    await isShown(theirs, 'Post 1')
    await page.route(/draft=true/, (route) => (route.request().method() === 'GET' ? route.continue() : undefined))
    await writeBody(page, 'Good ink is made of oak galls and vitriol.')
    await page.getByLabel('Title').fill('Mine')
    await writeBody(theirs, 'Ink is made of oak galls and green vitriol.')
    await theirs.getByLabel('Title').fill('Theirs')
    await isSaved(theirs)
    await page.unrouteAll()
    await page.reload()
    const body = page.getByRole('article', { name: 'Body' })
    const title = page.getByRole('article', { name: 'Title' })
    await body.waitFor()
    await visit.shoot('editor-conflict')
    expect(await visit.axeFaults()).toEqual([])
    expect((await visit.stored()).title).toBe('Theirs')
    await body.getByRole('button', { name: 'Use merged' }).click()
    await title.getByRole('button', { name: 'Keep mine' }).click()
    await isSaved(page)
    expect(await visit.stored()).toMatchObject({
      title: 'Mine',
      body: 'Good ink is made of oak galls and green vitriol.',
    })
    await theirs.context().close()
  })
})
