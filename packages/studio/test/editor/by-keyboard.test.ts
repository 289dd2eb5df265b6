import { afterAll, beforeAll, expect, test } from 'vitest'
import { type OpenBrowser, openBrowser } from '../../../client/test/support/browser.ts'
import { isSaved, isShown } from '../support/people.ts'
import { visitPost } from './support/posts.ts'

let open: OpenBrowser
beforeAll(async () => {
  open = await openBrowser()
}, 120_000)
afterAll(() => open[Symbol.asyncDispose]())

test('writing, undo, publishing, history and restoring are done by keyboard alone', async () => {
  await using visit = await visitPost(open)
  const { page } = visit
  const { keyboard } = page
  await tabTo('Title')
  await keyboard.press('ControlOrMeta+a')
  await keyboard.type('By hand')
  await isSaved(page)
  await keyboard.press('ControlOrMeta+z')
  await isShown(page, 'Post 1')
  await keyboard.press('ControlOrMeta+Shift+z')
  await isShown(page, 'By hand')
  await keyboard.press('ControlOrMeta+s')
  await isSaved(page)
  await backTo('Publish')
  await keyboard.press('Enter')
  await page.getByText('unpublished changes').waitFor({ state: 'detached' })
  expect((await visit.published()).title).toBe('By hand')
  await tabTo('More')
  await keyboard.press('Enter')
  await page.getByRole('menuitem', { name: 'History' }).waitFor()
  await keyboard.press('Enter')
  await isShown(page, 'History')
  await page.getByRole('button', { name: /^Created/ }).waitFor()
  await tabTo('Published')
  for (
    let rows = await page.getByRole('navigation', { name: 'Versions' }).getByRole('listitem').count();
    rows > 1;
    rows -= 1
  )
    await keyboard.press('ArrowDown')
  await keyboard.press('Enter')
  await page.waitForURL(/version=/)
  await page.getByRole('button', { name: 'Restore this version …' }).waitFor()
  await tabTo('Restore this version …')
  await keyboard.press('Enter')
  await page.getByRole('dialog').waitFor()
  await tabTo('Restore')
  await keyboard.press('Enter')
  await isShown(page, 'Post 1')
  expect((await visit.stored()).title).toBe('Post 1')
  expect(await visit.takeFaults()).toEqual([])

  function tabTo(name: string): Promise<void> {
    return goTo(name, 'Tab')
  }

  function backTo(name: string): Promise<void> {
    return goTo(name, 'Shift+Tab')
  }

  /** Goes on until something with a name has the focus. */
  async function goTo(name: string, key: string): Promise<void> {
    const seen: string[] = []
    for (let presses = 0; presses < 40; presses += 1) {
      await keyboard.press(key)
      const focused = await page.evaluate<string>(
        "document.activeElement.labels?.[0]?.textContent ?? document.activeElement.textContent ?? ''",
      )
      if (focused.startsWith(name)) return
      seen.push(focused)
    }
    throw new Error(`no ${key} leads to ${name}: ${seen.join(', ')}`)
  }
})
