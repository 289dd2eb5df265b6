import { type DaybookConfig, defineCollection, defineConfig, f } from 'daybook'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type OpenBrowser, openBrowser } from '../../../client/test/support/browser.ts'
import { SLOW_MACHINE_LIMITS } from '../../../daybook/test/support/timeouts.ts'
import { studio } from '../../src/index.ts'
import { INES, isShown, makeAccount, signIn } from '../support/people.ts'
import { visitStudio } from '../support/visit.ts'
import { cellsShown, firstRow } from './support.ts'

let open: OpenBrowser
beforeAll(async () => {
  open = await openBrowser()
}, 120_000)
afterAll(() => open[Symbol.asyncDispose]())

const MARKUP = `<img src=x onerror="document.title='taken'"> hostile`
const REVERSED = 'مرحبا ‮ hostile ‬ (1)'
const LONG = `Hostile ${'and long '.repeat(1100)}`

const configOf = (collections: DaybookConfig['collections'], seed: NonNullable<DaybookConfig['seed']>): DaybookConfig =>
  defineConfig({
    limits: { ...SLOW_MACHINE_LIMITS, signInsPerMinute: 1000 },
    plugins: [studio()],
    collections,
    seed,
  }) as DaybookConfig

/** Expects that markup stays text, and that no page is wider than its window. */
async function isHarmless(page: Page): Promise<void> {
  expect(await page.locator('img[src="x"]').count()).toBe(0)
  expect(await page.title()).not.toBe('taken')
  const wide = await page.evaluate<readonly number[]>(
    "[document.documentElement, document.querySelector('main'), document.querySelector('[role=dialog]')].map((part) => part ? part.scrollWidth - part.clientWidth : 0)",
  )
  expect(wide).toEqual([0, 0, 0])
}

describe('hostile titles of 10,000 characters', () => {
  const config = configOf(
    {
      things: defineCollection({
        fields: { title: f.text({ maxLength: 20_000, index: false }), other: f.relation('things') },
      }),
    },
    async (content) => {
      let other: string | undefined
      for (const title of [MARKUP, REVERSED, LONG]) {
        const { id } = await content.create('things', { title, ...(other === undefined ? {} : { other }) })
        other = String(id)
      }
    },
  )

  test('are shown as text in rows, filters, the overview and the palette, without breaking the layout', async () => {
    await using visit = await visitStudio(open, config, {
      as: INES,
      path: '/studio/c/things?columns=other',
      viewport: { width: 360, height: 740 },
    })
    const { page } = visit
    await page.getByText('3 entries').waitFor()
    await isHarmless(page)
    await page.getByRole('button', { name: 'Add filter' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Other', exact: true }).click()
    const filter = page.getByRole('dialog', { name: 'Other' })
    await filter.getByRole('checkbox', { name: MARKUP }).check()
    await visit.shoot('filter-hostile')
    await isHarmless(page)
    expect(await visit.axeFaults()).toEqual([])
    await filter.getByRole('button', { name: 'Done' }).click()
    await page.getByText('1 entry', { exact: true }).waitFor()
    await page.getByText(`Other is ${MARKUP}`, { exact: true }).waitFor()
    await isHarmless(page)
    await page.keyboard.press('ControlOrMeta+k')
    const palette = page.getByRole('dialog', { name: 'Find' })
    await palette.getByRole('combobox').fill('hostile')
    const entries = palette.getByRole('group', { name: 'Entries' })
    await expect.poll(() => entries.getByRole('option').count()).toBe(3)
    await visit.shoot('palette-hostile')
    await isHarmless(page)
    expect(await visit.axeFaults()).toEqual([])
    await entries.getByRole('option', { name: MARKUP }).click()
    await isShown(page, MARKUP)
    await isHarmless(page)
    await page.goto(`${visit.url}/studio`)
    await page.getByRole('heading', { name: 'Recent changes' }).waitFor()
    await page.getByRole('link', { name: MARKUP }).first().waitFor()
    await isHarmless(page)
    // The most recent entry is listed, as plain text.
    await page.keyboard.press('ControlOrMeta+k')
    const recent = palette.getByRole('group', { name: 'Recent' }).getByRole('option').first()
    await recent.waitFor()
    expect(await recent.textContent()).toBe(`${MARKUP}Things`)
    await isHarmless(page)
    expect(await visit.takeFaults()).toEqual([])
  })
})

describe('a collection of 200 fields', () => {
  const many = Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`value${at}`, f.integer()]))
  const config = configOf({ things: defineCollection({ fields: { title: f.text(), ...many } }) }, async (content) => {
    for (const at of [1, 2, 3]) await content.create('things', { title: `Thing ${at}`, value177: at })
  })

  test('can be filtered by any field, and shows at most twelve columns', async () => {
    await using visit = await visitStudio(open, config, { as: INES, path: '/studio/c/things' })
    const { page } = visit
    await page.getByText('3 entries').waitFor()
    await page.getByRole('button', { name: 'Add filter' }).click()
    await page.getByRole('button', { name: 'Groups of conditions' }).click()
    const filter = page.getByRole('dialog', { name: 'Filter' })
    for (let count = 0; count < 3; count += 1) await filter.getByRole('button', { name: 'Add condition' }).click()
    const fields = filter.getByRole('combobox', { name: 'Field' })
    expect(await fields.first().getByRole('option').count()).toBeGreaterThan(200)
    await fields.first().selectOption({ label: 'Value177' })
    await filter.getByRole('group', { name: 'Value177' }).getByRole('textbox').fill('2')
    await filter.getByRole('group', { name: 'Title' }).first().getByRole('button', { name: 'Remove condition' }).click()
    await filter.getByRole('group', { name: 'Title' }).first().getByRole('button', { name: 'Remove condition' }).click()
    await filter.getByRole('button', { name: 'Done' }).click()
    await firstRow(page, 'Thing 2')
    await page.getByText('1 entry', { exact: true }).waitFor()
    const paths = Array.from({ length: 20 }, (_, at) => `value${at + 160}`).join(',')
    await page.goto(`${visit.url}/studio/c/things?columns=${paths}`)
    await firstRow(page, 'Thing 3')
    expect(await page.getByRole('columnheader').count()).toBe(14)
    await page.getByRole('button', { name: 'Columns' }).click()
    await page.getByText('A list can have at most 12 columns. Remove one to add another.').waitFor()
    await page.getByRole('searchbox', { name: 'Find a field' }).fill('value177')
    expect(await page.getByRole('checkbox', { name: 'Value177' }).isDisabled()).toBe(true)
    await visit.shoot('columns-full')
    expect(await visit.axeFaults()).toEqual([])
    expect(await visit.takeFaults()).toEqual([])
  })
})

