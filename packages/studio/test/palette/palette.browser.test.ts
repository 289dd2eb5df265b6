import { type DaybookConfig, defineCollection, defineConfig, f } from 'daybook'
import type { TestService } from 'daybook/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type OpenBrowser, openBrowser } from '../../../client/test/support/browser.ts'
import { SLOW_MACHINE_LIMITS } from '../../../daybook/test/support/timeouts.ts'
import { SHORTCUTS } from '../../src/app/ui/shortcuts.ts'
import { studio } from '../../src/index.ts'
import { gallery, storeFile } from '../assets/support.ts'
import { museumOf } from '../support/configs.ts'
import { INES, isShown, makeAccount, signIn } from '../support/people.ts'
import { visitStudio } from '../support/visit.ts'

let open: OpenBrowser
beforeAll(async () => {
  open = await openBrowser()
}, 120_000)
afterAll(() => open[Symbol.asyncDispose]())

describe('the palette', () => {
  test('opens pages, actions and entries of any collection by keyboard, recent ones first', async () => {
    await using visit = await visitStudio(open, museumOf(30), { as: INES })
    const { page } = visit
    const { keyboard } = page
    await isShown(page, 'Overview')
    await keyboard.press('ControlOrMeta+k')
    const palette = page.getByRole('dialog', { name: 'Find' })
    await palette.getByRole('option', { name: 'Posts Collection' }).waitFor()
    await visit.shoot('palette')
    expect(await visit.axeFaults()).toEqual([])
    await keyboard.type('auth')
    await keyboard.press('Enter')
    await isShown(page, 'Authors')
    await keyboard.press('ControlOrMeta+k')
    await palette.getByRole('combobox').and(page.locator(':focus')).waitFor()
    await keyboard.type('post 17')
    await palette.getByRole('option', { name: 'Post 17 Posts' }).waitFor()
    await visit.shoot('palette-found')
    expect(await visit.axeFaults()).toEqual([])
    await keyboard.press('Enter')
    await isShown(page, 'Post 17')
    await page.getByRole('button', { name: 'Find', exact: true }).click()
    await palette.getByRole('group', { name: 'Recent' }).getByRole('option', { name: 'Post 17 Posts' }).waitFor()
    await keyboard.type('new in posts')
    await keyboard.press('ArrowDown')
    await keyboard.press('ArrowUp')
    await keyboard.press('Enter')
    await isShown(page, 'New entry')
    await keyboard.press('ControlOrMeta+k')
    await palette.waitFor()
    await keyboard.press('Escape')
    await palette.waitFor({ state: 'detached' })
    expect(await visit.takeFaults()).toEqual([])
  })

  test('runs the actions of the page, creates by name, tolerates typos, and forgets what is gone', async () => {
    const content = museumOf(30)
    const named: DaybookConfig = {
      ...content,
      collections: { ...content.collections, posts: { ...content.collections?.posts, singularLabel: 'Post' } as never },
    }
    await using visit = await visitStudio(open, named, { as: INES, hasTouch: true })
    const { page, service, url } = visit
    const { keyboard } = page
    const palette = page.getByRole('dialog', { name: 'Find' })
    const find = async (text: string): Promise<void> => {
      await keyboard.press('ControlOrMeta+k')
      await palette.getByRole('combobox').and(page.locator(':focus')).waitFor()
      await keyboard.type(text)
    }
    await isShown(page, 'Overview')
    await find('new post Spring fair')
    await palette.getByRole('option', { name: 'New post “Spring fair”' }).waitFor()
    await visit.shoot('palette-create')
    await keyboard.press('Enter')
    await isShown(page, 'Spring fair')
    expect(await page.getByRole('textbox', { name: 'Title' }).inputValue()).toBe('Spring fair')
    await keyboard.press('ControlOrMeta+s')
    await page.waitForURL(/[0-9a-f-]{36}$/)
    await find('pubish')
    await palette.getByRole('group', { name: 'On this page' }).getByRole('option', { name: 'Publish Action' }).waitFor()
    await visit.shoot('palette-action')
    await keyboard.press('Enter')
    await page.getByText('Published', { exact: true }).first().waitFor()
    const id = page.url().slice(-36)
    const stored = await (await service.fetch(new Request(`${url}/api/posts/${id}`))).json()
    expect(stored).toMatchObject({ title: 'Spring fair', status: 'published' })
    await find('histroy')
    await palette.getByRole('option', { name: 'History Action' }).tap()
    await isShown(page, 'History')
    await find('sprng fair')
    await palette.getByRole('option', { name: 'Spring fair Posts' }).first().waitFor()
    await keyboard.press('Enter')
    await isShown(page, 'Spring fair')
    await find('profle')
    await palette.getByRole('option', { name: 'Profile Page' }).tap()
    await isShown(page, 'Profile')
    expect(await visit.takeFaults()).toEqual([])
  })

  test('lists a file by its original name', async () => {
    const before = async (service: TestService): Promise<void> => {
      await makeAccount(service)
      await storeFile(service, 'harbour.png', { alt: 'Boats' })
    }
    await using visit = await visitStudio(open, gallery, { before })
    const { page } = visit
    await signIn(page)
    await isShown(page, 'Overview')
    await page.keyboard.press('ControlOrMeta+k')
    await page.getByRole('dialog', { name: 'Find' }).getByRole('combobox').and(page.locator(':focus')).waitFor()
    await page.keyboard.type('boats')
    await page.getByRole('option', { name: 'harbour.png Files', exact: true }).waitFor()
    await page.keyboard.press('Enter')
    await isShown(page, 'harbour.png')
    expect(await visit.takeFaults()).toEqual([])
  })

  test('receives the keys that are typed while it loads, and no other field does', async () => {
    await using visit = await visitStudio(open, museumOf(3), { before: makeAccount, path: '/studio/c/posts' })
    const { page } = visit
    const loading = Promise.withResolvers<void>()
    await page.route(/\/palette\.[0-9a-f]+\.js$/, async (route) => {
      await loading.promise
      await route.continue()
    })
    await signIn(page)
    await page.getByText('3 entries').waitFor()
    const search = page.getByRole('searchbox', { name: 'Search Posts' })
    await search.focus()
    await page.keyboard.press('ControlOrMeta+k')
    await page.keyboard.type('auto')
    await page.keyboard.press('Backspace')
    await page.keyboard.type('h')
    loading.resolve()
    await page.getByRole('option', { name: 'Authors Collection' }).waitFor()
    const field = page.getByRole('dialog', { name: 'Find' }).getByRole('combobox')
    expect(await field.inputValue()).toBe('auth')
    expect(await search.inputValue()).toBe('')
    await page.keyboard.type('ors')
    expect(await field.inputValue()).toBe('authors')
    await page.keyboard.press('Enter')
    await isShown(page, 'Authors')
    expect(await visit.takeFaults()).toEqual([])
  })

  test('lists the shortcuts; single keys do nothing in fields and can be switched off', async () => {
    await using visit = await visitStudio(open, museumOf(3), { as: INES, path: '/studio/c/posts' })
    const { page } = visit
    const { keyboard } = page
    await isShown(page, 'Posts')
    await page.getByText('3 entries').waitFor()
    await keyboard.press('/')
    await page.getByRole('searchbox', { name: 'Search Posts' }).and(page.locator(':focus')).waitFor()
    await keyboard.type('?gn')
    await page.waitForURL(/q=/)
    expect(await page.getByRole('searchbox', { name: 'Search Posts' }).inputValue()).toBe('?gn')
    expect(await page.getByRole('dialog').count()).toBe(0)
    await page.getByRole('heading', { name: 'Posts', level: 1 }).focus()
    await keyboard.press('?')
    const sheet = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
    const rows = sheet.locator('dl > div')
    await rows.filter({ hasText: 'Search list' }).waitFor()
    const all = Object.values(SHORTCUTS).flatMap((group) => Object.values(group))
    expect(await rows.count()).toBe(all.length)
    const labels = await rows.allTextContents()
    expect(labels).toEqual(expect.arrayContaining(['SaveCtrlS', 'RedoCtrlShiftZCtrlY', 'Move item up or downAlt↑Alt↓']))
    await visit.shoot('shortcuts')
    expect(await visit.axeFaults()).toEqual([])
    await sheet.getByText('Single keys', { exact: true }).click()
    await keyboard.press('Escape')
    await sheet.waitFor({ state: 'detached' })
    await page.getByRole('heading', { name: 'Posts', level: 1 }).focus()
    await keyboard.press('g')
    await keyboard.press('?')
    await keyboard.press('ControlOrMeta+k')
    await page.getByRole('dialog', { name: 'Find' }).waitFor()
    expect(await sheet.count()).toBe(0)
    expect(new URL(page.url()).pathname).toBe('/studio/c/posts')
    expect(await visit.takeFaults()).toEqual([])
  })

  test('finds one of 100 collections, and so does the navigation', async () => {
    const collections = Object.fromEntries(
      Array.from({ length: 100 }, (_, at) => [`things${at}`, defineCollection({ fields: { title: f.text() } })]),
    )
    const config: DaybookConfig = defineConfig({
      limits: { ...SLOW_MACHINE_LIMITS, signInsPerMinute: 1000 },
      plugins: [studio()],
      collections,
    })
    await using visit = await visitStudio(open, config, { as: INES })
    const { page } = visit
    await isShown(page, 'Overview')
    const navigation = page.getByRole('navigation')
    expect(await navigation.getByRole('link', { name: /^Things\d/ }).count()).toBe(100)
    await navigation.getByRole('searchbox', { name: 'Find a collection' }).fill('things42')
    await visit.shoot('navigation-many')
    expect(await visit.axeFaults()).toEqual([])
    await navigation.getByRole('link', { name: 'Things42' }).click()
    await isShown(page, 'Things42')
    let requests = 0
    page.on('request', (request) => {
      if (request.url().includes('q=77')) requests += 1
    })
    await page.keyboard.press('ControlOrMeta+k')
    await page.getByRole('combobox').and(page.locator(':focus')).waitFor()
    await page.keyboard.type('77')
    await page.getByRole('option', { name: 'Things77 Collection' }).waitFor()
    await page.getByText('Choose with the arrow keys and Enter.').waitFor()
    expect(requests).toBeLessThanOrEqual(8)
    await page.keyboard.press('Enter')
    await isShown(page, 'Things77')
    expect(await visit.takeFaults()).toEqual([])
  })
})
