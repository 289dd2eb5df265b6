import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type OpenBrowser, openBrowser } from '../../../client/test/support/browser.ts'
import { museumOf } from '../support/configs.ts'
import { INES } from '../support/people.ts'
import { visitStudio } from '../support/visit.ts'
import { firstRow, titlesShown } from './support.ts'

let open: OpenBrowser
beforeAll(async () => {
  open = await openBrowser()
}, 120_000)
afterAll(() => open[Symbol.asyncDispose]())

const whereOf = (url: string): unknown => JSON.parse(new URL(url).searchParams.get('where') ?? 'null')

describe('the filter of a list', () => {
  test('is made of chips, each with a form, and the list follows every change', async () => {
    await using visit = await visitStudio(open, museumOf(60), { as: INES, path: '/studio/c/posts' })
    const { page } = visit
    await firstRow(page, 'Post 60')
    await page.getByRole('button', { name: 'Add filter' }).click()
    await page.getByRole('searchbox', { name: 'Find a field' }).fill('minut')
    await visit.shoot('filter-fields')
    await page.getByRole('dialog').getByRole('button', { name: 'Minutes', exact: true }).click()
    const form = page.getByRole('dialog', { name: 'Minutes' })
    await form.getByRole('combobox', { name: 'Comparison' }).selectOption('gte')
    await form.getByRole('textbox', { name: 'Value' }).fill('40')
    await page.getByText('21 entries').waitFor()
    await visit.shoot('filter-chip-form')
    expect(await visit.axeFaults()).toEqual([])
    await form.getByRole('button', { name: 'Done' }).click()
    const chip = page.getByRole('button', { name: 'Minutes is at least 40', exact: true })
    await chip.click()
    await form.getByRole('textbox', { name: 'Value' }).fill('55')
    await page.getByText('6 entries').waitFor()
    // The last text counts, also if the form closes at once; the focus returns to the chip.
    await form.getByRole('textbox', { name: 'Value' }).fill('50')
    await page.keyboard.press('Escape')
    await page.getByText('11 entries').waitFor()
    await page.locator(':focus', { hasText: 'Minutes is at least 50' }).waitFor()
    await page.getByRole('button', { name: 'Add filter' }).press('Enter')
    await page.getByRole('dialog').getByRole('button', { name: 'Status', exact: true }).press('Enter')
    await page.getByRole('combobox', { name: 'Value' }).selectOption('draft')
    await page.getByText('3 entries').waitFor()
    await page.getByRole('button', { name: 'Done' }).press('Enter')
    expect(whereOf(page.url())).toEqual({ minutes: { gte: 50 }, status: { eq: 'draft' } })
    await visit.shoot('list-filter-chips')
    await page.getByRole('button', { name: 'Clear filter' }).click()
    await page.getByText('60 entries').waitFor()
    expect(await visit.takeFaults()).toEqual([])
  })

  test('is built from groups in a form, shown in words, kept in the URL, and copied as an API URL', async () => {
    await using visit = await visitStudio(open, museumOf(60), {
      as: INES,
      path: '/studio/c/posts',
      permissions: ['clipboard-read', 'clipboard-write'],
    })
    const { page } = visit
    await firstRow(page, 'Post 60')
    await page.getByRole('button', { name: 'Add filter' }).click()
    await page.getByRole('button', { name: 'Groups of conditions' }).click()
    const sheet = page.getByRole('dialog', { name: 'Filter' })
    await sheet.getByRole('button', { name: 'Add condition' }).click()
    await sheet.getByRole('combobox', { name: 'Field' }).selectOption('minutes')
    await sheet.getByRole('combobox', { name: 'Comparison' }).selectOption('gte')
    await sheet.getByRole('textbox', { name: 'Value' }).fill('40')
    await sheet.getByRole('button', { name: 'Add group' }).click()
    const group = sheet.getByRole('group', { name: 'Group of conditions' }).last()
    await group.getByRole('combobox', { name: 'Field' }).selectOption('status')
    await sheet.getByText('Some conditions have no value yet.').waitFor()
    await group.getByRole('combobox', { name: 'Value' }).selectOption('draft')
    await group.getByRole('button', { name: 'Add condition' }).click()
    const second = group.getByRole('group', { name: 'Title' })
    await second.getByRole('textbox', { name: 'Value' }).fill('Post 59')
    await visit.shoot('filter')
    expect(await visit.axeFaults()).toEqual([])
    await sheet.getByRole('button', { name: 'Copy as URL' }).click()
    await page.getByText('Copied').waitFor()
    await sheet.getByRole('button', { name: 'Done' }).click()
    await page.getByText('6 entries').waitFor()
    expect(await titlesShown(page)).toEqual(['Post 60', 'Post 59', 'Post 55', 'Post 50', 'Post 45', 'Post 40'])
    const where = { minutes: { gte: 40 }, or: [{ status: { eq: 'draft' } }, { title: { contains: 'Post 59' } }] }
    expect(whereOf(page.url())).toEqual(where)
    await page.getByText('Minutes is at least 40', { exact: true }).waitFor()
    await page.getByText('Status is Draft or Title contains Post 59', { exact: true }).waitFor()
    await visit.shoot('list-filtered')
    expect(await visit.axeFaults()).toEqual([])
    // The copied URL is that of the API.
    const copied = await page.evaluate<string>('navigator.clipboard.readText()')
    const response = await page.evaluate<{ readonly items: readonly { readonly title: string }[] }>(
      `fetch(${JSON.stringify(copied)}).then((response) => response.json())`,
    )
    expect(response.items.map(({ title }) => title)).toEqual(await titlesShown(page))
    await page.getByRole('button', { name: 'Remove: Minutes is at least 40' }).click()
    await page.getByText('13 entries').waitFor()
    expect(await visit.takeFaults()).toEqual([])
  })

  test('compares with entries by their titles', async () => {
    await using visit = await visitStudio(open, museumOf(12), { as: INES, path: '/studio/c/posts' })
    const { page } = visit
    await firstRow(page, 'Post 12')
    await page.getByRole('button', { name: 'Add filter' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Author', exact: true }).click()
    const form = page.getByRole('dialog', { name: 'Author' })
    await form.getByRole('searchbox', { name: 'Search Authors' }).fill('prado')
    await form.getByRole('checkbox', { name: 'Inés Prado' }).check()
    await page.getByText('Author is Inés Prado', { exact: true }).waitFor()
    await form.getByRole('button', { name: 'Done' }).click()
    await page.getByText('12 entries').waitFor()
    expect(await visit.takeFaults()).toEqual([])
  })

  test('is kept unchanged if there is no form for it', async () => {
    const where = { not: { minutes: { lt: 5 } }, 'author.name': { contains: 'Inés' } }
    const path = `/studio/c/posts?where=${encodeURIComponent(JSON.stringify(where))}`
    await using visit = await visitStudio(open, museumOf(12), { as: INES, path })
    const { page } = visit
    await page.getByText('8 entries').waitFor()
    await page.getByText('{"not":{"minutes":{"lt":5}}}').waitFor()
    await page.getByText('Author › Name contains Inés').waitFor()
    // A condition without a form opens the form of the whole filter.
    await page.getByRole('button', { name: '{"not":{"minutes":{"lt":5}}}', exact: true }).click()
    const sheet = page.getByRole('dialog', { name: 'Filter' })
    await sheet.getByText('This condition cannot be edited here.').waitFor()
    await sheet.getByRole('button', { name: 'Add condition' }).click()
    await sheet.getByRole('group', { name: 'Title' }).getByRole('textbox', { name: 'Value' }).fill('1')
    await sheet.getByRole('button', { name: 'Done' }).click()
    await page.getByText('3 entries').waitFor()
    expect(whereOf(page.url())).toEqual({ ...where, title: { contains: '1' } })
    expect(await visit.takeFaults()).toEqual([])
  })

  test('on an unknown field shows an error, and can be removed', async () => {
    const path = `/studio/c/posts?where=${encodeURIComponent('{"nothing":{"eq":1}}')}`
    await using visit = await visitStudio(open, museumOf(12), { as: INES, path })
    const { page } = visit
    await page.getByText('You cannot filter or sort by “nothing”.').waitFor()
    await visit.shoot('filter-wrong')
    expect(await visit.axeFaults()).toEqual([])
    await page.getByRole('button', { name: 'Remove: {"nothing":{"eq":1}}' }).click()
    await page.getByText('12 entries').waitFor()
    expect(await visit.takeFaults()).toEqual([])
  })

  test('is built by touch on a phone without sideways scrolling', async () => {
    const phone = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true }
    await using visit = await visitStudio(open, museumOf(12), {
      as: INES,
      path: '/studio/c/posts',
      ...phone,
    })
    const { page } = visit
    await page.getByText('12 entries').waitFor()
    await page.getByRole('button', { name: 'Add filter' }).tap()
    await page.getByRole('dialog').getByRole('button', { name: 'Title', exact: true }).tap()
    await page.getByRole('textbox', { name: 'Value' }).fill('7')
    await page.getByRole('button', { name: 'Done' }).tap()
    await page.getByText('1 entry', { exact: true }).waitFor()
    await page.getByRole('checkbox', { name: 'Select Post 7' }).tap()
    await page.getByText('1 selected').waitFor()
    await page.getByRole('button', { name: 'Archive', exact: true }).tap()
    await page.getByRole('button', { name: 'Archive (1)' }).tap()
    await page.getByText('1 entry changed.').waitFor()
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBe(360)
    expect(await visit.axeFaults()).toEqual([])
    expect(await visit.takeFaults()).toEqual([])
  })
})
