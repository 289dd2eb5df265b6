import type { OpenBrowser } from '../../packages/client/test/support/browser.ts'
import { enter, type Scene, visitMuseum } from './museum-visit.ts'
import { CONTEXT, saveHtml, takeScreenshot, toSource } from './save-picture.ts'

const PHONE = { ...CONTEXT, viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true }

/** Brings the Studio on a phone into a state. */
type Prepare = (scene: Scene) => Promise<void>

const SCREENS: readonly Prepare[] = [
  async ({ page, go }) => {
    await go('', 'Overview')
    await page.getByRole('button', { name: 'Navigation' }).click()
    await page.getByRole('dialog').getByRole('link', { name: 'Stories' }).waitFor()
  },
  async ({ page, go }) => {
    await go('/c/stories', 'Stories')
    await page.getByText('13 entries').waitFor()
  },
  async ({ page, go, ids }) => {
    await go(`/c/stories/${ids.ink}`, 'Ink and paper')
    await page.locator('.cm-content').waitFor()
  },
]

const STYLE = `
body { margin: 0; padding: 32px; display: flex; justify-content: space-between; background: #e4e7ee; }
img { width: 390px; border-radius: 28px; box-shadow: 0 0 0 8px #1c2536; }
`

/** Stores a picture of three pages of the Studio, next to each other, as a phone shows them. */
export async function takePhones(open: OpenBrowser): Promise<void> {
  await using scene = await visitMuseum(open, PHONE)
  await enter(scene)
  const screens: string[] = []
  for (const prepare of SCREENS) {
    await prepare(scene)
    screens.push(`<img src="${toSource(await takeScreenshot(scene.page))}" alt="">`)
  }
  await saveHtml(open, `<!doctype html><style>${STYLE}</style>${screens.join('')}`, 'studio/phone', 1330)
}
