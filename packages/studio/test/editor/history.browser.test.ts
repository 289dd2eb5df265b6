import { ANONYMOUS, type Caller, SYSTEM } from 'daybook'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type OpenBrowser, openBrowser } from '../../../client/test/support/browser.ts'
import { isSaved, isShown } from '../support/people.ts'
import { visitPost, writeBody } from './support/posts.ts'

let open: OpenBrowser
beforeAll(async () => {
  open = await openBrowser()
}, 120_000)
afterAll(() => open[Symbol.asyncDispose]())

describe('the history of an entry', () => {
  test('shows the changes of each version, and restores one as a draft', async () => {
    await using visit = await visitPost(open)
    const { page } = visit
    await writeBody(page, 'Ink is made of oak galls.')
    await isSaved(page)
    await page.getByRole('button', { name: 'Publish', exact: true }).click()
    await page.getByText('Unpublished changes').waitFor({ state: 'detached' })
    await writeBody(page, 'Ink was made of oak galls.')
    await isSaved(page)
    await page.getByRole('button', { name: 'More' }).click()
    await page.getByRole('menuitem', { name: 'History' }).click()
    await isShown(page, 'History')
    const change = page.getByRole('region', { name: 'Body' })
    await change.locator('del', { hasText: 'is' }).waitFor()
    await change.locator('ins', { hasText: 'was' }).waitFor()
    await visit.shoot('history')
    expect(await visit.axeFaults()).toEqual([])
    await page.getByRole('button', { name: /^Created/ }).click()
    await page.waitForURL(/version=\d+/)
    await page.getByRole('region', { name: 'Title' }).locator('ins', { hasText: 'Post 1' }).waitFor()
    await page.getByRole('button', { name: /Compare with/ }).click()
    await page.getByRole('option').nth(1).click()
    await page.waitForURL(/against=\d+/)
    await change.locator('del', { hasText: 'Ink was made of oak galls.' }).waitFor()
    await page.getByRole('button', { name: 'Restore this version …' }).click()
    await visit.shoot('history-restore')
    await page.getByRole('button', { name: 'Restore', exact: true }).click()
    await isShown(page, 'Post 1')
    await isSaved(page)
    expect((await visit.stored()).body).toBeNull()
    expect((await visit.published()).body).toBe('Ink is made of oak galls.')
    expect(await visit.takeFaults()).toEqual([])
  })

  test('names migrations, plugins, the config and tokens as authors', async () => {
    await using visit = await visitPost(open)
    const { page, service, id, path, url } = visit
    const subjects = ['migration:rename-tags', 'migrate', 'plugin:importer (nightly)', 'config (hook)', '0123456789ab']
    for (const [index, subject] of subjects.entries()) {
      const caller = { ...SYSTEM, identity: { ...SYSTEM.identity, subject } } as Caller
      await service.content.as(caller).update('posts', id, { minutes: 10 + index })
    }
    await page.goto(`${url}${path}/history`)
    const versions = page.getByRole('navigation', { name: 'Versions' })
    for (const name of [
      'by the migration rename-tags',
      'by a migration',
      'by the plugin importer',
      'by the config',
      'by a revoked token',
    ])
      await versions.getByText(name).waitFor()
  })

  test('loads many versions page by page, down to the first, and opens the version in the URL', async () => {
    await using visit = await visitPost(open)
    const { page, service, id, path, url } = visit
    const content = service.content
    for (let minutes = 2; minutes <= 120; minutes += 1) await content.update('posts', id, { minutes })
    const pages: string[] = []
    page.on('request', (request) => {
      if (/\/versions\?/.test(request.url())) pages.push(request.url())
    })
    await page.goto(`${url}${path}/history`)
    const versions = page.getByRole('navigation', { name: 'Versions' })
    await versions
      .getByRole('button', { name: /^Changed/ })
      .first()
      .waitFor()
    expect(pages).toHaveLength(1)
    await versions.getByRole('button').first().focus()
    // Keys arrive faster than rows render and pages load; none is lost.
    for (let row = 1; row < 120; row += 1) await page.keyboard.press('ArrowDown')
    await versions.locator('[data-index="119"] button:focus').waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('region', { name: 'Title' }).locator('ins', { hasText: 'Post 1' }).waitFor()
    expect(pages.length).toBeGreaterThan(2)
    // After a reload, none of the pages is cached.
    await page.reload()
    await page.getByRole('region', { name: 'Title' }).locator('ins', { hasText: 'Post 1' }).waitFor()
    expect(await visit.takeFaults()).toEqual([])
  })

  test('restores a global, which is public at once', async () => {
    await using visit = await visitPost(open)
    const { page, service } = visit
    await page.getByRole('link', { name: 'Site' }).click()
    await isShown(page, 'Site')
    await page.getByLabel('Site name').fill('The new museum')
    await page.getByRole('button', { name: 'Save' }).click()
    await isSaved(page)
    await page.getByRole('link', { name: 'History' }).click()
    await isShown(page, 'History')
    await page.locator('ins', { hasText: 'new' }).waitFor()
    await page
      .getByRole('button', { name: /^Draft|^Created|^Changed/ })
      .last()
      .click()
    await page.getByRole('button', { name: 'Restore this version …' }).click()
    await page.getByRole('button', { name: 'Restore', exact: true }).click()
    await isShown(page, 'Site')
    expect(await service.content.as(ANONYMOUS).readGlobal('site')).toMatchObject({ siteName: 'The museum' })
    expect(await visit.takeFaults()).toEqual([])
  })
})
