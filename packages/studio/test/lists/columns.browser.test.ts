import { defineCollection, defineConfig, f } from 'daybook'
import type { TestService } from 'daybook/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type OpenBrowser, openBrowser } from '../../../client/test/support/browser.ts'
import { SLOW_MACHINE_LIMITS } from '../../../daybook/test/support/timeouts.ts'
import { studio } from '../../src/index.ts'
import { museumOf } from '../support/configs.ts'
import { type Account, INES, isShown, makeAccount, signIn, TOMASZ } from '../support/people.ts'
import { visitStudio } from '../support/visit.ts'
import { cellsShown, firstRow } from './support.ts'

let open: OpenBrowser
beforeAll(async () => {
  open = await openBrowser()
}, 120_000)
afterAll(() => open[Symbol.asyncDispose]())

const listCalls = (urls: readonly string[]): readonly URLSearchParams[] =>
  urls.filter((url) => url.includes('/api/posts?')).map((url) => new URL(url).searchParams)

async function writeAs(service: TestService, { name, email, password }: Account): Promise<void> {
  const send = async (path: string, body: object, headers: object = {}) => {
    const init = {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body: JSON.stringify(body),
    }
    return (await service.request(path, init)).json()
  }
  const { token } = (await send('/api/cms/auth/actions/login', { email, password })) as { readonly token: string }
  await send('/api/posts', { title: `By ${name}` }, { Authorization: `Bearer ${token}` })
}

describe('the columns of a list', () => {
  test('are chosen from the fields, limit the selection, show related titles, and are remembered', async () => {
    await using visit = await visitStudio(open, museumOf(60), { as: INES, path: '/studio/c/posts' })
    const { page } = visit
    const urls: string[] = []
    page.on('request', (request) => urls.push(request.url()))
    await isShown(page, 'Posts')
    await page.getByText('60 entries').waitFor()
    await page.getByRole('button', { name: 'Columns' }).click()
    const sheet = page.getByRole('dialog', { name: 'Columns' })
    await sheet.getByRole('checkbox', { name: 'Author' }).check()
    await sheet.getByRole('checkbox', { name: 'Minutes' }).check()
    await sheet.getByRole('checkbox', { name: 'Changed', exact: true }).uncheck()
    await sheet.getByRole('button', { name: 'Move Minutes up' }).click()
    await visit.shoot('columns')
    expect(await visit.axeFaults()).toEqual([])
    await page.keyboard.press('Escape')
    await page.waitForURL(/columns=status%2Cminutes%2Cauthor$/)
    await page.getByText('Inés Prado').first().waitFor()
    const heads = await page.getByRole('columnheader').allTextContents()
    expect(heads).toEqual(['Selection', 'Title', 'Status', 'Minutes', 'Author'])
    await visit.shoot('list-columns')
    expect(await visit.axeFaults()).toEqual([])
    const last = listCalls(urls).findLast((call) => call.get('select')?.includes('author'))
    expect(last?.get('select')).toBe('title,status,minutes,author.name')
    expect(last?.get('include')).toBe('author')
    expect(urls.filter((url) => url.includes('/api/authors'))).toEqual([])
    // The choice is remembered when the URL does not have it.
    await page.getByRole('navigation').getByRole('link', { name: 'Authors' }).click()
    await isShown(page, 'Authors')
    await page.getByRole('navigation').getByRole('link', { name: 'Posts' }).click()
    await page.getByRole('columnheader', { name: 'Minutes' }).waitFor()
    expect(await visit.takeFaults()).toEqual([])
  })

  test('show the names of authors with one request for all of them', async () => {
    const before = async (service: TestService): Promise<void> => {
      await makeAccount(service)
      for (const account of [TOMASZ, { ...TOMASZ, name: 'Mia', email: 'mia@example.org' }]) {
        await makeAccount(service, account)
        await writeAs(service, account)
      }
    }
    await using visit = await visitStudio(open, museumOf(1), { before, path: '/studio/c/posts?columns=createdBy' })
    const { page } = visit
    const urls: string[] = []
    page.on('request', (request) => urls.push(request.url()))
    await signIn(page)
    await firstRow(page, 'By Mia')
    await page.getByRole('cell', { name: 'Mia', exact: true }).waitFor()
    expect(await cellsShown(page, 2)).toEqual(['Mia', 'Tomasz', 'API'])
    expect(urls.filter((url) => url.includes('/api/cms/auth/people'))).toHaveLength(1)
    expect(await visit.axeFaults()).toEqual([])
    expect(await visit.takeFaults()).toEqual([])
  })

  test('sort by their headers, and keep the order in the URL', async () => {
    await using visit = await visitStudio(open, museumOf(60), {
      as: INES,
      path: '/studio/c/posts?columns=minutes,unknown',
    })
    const { page } = visit
    await page.getByRole('button', { name: 'Minutes' }).click()
    await firstRow(page, 'Post 1')
    await page.waitForURL(/sort=minutes/)
    expect((await cellsShown(page, 2)).slice(0, 3)).toEqual(['1', '2', '3'])
    await page.getByRole('button', { name: 'Minutes' }).click()
    await firstRow(page, 'Post 60')
    await page.waitForURL(/sort=-minutes/)
    const head = page.getByRole('columnheader', { name: 'Minutes' })
    expect(await head.getAttribute('aria-sort')).toBe('descending')
    expect(await page.evaluate<string>('document.activeElement.textContent')).toBe('Minutes')
    expect(await visit.takeFaults()).toEqual([])
  })

  test('are found among 200 fields, and hostile titles stay in their rows', async () => {
    const many = Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`value${at}`, f.integer()]))
    const config = defineConfig({
      limits: { ...SLOW_MACHINE_LIMITS, signInsPerMinute: 1000 },
      plugins: [studio()],
      collections: {
        things: defineCollection({ fields: { title: f.text({ maxLength: 20_000, index: false }), ...many } }),
      },
      seed: async (content) => {
        await content.create('things', { title: '<img src=x onerror="document.title=1">', value150: 150 })
        await content.create('things', { title: 'ابن بطوطة ‮ reversed (1)', value150: 7 })
        await content.create('things', { title: 'long '.repeat(2000), value150: 8 })
      },
    })
    await using visit = await visitStudio(open, config, { as: INES, path: '/studio/c/things' })
    const { page } = visit
    await page.getByText('3 entries').waitFor()
    await page.getByRole('button', { name: 'Columns' }).click()
    await page.getByRole('searchbox', { name: 'Find a field' }).fill('value150')
    await page.getByRole('checkbox', { name: 'Value150' }).check()
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.getByText('150', { exact: true }).waitFor()
    await visit.shoot('list-hostile')
    expect(await visit.axeFaults()).toEqual([])
    const rows = await page.evaluate<{ readonly heights: readonly number[]; readonly wide: number }>(
      `({ heights: [...document.querySelectorAll('[data-index]')].map((row) => row.offsetHeight), wide: document.documentElement.scrollWidth - innerWidth })`,
    )
    expect(new Set(rows.heights).size).toBe(1)
    expect(rows.wide).toBe(0)
    expect(await visit.takeFaults()).toEqual([])
  })
})
