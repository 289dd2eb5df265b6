import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type OpenBrowser, openBrowser } from '../../../client/test/support/browser.ts'
import { museumOf } from '../support/configs.ts'
import { INES, makeAccount, signIn } from '../support/people.ts'
import { visitStudio } from '../support/visit.ts'
import { firstRow } from './support.ts'

let open: OpenBrowser
beforeAll(async () => {
  open = await openBrowser()
}, 120_000)
afterAll(() => open[Symbol.asyncDispose]())

describe('the selection of a list', () => {
  test('is published after a dry run that lists each refusal, and undone', async () => {
    await using visit = await visitStudio(open, museumOf(30), {
      as: INES,
      path: '/studio/c/posts?status=draft',
    })
    const { page, service } = visit
    await page.getByText('6 entries').waitFor()
    const content = service.content
    const count = async (status: string) => (await content.list('posts', { status, limit: 0 })).total
    const [half] = (await content.list('posts', { where: { title: { eq: 'Post 25' } } })).items
    const headers = { Authorization: `Bearer ${service.token}`, 'Content-Type': 'application/json' }
    await service.request(`/api/posts/${half?.id}?draft=true`, {
      method: 'PUT',
      headers,
      body: JSON.stringify({ title: null }),
    })
    await page.getByRole('checkbox', { name: 'Select Post 30' }).check()
    await page.getByRole('checkbox', { name: 'Select Post 15' }).click({ modifiers: ['Shift'] })
    await page.getByText('4 selected').waitFor()
    await visit.shoot('bulk-selected')
    expect(await visit.axeFaults()).toEqual([])
    await page.getByRole('button', { name: 'Publish', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'Publish' })
    await dialog.getByText('3 entries will change.').waitFor()
    await dialog.getByText('1 entry cannot be changed:').waitFor()
    await dialog.getByText('Some fields need your attention. Title: This field is required.', { exact: true }).waitFor()
    await visit.shoot('bulk-refused')
    expect(await visit.axeFaults()).toEqual([])
    expect(await count('draft')).toBe(6)
    await dialog.getByRole('button', { name: 'Publish (3)' }).click()
    await page.getByText('3 entries changed.').waitFor()
    await page.getByText('3 entries', { exact: true }).waitFor()
    expect(await count('draft')).toBe(3)
    await visit.shoot('bulk-undo')
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('Change undone').waitFor()
    await page.getByText('6 entries', { exact: true }).waitFor()
    expect(await count('draft')).toBe(6)
    expect(await visit.takeFaults()).toEqual([])
  })

  test('can be undone as long as the message has the pointer or the focus', async () => {
    await using visit = await visitStudio(open, museumOf(5), { before: makeAccount })
    const { page, url } = visit
    await page.clock.install()
    await page.goto(`${url}/studio/c/posts`)
    await signIn(page)
    await page.getByRole('checkbox', { name: 'Select Post 5' }).check()
    await page.getByRole('button', { name: 'Publish', exact: true }).click()
    await page.getByRole('button', { name: 'Publish (1)' }).click()
    await page.getByRole('button', { name: 'Undo' }).focus()
    await page.clock.fastForward(60_000)
    await page.keyboard.press('Enter')
    await page.getByText('Change undone').waitFor()
    await page.clock.fastForward(60_000)
    await page.getByText('Change undone').waitFor({ state: 'detached' })
    expect(await visit.takeFaults()).toEqual([])
  })

  test('can hold all matching entries, loaded or not', async () => {
    await using visit = await visitStudio(open, museumOf(120), { as: INES, path: '/studio/c/posts' })
    const { page, service } = visit
    await firstRow(page, 'Post 120')
    await page.getByRole('checkbox', { name: 'Select Post 120' }).check()
    await page.getByRole('button', { name: 'Select all 120 that match' }).click()
    await page.getByRole('button', { name: 'Set a field' }).click()
    const dialog = page.getByRole('dialog', { name: 'Set a field' })
    await dialog.getByRole('combobox', { name: 'Field' }).selectOption('kind')
    await dialog.getByRole('combobox', { name: 'Value' }).selectOption('report')
    await visit.shoot('bulk-set')
    expect(await visit.axeFaults()).toEqual([])
    await dialog.getByRole('button', { name: 'Review changes' }).click()
    await dialog.getByRole('button', { name: 'Set a field (120)' }).click()
    await page.getByText('120 entries changed.').waitFor()
    const content = service.content
    expect((await content.list('posts', { where: { kind: { eq: 'report' } }, limit: 0 })).total).toBe(120)
    await page.getByRole('checkbox', { name: 'Select Post 120' }).check()
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('button', { name: 'Delete (1)' }).click()
    await page.getByText('119 entries', { exact: true }).waitFor()
    expect(await visit.takeFaults()).toEqual([])
  })
})
