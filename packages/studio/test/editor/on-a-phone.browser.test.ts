import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type OpenBrowser, openBrowser } from '../../../client/test/support/browser.ts'
import { isSaved, isShown, makeAccount, TOMASZ } from '../support/people.ts'
import { visitStory } from './support/magazine.ts'
import { openElsewhere } from './support/posts.ts'

let open: OpenBrowser
beforeAll(async () => {
  open = await openBrowser()
}, 120_000)
afterAll(() => open[Symbol.asyncDispose]())

const PHONE = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true }

/** Opens a menu by a finger, and takes an item. */
async function choose(page: Page, menu: string, item: string): Promise<void> {
  await page.getByRole('button', { name: menu, exact: true }).tap()
  await page.getByRole('menuitem', { name: item, exact: true }).tap()
}

/** Writes with the keyboard on the screen. */
async function write(page: Page, field: string, text: string): Promise<void> {
  await page.getByLabel(field, { exact: true }).tap()
  await page.keyboard.press('ControlOrMeta+a')
  await page.keyboard.insertText(text)
}

/** Moves a finger from one thing to above another, without letting go on the way. */
async function drag(page: Page, from: Locator, to: Locator): Promise<void> {
  // Both are on the screen.
  await from.evaluate((element: { scrollIntoView(options: object): void }) =>
    element.scrollIntoView({ block: 'center' }),
  )
  const [start, end] = await Promise.all([from.boundingBox(), to.boundingBox()])
  if (!start || !end) throw new Error('what is dragged is not seen')
  const x = start.x + start.width / 2
  const [y, goal] = [start.y + start.height / 2, end.y + 4]
  const session = await page.context().newCDPSession(page)
  const send = (type: string, at?: number): Promise<unknown> =>
    session.send('Input.dispatchTouchEvent', { type, touchPoints: at === undefined ? [] : [{ x, y: at }] } as never)
  await send('touchStart', y)
  for (let step = 1; step <= 8; step += 1) await send('touchMove', y + ((goal - y) * step) / 8)
  await page.locator('[data-part="mark"]:not([hidden])').waitFor()
  await send('touchEnd')
  await session.detach()
}

/** Nothing is wider than the screen. */
const isNarrow = async (page: Page): Promise<void> =>
  expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBe(360)

describe('on a phone, by taps alone', () => {
  test('an entry is written, published, and brought back as it was', async () => {
    await using visit = await visitStory(open, PHONE)
    const { page } = visit
    await write(page, 'Title', 'By thumb')
    await isSaved(page)
    await page.getByRole('button', { name: 'Undo' }).tap()
    await isShown(page, 'Ink')
    await page.getByRole('button', { name: 'Redo' }).tap()
    await isShown(page, 'By thumb')
    await isSaved(page)
    await page.getByRole('button', { name: 'Publish', exact: true }).tap()
    await page.getByText('unpublished changes').waitFor({ state: 'detached' })
    expect((await visit.published()).title).toBe('By thumb')
    await isNarrow(page)
    await choose(page, 'More', 'History')
    await isShown(page, 'History')
    await page.getByRole('button', { name: /^Created/ }).tap()
    await page.getByRole('button', { name: 'Restore this version …' }).tap()
    await page.getByRole('button', { name: 'Restore', exact: true }).tap()
    await isShown(page, 'Ink')
    expect((await visit.stored()).title).toBe('Ink')
    expect(await visit.ownFaults()).toEqual([])
  })

  test('blocks are added and dragged, and a relation and an image are picked', async () => {
    await using visit = await visitStory(open, PHONE)
    const { page } = visit
    await page.getByRole('button', { name: 'Choose …' }).tap()
    await page.getByRole('option', { name: 'Tomasz Lem' }).tap()
    await page.getByRole('button', { name: 'Tomasz Lem', exact: true }).waitFor()
    await page.getByRole('button', { name: 'Choose a file' }).tap()
    await page.getByRole('dialog').getByRole('button', { name: 'mill.png' }).tap()
    await page.getByRole('group', { name: 'Cover' }).getByRole('link', { name: 'mill.png' }).waitFor()
    await choose(page, 'Add to Parts', 'Quote')
    await write(page, 'Words', 'Write it down.')
    await page.getByRole('button', { name: 'Fold all' }).tap()
    const items = page.getByRole('group', { name: 'Parts' }).locator('[data-item]')
    await drag(page, items.nth(1).locator('[data-part=grip]'), items.nth(0))
    await page.getByRole('button', { name: 'Actions for Quote 1' }).waitFor()
    await isSaved(page)
    await isNarrow(page)
    const { author, cover, parts } = await visit.stored()
    expect([typeof author, typeof cover]).toEqual(['string', 'string'])
    expect(parts).toMatchObject([{ words: 'Write it down.' }, { heading: 'Galls' }])
    expect(await visit.ownFaults()).toEqual([])
  })

  test('a time is set, a language is translated and published alone, and the page is previewed', async () => {
    await using visit = await visitStory(open, PHONE)
    const { page } = visit
    await choose(page, 'More', 'Schedule …')
    // The picker of the phone itself writes the value.
    await page.getByLabel('Unpublish at').fill('2040-02-01T09:30')
    await page.getByRole('button', { name: 'Set the time' }).tap()
    await page.getByText('Will be unpublished:').waitFor()
    await isNarrow(page)
    await write(page, 'Title', 'Paper')
    await isSaved(page)
    await page.getByRole('link', { name: 'German missing' }).tap()
    await page.getByPlaceholder('Paper').waitFor()
    await write(page, 'Title', 'Tinte')
    await isSaved(page)
    await choose(page, 'More', 'Publish German alone')
    await expect.poll(async () => (await visit.published('de')).title).toBe('Tinte')
    // The other language stays in the working copy.
    expect([(await visit.published()).title, (await visit.stored()).title]).toEqual(['Ink', 'Paper'])
    await choose(page, 'Preview', 'Show beside the form')
    await page.frameLocator('iframe').getByRole('heading', { name: 'The page of /ink' }).waitFor()
    await page.getByRole('button', { name: 'Hide the preview' }).tap()
    await page.locator('iframe').waitFor({ state: 'detached' })
    expect(await visit.ownFaults()).toEqual([])
  })

  test('a conflict is decided', async () => {
    await using visit = await visitStory(open, PHONE)
    const { page, service, path } = visit
    await makeAccount(service, TOMASZ)
    await page.context().setOffline(true)
    await write(page, 'Title', 'Mine')
    const theirs = await openElsewhere(open, visit, path, TOMASZ)
    await isShown(theirs, 'Ink')
    await theirs.getByLabel('Title').fill('Theirs')
    await isSaved(theirs)
    await theirs.context().close()
    await page.context().setOffline(false)
    const conflict = page.getByRole('article', { name: 'Title' })
    await conflict.getByRole('button', { name: 'Take theirs' }).tap()
    await conflict.waitFor({ state: 'detached' })
    await isSaved(page)
    expect(await page.getByLabel('Title', { exact: true }).inputValue()).toBe('Theirs')
    await isNarrow(page)
  })
})
