import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type OpenBrowser, openBrowser } from '../../../client/test/support/browser.ts'
import { isSaved, isShown } from '../support/people.ts'
import { visitPost } from './support/posts.ts'

let open: OpenBrowser
beforeAll(async () => {
  open = await openBrowser()
}, 120_000)
afterAll(() => open[Symbol.asyncDispose]())

describe('the actions of an entry', () => {
  test('a draft without a title is not published, and the summary links to the field', async () => {
    await using visit = await visitPost(open)
    const { page } = visit
    await page.getByLabel('Title').fill('')
    await isSaved(page)
    await page.getByRole('button', { name: 'Publish', exact: true }).click()
    await page.getByText('Some fields need your attention.').first().waitFor()
    expect(await page.getByLabel('Title').getAttribute('aria-invalid')).toBe('true')
    await visit.shoot('publish-refused')
    expect(await visit.axeFaults()).toEqual([])
    await page.getByRole('alert').getByRole('button', { name: 'Title' }).click()
    await page.keyboard.type('Ink')
    await page.locator('[data-field=title] input:not([aria-invalid=true])').waitFor()
    await page.getByText('Some fields need your attention.').first().waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Publish', exact: true }).click()
    await page.getByText('Unpublished changes').waitFor({ state: 'detached' })
    expect((await visit.published()).title).toBe('Ink')
  })

  test('changes are discarded, and the entry is unpublished, scheduled, unscheduled and archived', async () => {
    await using visit = await visitPost(open)
    const { page } = visit
    const more = async (item: string): Promise<void> => {
      await page.getByRole('button', { name: 'More' }).click()
      await page.getByRole('menuitem', { name: item, exact: true }).click()
    }
    await page.getByLabel('Title').fill('Ink')
    await isSaved(page)
    await more('Discard unpublished changes …')
    await page.getByRole('button', { name: 'Discard', exact: true }).click()
    await isShown(page, 'Post 1')
    expect(await visit.stored()).toMatchObject({ title: 'Post 1', hasDraft: false })
    await more('Unpublish')
    await page.getByText('Draft', { exact: true }).waitFor()
    expect((await visit.published()).status).toBe('draft')
    await more('Schedule …')
    await page.getByLabel('Publish at', { exact: true }).fill('2999-01-01T08:00')
    await visit.shoot('schedule')
    expect(await visit.axeFaults()).toEqual([])
    await page.getByRole('button', { name: 'Schedule', exact: true }).click()
    await page.getByText(/^Will be published: .*2999/).waitFor()
    expect((await visit.stored()).publishAt).toMatch(/^2999/)
    await page.getByRole('button', { name: 'Cancel schedule' }).click()
    await page.getByText(/^Will be published/).waitFor({ state: 'detached' })
    await more('Set to “Archived”')
    await page.getByText('Archived', { exact: true }).waitFor()
    expect((await visit.published()).status).toBe('archived')
    expect(await visit.takeFaults()).toEqual([])
  })

  test('it is duplicated as a new entry, and deleted after its referrers are listed', async () => {
    await using visit = await visitPost(open)
    const { page, service, url } = visit
    await page.getByRole('button', { name: 'More' }).click()
    await page.getByRole('menuitem', { name: 'Duplicate' }).click()
    await isShown(page, 'Post 1 (copy)')
    expect(await page.getByLabel('Minutes').inputValue()).toBe('1')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.waitForURL(/\/c\/posts\/[0-9a-f-]{36}$/)
    const { items } = await service.content.list('posts', { sort: 'title' })
    expect(items.map(({ title, status }) => [title, status])).toEqual([
      ['Post 1', 'published'],
      ['Post 1 (copy)', 'draft'],
    ])
    const [author] = (await service.content.list('authors')).items
    await page.goto(`${url}/studio/c/authors/${author?.id}`)
    await page.getByRole('button', { name: 'More' }).click()
    await page.getByRole('menuitem', { name: 'Delete …' }).click()
    await page.getByText('2 documents refer to it:').waitFor()
    await page.getByRole('link', { name: 'Posts · Post 1 (copy) · Author' }).waitFor()
    await visit.shoot('delete')
    expect(await visit.axeFaults()).toEqual([])
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    await isShown(page, 'Authors')
    expect((await service.content.list('authors')).items).toEqual([])
    expect(await visit.takeFaults()).toEqual([])
  })

  test('a URL opens it at a field, by id and by slug', async () => {
    await using visit = await visitPost(open)
    const { page, url, id } = visit
    await page.goto(`${url}/studio/go/edit/posts/${id}?field=body`)
    await page.locator('[id=field-body] :focus').waitFor()
    await page.waitForURL(/\/c\/posts\/[0-9a-f-]{36}\?field=body$/)
    await page.goto(`${url}/studio/go/edit/posts/post-1?field=link`)
    await page.locator('input:focus').waitFor()
    expect(await page.evaluate<string>('document.activeElement.labels[0].textContent')).toBe('Link')
    await page.goto(`${url}/studio/go/edit/globals/site?field=siteUrl`)
    await page.locator('input:focus').waitFor()
    expect(await page.evaluate<string>('document.activeElement.labels[0].textContent')).toBe('Site url')
    expect(await visit.takeFaults()).toEqual([])
  })
})
