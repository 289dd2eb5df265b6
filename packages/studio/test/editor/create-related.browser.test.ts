import { afterAll, beforeAll, expect, test } from 'vitest'
import { type OpenBrowser, openBrowser } from '../../../client/test/support/browser.ts'
import { isSaved } from '../support/people.ts'
import { visitPost } from './support/posts.ts'

let open: OpenBrowser
beforeAll(async () => {
  open = await openBrowser()
}, 120_000)
afterAll(() => open[Symbol.asyncDispose]())

test('a related entry is created in a dialog over the form, and selected', async () => {
  await using visit = await visitPost(open)
  const { page, service } = visit
  await page.getByLabel('Title').fill('Ink')
  const author = page.getByRole('group', { name: 'Author' })
  await author
    .getByRole('button', { name: /^(?:Select|Change)/ })
    .first()
    .click()
  const picker = page.getByRole('dialog', { name: 'Author' })
  await picker.getByRole('combobox').fill('Tomas')
  await picker.getByRole('button', { name: 'New entry in Authors “Tomas”' }).click()
  const dialog = page.getByRole('dialog', { name: 'New entry in Authors' })
  await expect.poll(() => dialog.getByLabel('Name').inputValue()).toBe('Tomas')
  await dialog.getByLabel('Name').fill('')
  const ids = await page.evaluate<readonly string[]>('[...document.querySelectorAll("[id]")].map(({ id }) => id)')
  expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([])
  await dialog.getByRole('textbox', { name: 'Bio' }).fill('He prints.')
  await dialog.getByRole('button', { name: 'Create', exact: true }).click()
  // The name is missing.
  await dialog.locator('input[aria-invalid=true]').waitFor()
  await dialog.getByLabel('Name').fill('Tomasz Lis')
  await visit.shoot('create-there')
  expect(await visit.axeFaults()).toEqual([])
  await dialog.getByRole('button', { name: 'Create', exact: true }).click()
  await dialog.waitFor({ state: 'detached' })
  await isSaved(page)
  const { items } = await service.content.list('authors', { where: { name: { eq: 'Tomasz Lis' } } })
  expect(await visit.stored()).toMatchObject({ title: 'Ink', author: items[0]?.id })
  expect(await visit.takeFaults()).toEqual([])
})
