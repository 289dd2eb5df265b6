import { type DaybookConfig, defineCollection, defineConfig, f } from 'daybook'
import type { TestService } from 'daybook/testing'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type OpenBrowser, openBrowser } from '../../../client/test/support/browser.ts'
import { SLOW_MACHINE_LIMITS } from '../../../daybook/test/support/timeouts.ts'
import { studio } from '../../src/index.ts'
import { isShown } from '../support/people.ts'
import { visitEntry } from './support/pages.ts'

const library: DaybookConfig = defineConfig({
  limits: { ...SLOW_MACHINE_LIMITS, signInsPerMinute: 1000 },
  plugins: [studio()],
  collections: {
    books: defineCollection({
      fields: {
        title: f.text({ required: true }),
        author: f.relation('people', { description: 'Who wrote it.' }),
        readers: f.relation('people', { many: true }),
        related: f.relation(['books', 'people']),
      },
    }),
    people: defineCollection({
      fields: {
        name: f.text({ required: true }),
        born: f.integer(),
        status: f.status(),
        written: f.reverse('books.author'),
      },
    }),
  },
})

async function storePeople(service: TestService, names: readonly string[]): Promise<readonly string[]> {
  const content = service.content
  const ids: string[] = []
  for (const name of names) {
    const { id } = await content.create('people', { name, born: 1900 + ids.length, status: 'published' })
    ids.push(String(id))
  }
  return ids
}

let open: OpenBrowser
beforeAll(async () => {
  open = await openBrowser()
}, 120_000)
afterAll(() => open[Symbol.asyncDispose]())

const NAMES = [
  'Inés Prado',
  'Tomasz Lem',
  'Aïcha Benali',
  '<b>Mallory</b>',
  ...Array.from({ length: 60 }, (_, at) => `Reader ${at + 1}`),
]
const BOOK = { title: 'Ink' }
const group = (page: Page, name: string) => page.getByRole('group', { name })

/** Returns a hook that stores people before the page opens, and their ids. */
const withPeople = (names: readonly string[] = NAMES) => {
  const ids: string[] = []
  const before = async (service: TestService): Promise<void> => {
    ids.push(...(await storePeople(service, names)))
  }
  return { ids, before }
}