describe('values and addresses of an older config', () => {
  const config = configOf(
    {
      things: defineCollection({
        fields: { title: f.text(), kind: f.select({ options: ['new'] }), minutes: f.integer() },
      }),
    },
    async (content) => {
      await content.create('things', { title: 'Thing', kind: 'new', minutes: 5 })
    },
  )

  test('are shown as they are', async () => {
    const where = JSON.stringify({ kind: { eq: 'old' } })
    await using visit = await visitStudio(open, config, {
      before: makeAccount,
      path: `/studio/c/things?columns=kind,minutes,gone&sort=gone&where=${encodeURIComponent(where)}`,
    })
    const { page } = visit
    await page.route(/api\/things\?/, async (route) => {
      const response = await route.fetch()
      const body = await response.json()
      await route.fulfill({ json: { ...body, ...OLDER } })
    })
    await signIn(page)
    await firstRow(page, 'Thing of old')
    expect(await page.getByRole('columnheader').allTextContents()).toEqual(['Selection', 'Title', 'Kind', 'Minutes'])
    expect([await cellsShown(page, 2), await cellsShown(page, 3)]).toEqual([['old'], ['half an hour']])
    await page.getByText('Kind is old', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Kind is old', exact: true }).click()
    const value = page.getByRole('dialog', { name: 'Kind' }).getByRole('combobox', { name: 'Value' })
    expect(await value.inputValue()).toBe('old')
    expect(await visit.axeFaults()).toEqual([])
    expect(await visit.takeFaults()).toEqual([])
  })

  /** Values that do not fit the field types of today's config. */
  const OLDER = {
    total: 1,
    items: [
      { id: '0190f5c3-7a5e-7000-8000-000000000001', title: 'Thing of old', kind: 'old', minutes: 'half an hour' },
    ],
    nextCursor: null,
  }
})
