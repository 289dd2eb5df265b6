import { ANONYMOUS } from 'daybook'
import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type OpenBrowser, openBrowser } from '../../../client/test/support/browser.ts'
import { INPUT_DEVICES } from '../support/input-devices.ts'
import { isSaved, isShown, makeAccount, TOMASZ } from '../support/people.ts'
import { visitStory } from './support/magazine.ts'
import { openElsewhere } from './support/posts.ts'

let open: OpenBrowser
beforeAll(async () => {
  open = await openBrowser()
}, 120_000)
afterAll(() => open[Symbol.asyncDispose]())

/** Drags one element above another by touch. */
async function drag(page: Page, from: Locator, to: Locator): Promise<void> {
  await from.evaluate((element: { scrollIntoView(options: object): void }) =>
    element.scrollIntoView({ block: 'center' }),
  )
  const [start, end] = await Promise.all([from.boundingBox(), to.boundingBox()])
  if (!start || !end) throw new Error('An element to drag is not on the screen.')
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

const expectToFit = async (page: Page): Promise<void> =>
  expect(await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0)

describe.each(INPUT_DEVICES)('by $name', (device) => {
  const { activate, choose, write } = device
  const visit = () => visitStory(open, device.screen)

  test('an entry is edited, published, and restored to an earlier version', async () => {
    await using story = await visit()
    const { page } = story
    await write(page, 'Title', 'By hand')
    await isSaved(page)
    await activate(page, 'Undo')
    await isShown(page, 'Ink')
    await activate(page, 'Redo')
    await isShown(page, 'By hand')
    await isSaved(page)
    await activate(page, 'Publish')
    await page.getByText('Unpublished changes').waitFor({ state: 'detached' })
    expect((await story.published()).title).toBe('By hand')
    await expectToFit(page)
    await activate(page, 'More')
    await choose(page, 'History')
    await isShown(page, 'History')
    await page.getByRole('button', { name: /^Created/ }).waitFor()
    if (device.name === 'touch') await activate(page, 'Created')
    else {
      // The list of versions is one tab stop; arrow keys move within it.
      await page.getByRole('button', { name: /^Published/ }).focus()
      const versions = await page.getByRole('navigation', { name: 'Versions' }).getByRole('listitem').count()
      for (let moves = 1; moves < versions; moves += 1) await page.keyboard.press('ArrowDown')
      await page.keyboard.press('Enter')
    }
    await page.getByRole('button', { name: 'Restore this version …' }).waitFor()
    await activate(page, 'Restore this version …')
    await page.getByRole('dialog').waitFor()
    await activate(page, 'Restore')
    await isShown(page, 'Ink')
    expect((await story.stored()).title).toBe('Ink')
    expect((await story.published()).title).toBe('By hand')
    expect(await story.ownFaults()).toEqual([])
  })

  test('blocks are added and moved, and a relation and an image are picked', async () => {
    await using story = await visit()
    const { page } = story
    await activate(page, 'Select …')
    await page.getByRole('combobox').waitFor()
    if (device.name === 'touch') await page.getByRole('option', { name: 'Tomasz Lem' }).tap()
    else {
      await page.keyboard.type('Tomasz')
      await page.getByRole('dialog').getByText('1 entry', { exact: true }).waitFor()
      await page.keyboard.press('Enter')
    }
    await page.getByRole('button', { name: 'Tomasz Lem', exact: true }).waitFor()
    await activate(page, 'Select a file')
    await page.getByRole('dialog').getByRole('button', { name: 'mill.png' }).waitFor()
    await activate(page, 'mill.png')
    await page.getByRole('group', { name: 'Cover' }).getByRole('link', { name: 'mill.png' }).waitFor()
    await activate(page, 'Add to Parts')
    await choose(page, 'Quote')
    await write(page, 'Words', 'Write it down.')
    if (device.name === 'touch') {
      await activate(page, 'Collapse all')
      const items = page.getByRole('group', { name: 'Parts' }).locator('[data-item]')
      await drag(page, items.nth(1).locator('[data-part=grip]'), items.nth(0))
    } else {
      await page.getByRole('button', { name: 'Actions for Quote 2' }).focus()
      await page.keyboard.press('Alt+ArrowUp')
    }
    await page.getByRole('button', { name: 'Actions for Quote 1' }).waitFor()
    await isSaved(page)
    await expectToFit(page)
    const { items } = await story.service.content
      .as(ANONYMOUS)
      .list('authors', { where: { name: { eq: 'Tomasz Lem' } } })
    const { author, cover, parts } = await story.stored()
    expect([author, typeof cover]).toEqual([items[0]?.id, 'string'])
    expect(parts).toMatchObject([{ words: 'Write it down.' }, { heading: 'Galls' }])
    expect(await story.ownFaults()).toEqual([])
  })

  test('a time is set and removed, a language is translated and published alone, and the page is previewed', async () => {
    await using story = await visit()
    const { page } = story
    await activate(page, 'More')
    await choose(page, 'Schedule …')
    const time = page.getByLabel('Unpublish at')
    await time.waitFor()
    // A phone shows the system's own picker, which sets the value.
    if (device.name === 'touch') await time.fill('2040-02-01T09:30')
    else {
      await time.focus()
      // A browser with a 12-hour clock also needs AM or PM.
      await page.keyboard.type('010220400930A')
    }
    await activate(page, 'Schedule')
    await page.getByText('Will be unpublished:').waitFor()
    await expectToFit(page)
    expect(String((await story.stored()).unpublishAt)).toMatch(/^2040-0[12]/)
    await activate(page, 'Cancel schedule')
    await page.getByText('Will be unpublished:').waitFor({ state: 'detached' })
    await write(page, 'Title', 'Paper')
    await isSaved(page)
    await activate(page, 'German')
    await page.getByPlaceholder('Paper').waitFor()
    await write(page, 'Title', 'Tinte')
    await isSaved(page)
    await activate(page, 'More')
    await choose(page, 'Publish only German')
    await expect.poll(async () => (await story.published('de')).title).toBe('Tinte')
    // The English title stays in the draft.
    expect([(await story.published()).title, (await story.stored()).title]).toEqual(['Ink', 'Paper'])
    await activate(page, 'Preview')
    await choose(page, 'Show beside the form')
    await page.frameLocator('iframe').getByRole('heading', { name: 'The page of /ink' }).waitFor()
    await activate(page, 'Hide preview')
    await page.locator('iframe').waitFor({ state: 'detached' })
    expect(await story.ownFaults()).toEqual([])
  })

  test('a conflict is resolved', async () => {
    const [choice, title] = device.name === 'keyboard' ? ['Keep mine', 'Mine'] : ['Use theirs', 'Theirs']
    await using story = await visit()
    const { page, service, path } = story
    await makeAccount(service, TOMASZ)
    await page.context().setOffline(true)
    await write(page, 'Title', 'Mine')
    const otherPage = await openElsewhere(open, story, path, TOMASZ)
    await isShown(otherPage, 'Ink')
    await otherPage.getByLabel('Title').fill('Theirs')
    await isSaved(otherPage)
    await otherPage.context().close()
    await page.context().setOffline(false)
    const conflict = page.getByRole('article', { name: 'Title' })
    await conflict.waitFor()
    await activate(page, choice)
    await conflict.waitFor({ state: 'detached' })
    await isSaved(page)
    expect((await story.stored()).title).toBe(title)
    await expectToFit(page)
  })
})