describe('relations', () => {
  test('are picked by a search on the server, shown by title, and looked up in one request', async () => {
    const { ids, before } = withPeople()
    await using visit = await visitEntry(open, library, 'books', BOOK, { before })
    const { page } = visit
    await group(page, 'Author').getByRole('button', { name: 'Select …' }).click()
    const dialog = page.getByRole('dialog', { name: 'Author' })
    await dialog.getByText('64 entries').waitFor()
    await visit.shoot('picker')
    expect(await visit.axeFaults()).toEqual([])
    await page.keyboard.type('Inés')
    // Enter does not pick a result of the previous search.
    await page.keyboard.press('Enter')
    await dialog.getByText('1 entry', { exact: true }).waitFor()
    await page.keyboard.press('Enter')
    await dialog.waitFor({ state: 'detached' })
    await group(page, 'Author').getByRole('button', { name: 'Inés Prado', exact: true }).waitFor()
    await group(page, 'Readers').getByRole('button', { name: 'Select …' }).click()
    for (const name of ['Tomasz', 'Mallory', 'Aïcha']) {
      await page.getByRole('combobox').fill(name)
      await page.locator('[role=listbox][aria-busy=false]').waitFor()
      await page.keyboard.press('Enter')
    }
    await page.getByRole('button', { name: 'Done' }).click()
    await group(page, 'Readers').getByRole('button', { name: '<b>Mallory</b>', exact: true }).waitFor()
    await visit.shoot('relations')
    expect(await visit.axeFaults()).toEqual([])
    await visit.save()
    expect(await visit.stored()).toMatchObject({ author: ids[0], readers: [ids[1], ids[3], ids[2]] })
    const lookUps: string[] = []
    page.on('request', (request) => {
      if (request.url().includes('/api/people?') && request.url().includes('where')) lookUps.push(request.url())
    })
    await page.reload()
    await group(page, 'Readers').getByRole('button', { name: 'Aïcha Benali', exact: true }).waitFor()
    expect(lookUps).toHaveLength(1)
    expect(await visit.takeFaults()).toEqual([])
  })

  test('are prefetched when the pointer reaches the button that opens the picker', async () => {
    const { before } = withPeople()
    await using visit = await visitEntry(open, library, 'books', BOOK, { before })
    const { page } = visit
    const choose = group(page, 'Author').getByRole('button', { name: 'Select …' })
    const isPrefetch = (url: string): boolean => url.includes('/api/people?') && url.includes('limit=40')
    const response = page.waitForResponse((candidate) => isPrefetch(candidate.url()))
    await choose.hover()
    await response
    let requestCount = 0
    page.on('request', (request) => {
      if (request.url().includes('/api/people?')) requestCount += 1
    })
    await choose.click()
    await page.getByRole('dialog').getByText('64 entries').waitFor()
    expect(requestCount).toBe(0)
    expect(await visit.takeFaults()).toEqual([])
  })

  test('are reordered, removed, and previewed in a card', async () => {
    const { ids, before } = withPeople()
    const data: Record<string, unknown> = { ...BOOK }
    await using visit = await visitEntry(open, library, 'books', data, {
      before: async (service) => {
        await before(service)
        data.readers = ids.slice(0, 3)
      },
    })
    const { page } = visit
    const readers = group(page, 'Readers')
    await readers.getByRole('button', { name: 'Actions for Aïcha Benali' }).click()
    await page.getByRole('menuitem', { name: 'Move to top' }).click()
    await readers.getByText('Item 3 is now 1 of 3.').waitFor({ state: 'attached' })
    await page.locator('[data-part=menu]:focus').press('Alt+ArrowDown')
    await readers.getByText('Item 1 is now 2 of 3.').waitFor({ state: 'attached' })
    await readers.getByRole('button', { name: 'Remove Tomasz Lem' }).click()
    await readers.getByRole('button', { name: 'Tomasz Lem', exact: true }).waitFor({ state: 'detached' })
    await readers.getByRole('button', { name: 'Inés Prado', exact: true }).click()
    const card = page.getByRole('dialog', { name: 'Inés Prado' })
    await card.getByText('1900').waitFor()
    await visit.shoot('target-card')
    expect(await visit.axeFaults()).toEqual([])
    expect(await card.getByRole('link').getAttribute('href')).toBe(`/studio/c/people/${ids[0]}`)
    await page.keyboard.press('Escape')
    await card.waitFor({ state: 'detached' })
    await visit.save()
    expect(await visit.stored()).toMatchObject({ readers: [ids[0], ids[2]] })
    expect(await visit.takeFaults()).toEqual([])
  })

  test('point to one of several collections, and referrers are listed on the other side', async () => {
    const { ids, before } = withPeople()
    await using visit = await visitEntry(open, library, 'books', BOOK, { before })
    const { page, service, url } = visit
    await group(page, 'Related').getByRole('button', { name: 'Select …' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Collection' }).click()
    await page.getByRole('option', { name: 'People' }).click()
    await page.getByRole('combobox', { name: 'Search People' }).fill('Tomasz')
    await page.getByRole('dialog').getByText('1 entry', { exact: true }).waitFor()
    await page.getByRole('option', { name: 'Tomasz Lem' }).click()
    await group(page, 'Related').getByRole('button', { name: 'Tomasz Lem', exact: true }).waitFor()
    await visit.save()
    expect(await visit.stored()).toMatchObject({ related: { collection: 'people', id: ids[1] } })
    const content = service.content
    for (let at = 1; at <= 12; at += 1) await content.create('books', { title: `Volume ${at}`, author: ids[0] })
    await page.goto(`${url}/studio/c/people/${ids[0]}`)
    await isShown(page, 'Inés Prado')
    const written = group(page, 'Written')
    await written.getByText('12 entries').waitFor()
    await visit.shoot('referrers')
    expect(await visit.axeFaults()).toEqual([])
    await written.getByRole('button', { name: 'More' }).click()
    await written.getByRole('link', { name: 'Volume 1', exact: true }).waitFor()
    expect(await written.getByRole('link').count()).toBe(2)
    expect(await visit.takeFaults()).toEqual([])
  })

  test('to missing entries say so and can be removed, and a newly created target is selected', async () => {
    const { ids, before } = withPeople()
    const data: Record<string, unknown> = { ...BOOK }
    await using visit = await visitEntry(open, library, 'books', data, {
      before: async (service) => {
        await before(service)
        data.readers = ids.slice(0, 2)
      },
    })
    const { page } = visit
    // The lookup does not find the entries.
    await page.route(/\/api\/people\?.*where/, (route) =>
      route.fulfill({ json: { collection: 'people', total: 0, limit: 2, offset: 0, items: [], nextCursor: null } }),
    )
    await page.reload()
    await group(page, 'Readers').getByText('Deleted, or you do not have access').first().waitFor()
    await group(page, 'Readers')
      .getByRole('button', { name: /^Remove/ })
      .first()
      .click()
    await page.unroute(/\/api\/people\?.*where/)
    await group(page, 'Author').getByRole('button', { name: 'Select …' }).click()
    await page.getByRole('button', { name: 'New entry in People' }).click()
    const dialog = page.getByRole('dialog', { name: 'New entry in People' })
    await dialog.getByLabel('Name').fill('A newcomer')
    await dialog.getByRole('button', { name: 'Create', exact: true }).click()
    await group(page, 'Author').getByRole('button', { name: 'A newcomer', exact: true }).waitFor()
    await visit.save()
    expect(await visit.stored()).toMatchObject({ readers: [ids[1]], author: expect.any(String) })
    expect(await visit.takeFaults()).toEqual([])
  })

  test('render and look up only the visible rows of a thousand', async () => {
    const { ids, before } = withPeople(Array.from({ length: 1000 }, (_, at) => `Reader ${at + 1}`))
    const data: Record<string, unknown> = { ...BOOK }
    await using visit = await visitEntry(open, library, 'books', data, {
      before: async (service) => {
        await before(service)
        data.readers = [...ids]
      },
    })
    const { page } = visit
    const readers = group(page, 'Readers')
    await readers.getByRole('button', { name: 'Reader 3', exact: true }).waitFor()
    expect(await readers.getByRole('listitem').count()).toBeLessThan(40)
    await readers.getByRole('button', { name: 'Actions for Reader 2', exact: true }).click()
    await page.getByRole('menuitem', { name: 'Move to bottom' }).click()
    await readers.getByRole('button', { name: 'Reader 1000', exact: true }).waitFor()
    await expect
      .poll(() => page.evaluate<string>('document.activeElement.getAttribute("aria-label")'))
      .toBe('Actions for Reader 2')
    await visit.save()
    const stored = (await visit.stored()).readers as readonly string[]
    expect([stored.length, stored.at(-1)]).toEqual([1000, ids[1]])
    expect(await visit.takeFaults()).toEqual([])
  })
})
