import { defineCollection, defineConfig, f } from 'daybook'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type OpenBrowser, openBrowser } from '../../../client/test/support/browser.ts'
import { SLOW_MACHINE_LIMITS } from '../../../daybook/test/support/timeouts.ts'
import { studio } from '../../src/index.ts'
import { INES } from '../support/people.ts'
import { visitStudio } from '../support/visit.ts'
import { titlesShown } from './support.ts'

let open: OpenBrowser
beforeAll(async () => {
  open = await openBrowser()
}, 120_000)
afterAll(() => open[Symbol.asyncDispose]())

/** A site: each key is a page, with the pages below it. */
interface Site {
  readonly [title: string]: Site
}

const SITE: Site = {
  Home: {},
  About: { Team: { Ana: {}, Ben: {} }, History: {} },
  Contact: {},
}

const configOf = (site: Site) =>
  defineConfig({
    limits: { ...SLOW_MACHINE_LIMITS, signInsPerMinute: 1000 },
    plugins: [studio()],
    collections: {
      pages: defineCollection({
        orderable: true,
        fields: { title: f.text({ required: true }), status: f.status(), parent: f.parent() },
      }),
    },
    seed: async (content) => {
      const add = async (pages: Site, parent: string | null): Promise<void> => {
        for (const [title, below] of Object.entries(pages)) {
          const { id } = await content.create('pages', { title, parent })
          await add(below, id)
        }
      }
      await add(site, null)
    },
  })

const shown = async (page: Page): Promise<string> => (await titlesShown(page)).join()
const link = (page: Page, title: string) => page.getByRole('link', { name: title, exact: true })
const grip = (page: Page, title: string) => page.getByRole('button', { name: `Move ${title}`, exact: true })
const row = (page: Page, title: string) => page.getByRole('row').filter({ has: link(page, title) })

describe('the tree of a collection with parents', () => {
  test('opens level by level, and moves entries by keyboard, by menu and by drag', async () => {
    await using visit = await visitStudio(open, configOf(SITE), { as: INES, path: '/studio/c/pages' })
    const { page } = visit
    await link(page, 'Contact').waitFor()
    expect(await shown(page)).toBe('Home,About,Contact')
    await page.getByRole('button', { name: 'Expand About' }).click()
    await link(page, 'History').waitFor()
    expect(await row(page, 'Team').getAttribute('aria-level')).toBe('2')
    await link(page, 'About').focus()
    await page.keyboard.press('ArrowRight')
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Team')
    await page.keyboard.press('ArrowRight')
    await link(page, 'Ben').waitFor()
    expect(await shown(page)).toBe('Home,About,Team,Ana,Ben,History,Contact')
    await visit.shoot('tree')
    expect(await visit.axeFaults()).toEqual([])
    // Down among its siblings, one level up, and below the entry above; the focus stays on it.
    await page.keyboard.press('Alt+ArrowDown')
    await expect.poll(() => shown(page)).toBe('Home,About,History,Team,Ana,Ben,Contact')
    await page.getByText('Team is now below About.').waitFor({ state: 'attached' })
    await page.keyboard.press('Alt+ArrowLeft')
    await expect.poll(() => shown(page)).toBe('Home,About,History,Team,Ana,Ben,Contact')
    await expect.poll(() => row(page, 'Team').getAttribute('aria-level')).toBe('1')
    await page.locator('a:focus', { hasText: 'Team' }).waitFor()
    await page.keyboard.press('Alt+ArrowRight')
    await expect.poll(() => row(page, 'Team').getAttribute('aria-level')).toBe('2')
    // By menu.
    await grip(page, 'Ben').press('Enter')
    await page.getByRole('menuitem', { name: 'Move to the top level' }).click()
    await expect.poll(() => shown(page)).toBe('Home,About,History,Team,Ana,Contact,Ben')
    await grip(page, 'Ben').click()
    await page.getByRole('menuitem', { name: 'Move to …' }).click()
    const dialog = page.getByRole('dialog', { name: 'Move Ben' })
    await dialog.getByRole('combobox', { name: 'Place' }).selectOption('before')
    await dialog.getByRole('searchbox', { name: 'Search Pages' }).fill('history')
    await dialog.getByRole('radio', { name: 'History' }).check()
    await visit.shoot('tree-move')
    await dialog.getByRole('button', { name: 'Move', exact: true }).click()
    await expect.poll(() => shown(page)).toBe('Home,About,Ben,History,Team,Ana,Contact')
    // By drag: onto an entry, which becomes its parent.
    const target = await row(page, 'Home').boundingBox()
    await grip(page, 'Contact').hover()
    await page.mouse.down()
    await page.mouse.move((target?.x ?? 0) + 20, (target?.y ?? 0) + 70, { steps: 4 })
    await page.mouse.move((target?.x ?? 0) + 20, (target?.y ?? 0) + (target?.height ?? 0) / 2, { steps: 4 })
    await visit.shoot('tree-drag')
    await page.mouse.up()
    await expect.poll(() => shown(page)).toBe('Home,Contact,About,Ben,History,Team,Ana')
    await expect.poll(() => row(page, 'Contact').getAttribute('aria-level')).toBe('2')
    // Open entries stay open, and a search shows a list.
    await page.reload()
    await link(page, 'Ana').waitFor()
    await page.getByRole('searchbox', { name: 'Search Pages' }).fill('ana')
    await page.getByRole('table', { name: 'Pages' }).waitFor()
    await expect.poll(() => shown(page)).toBe('Ana')
    await page.getByRole('button', { name: 'Tree' }).click()
    await page.getByRole('treegrid', { name: 'Pages' }).waitFor()
    await page.getByRole('button', { name: 'List' }).click()
    await page.getByText('7 entries').waitFor()
    expect(await visit.takeFaults()).toEqual([])
  })

  test('shows thousands of pages, of which it loads and renders few, and is used by touch', async () => {
    const many: Site = Object.fromEntries(Array.from({ length: 250 }, (_, index) => [`Page ${index + 1}`, {}]))
    const phone = { viewport: { width: 390, height: 780 }, hasTouch: true, isMobile: true }
    const config = configOf({ All: many, Last: {} })
    await using visit = await visitStudio(open, config, { as: INES, path: '/studio/c/pages', ...phone })
    const { page } = visit
    await page.getByRole('button', { name: 'Expand All' }).tap()
    await link(page, 'Page 1').waitFor()
    expect(await page.locator('[data-index]').count()).toBeLessThan(40)
    await page.evaluate('document.querySelector("main").scrollTop = 1e6')
    await page.getByRole('button', { name: 'Load more' }).tap()
    await link(page, 'Page 104').waitFor()
    await page.evaluate('document.querySelector("main").scrollTop = 0')
    await grip(page, 'Page 1').tap()
    await page.getByRole('menuitem', { name: 'Move down' }).tap()
    await expect.poll(async () => (await titlesShown(page)).slice(0, 3).join()).toBe('All,Page 2,Page 1')
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBe(390)
    expect(await visit.axeFaults()).toEqual([])
    expect(await visit.takeFaults()).toEqual([])
  })
})
