import { defineCollection, defineConfig, f } from 'daybook'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type OpenBrowser, openBrowser } from '../../../client/test/support/browser.ts'
import { SLOW_MACHINE_LIMITS } from '../../../daybook/test/support/timeouts.ts'
import { studio } from '../../src/index.ts'
import { INES } from '../support/people.ts'
import { visitStudio } from '../support/visit.ts'
import { firstRow, titlesShown } from './support.ts'

let open: OpenBrowser
beforeAll(async () => {
  open = await openBrowser()
}, 120_000)
afterAll(() => open[Symbol.asyncDispose]())

/** Steps in an order by hand, as many as two pages of the list. */
const stepsOf = (count: number) =>
  defineConfig({
    limits: { ...SLOW_MACHINE_LIMITS, signInsPerMinute: 1000 },
    plugins: [studio()],
    collections: {
      steps: defineCollection({
        orderable: true,
        fields: { title: f.text({ required: true }), minutes: f.integer(), picture: f.asset() },
      }),
    },
    seed: async (content) => {
      for (let number = 1; number <= count; number += 1)
        await content.create('steps', { title: `Step ${number}`, minutes: number })
    },
  })

const grip = (page: Page, title: string) => page.getByRole('button', { name: `Move ${title}`, exact: true })

/** Returns the titles at the top of the list, as the Studio shows them. */
const top = async (page: Page): Promise<string> =>
  (await titlesShown(page))
    .slice(0, 4)
    .map((title) => title.replace('Step ', ''))
    .join()

describe('the order by hand in a list', () => {
  test('changes by drag, by keyboard and by menu, and is stored', async () => {
    await using visit = await visitStudio(open, stepsOf(80), { as: INES, path: '/studio/c/steps' })
    const { page, service } = visit
    const stored = async (): Promise<string> => {
      const { items } = await service.content.list('steps', { limit: 4 })
      return (items as unknown as readonly { readonly minutes: number }[]).map(({ minutes }) => minutes).join()
    }
    await firstRow(page, 'Step 1')
    const target = await grip(page, 'Step 1').boundingBox()
    await grip(page, 'Step 3').hover()
    await page.mouse.down()
    await page.mouse.move(target?.x ?? 0, (target?.y ?? 0) + 60, { steps: 4 })
    await page.mouse.move((target?.x ?? 0) + 8, (target?.y ?? 0) + 1, { steps: 4 })
    await visit.shoot('list-order-drag')
    await page.mouse.up()
    expect(await top(page)).toBe('3,1,2,4')
    await expect.poll(stored).toBe('3,1,2,4')
    // By keyboard, the focus stays on the row.
    await page.getByRole('link', { name: 'Step 1', exact: true }).focus()
    await page.keyboard.press('Alt+ArrowDown')
    await page.keyboard.press('Alt+ArrowDown')
    await expect.poll(stored).toBe('3,2,4,1')
    expect(await top(page)).toBe('3,2,4,1')
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Step 1')
    await page.getByText('Step 1 is now at position 4.').waitFor()
    await grip(page, 'Step 4').press('Enter')
    await visit.shoot('list-order-menu')
    await page.getByRole('menuitem', { name: 'Move to the top' }).click()
    await firstRow(page, 'Step 4')
    await expect.poll(stored).toBe('4,3,2,1')
    expect(await visit.axeFaults()).toEqual([])
    // Another order shows no handles.
    await page.getByRole('button', { name: 'Title' }).click()
    await page.waitForURL(/sort=title/)
    await firstRow(page, 'Step 1')
    expect(await page.getByRole('button', { name: /^Move Step/ }).count()).toBe(0)
    expect(await visit.takeFaults()).toEqual([])
  })

  test('changes by touch on a phone', async () => {
    const phone = { viewport: { width: 390, height: 780 }, hasTouch: true, isMobile: true }
    await using visit = await visitStudio(open, stepsOf(5), { as: INES, path: '/studio/c/steps', ...phone })
    const { page } = visit
    await firstRow(page, 'Step 1')
    await grip(page, 'Step 5').tap()
    await page.getByRole('menuitem', { name: 'Move up' }).tap()
    await expect.poll(() => top(page)).toBe('1,2,3,5')
    const [from, to] = [await grip(page, 'Step 5').boundingBox(), await grip(page, 'Step 1').boundingBox()]
    const touch = await page.context().newCDPSession(page)
    const point = (y: number) => ({ touchPoints: [{ x: (from?.x ?? 0) + 10, y }] })
    await touch.send('Input.dispatchTouchEvent', { type: 'touchStart', ...point((from?.y ?? 0) + 10) })
    for (const y of [(from?.y ?? 0) - 20, (to?.y ?? 0) + 40, (to?.y ?? 0) + 2])
      await touch.send('Input.dispatchTouchEvent', { type: 'touchMove', ...point(y) })
    await touch.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] })
    await expect.poll(() => top(page)).toBe('5,1,2,3')
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBe(390)
    expect(await visit.axeFaults()).toEqual([])
    expect(await visit.takeFaults()).toEqual([])
  })
})

describe('the head of a list', () => {
  test('sticks to the top, selects all loaded rows, and its borders set widths that are remembered', async () => {
    await using visit = await visitStudio(open, stepsOf(80), { as: INES, path: '/studio/c/steps?columns=minutes' })
    const { page } = visit
    await firstRow(page, 'Step 1')
    const width = async (): Promise<number> =>
      (await page.getByRole('columnheader', { name: 'Minutes' }).boundingBox())?.width ?? 0
    const before = await width()
    const border = page.getByRole('separator', { name: 'Width of Minutes' })
    await border.focus()
    await page.keyboard.press('ArrowRight')
    expect(await width()).toBeCloseTo(before + 16, 0)
    const place = await border.boundingBox()
    await border.hover()
    await page.mouse.down()
    await page.mouse.move((place?.x ?? 0) + 60, place?.y ?? 0, { steps: 3 })
    await page.mouse.up()
    expect(await width()).toBeGreaterThan(before + 60)
    const wide = await width()
    await page.reload()
    await firstRow(page, 'Step 1')
    expect(await width()).toBeCloseTo(wide, 0)
    await page.getByRole('separator', { name: 'Width of Minutes' }).dblclick()
    await expect.poll(width).toBeCloseTo(before, 0)
    const all = page.getByRole('checkbox', { name: 'Select all loaded entries' })
    await all.check()
    await page.getByText('50 selected').waitFor()
    await page.getByRole('checkbox', { name: 'Select Step 2', exact: true }).uncheck()
    expect(await page.evaluate('document.querySelector("[role=columnheader] input").indeterminate')).toBe(true)
    await page.evaluate('document.querySelector("main").scrollTop = 900')
    await page.getByRole('link', { name: 'Step 25', exact: true }).waitFor()
    expect(await page.getByRole('columnheader', { name: 'Minutes' }).isVisible()).toBe(true)
    const head = await page.getByRole('columnheader', { name: 'Minutes' }).boundingBox()
    const main = await page.locator('main').boundingBox()
    expect((head?.y ?? 0) - (main?.y ?? 0)).toBeLessThan(20)
    await visit.shoot('list-sticky')
    expect(await visit.axeFaults()).toEqual([])
    expect(await visit.takeFaults()).toEqual([])
  })
})
