import type { Page } from 'playwright-core'
import type { OpenBrowser } from '../../packages/client/test/support/browser.ts'
import { openElsewhere, writeBody } from '../../packages/studio/test/editor/support/posts.ts'
import { INES, isSaved, isShown, TOMASZ } from '../../packages/studio/test/support/people.ts'
import { enter, type Scene, visitMuseum } from './museum-visit.ts'
import { CONTEXT, savePicture } from './save-picture.ts'

type Prepare = (scene: Scene) => Promise<void>

const storyOf = ({ ids }: Scene): string => `/c/stories/${ids.ink}`

async function chooseMore(page: Page, item: string): Promise<void> {
  await page.getByRole('button', { name: 'More' }).click()
  await page.getByRole('menuitem', { name: item, exact: true }).click()
}

/** Scrolls a field to the top of the page, below the fixed bar. */
const scrollTo = (page: Page, field: string): Promise<void> =>
  page.evaluate(
    `document.querySelector('main').scrollBy(0, document.getElementById('field-${field}').getBoundingClientRect().top - 160)`,
  )

const openFilter: Prepare = async ({ page, go }) => {
  await go('/c/stories', 'Stories')
  await page.getByRole('button', { name: 'Filter' }).click()
  const sheet = page.getByRole('dialog', { name: 'Filter' })
  await sheet.getByRole('button', { name: 'Add condition' }).click()
  await sheet.getByRole('combobox', { name: 'Field' }).selectOption('minutes')
  await sheet.getByRole('combobox', { name: 'Comparison' }).selectOption('gte')
  await sheet.getByRole('textbox', { name: 'Value' }).fill('5')
  await sheet.getByRole('button', { name: 'Add group' }).click()
  const group = sheet.getByRole('group', { name: 'Group of conditions' }).last()
  await group.getByRole('combobox', { name: 'Field' }).selectOption('status')
  await group.getByRole('combobox', { name: 'Value' }).selectOption('draft')
}

const publishMany: Prepare = async ({ page, go }) => {
  await go('/c/stories', 'Stories')
  await page.getByRole('checkbox', { name: 'Select The night shift' }).check()
  await page.getByRole('checkbox', { name: 'Select The smell of a library' }).check()
  await page.getByRole('checkbox', { name: 'Select Marbled paper' }).check()
  await page.getByRole('button', { name: 'Publish', exact: true }).click()
  await page
    .getByRole('dialog', { name: 'Publish' })
    .getByRole('button', { name: /^Publish \(/ })
    .waitFor()
}

/** Makes a conflict: two users edit the same sentence, and the first response is lost until the second user has saved. */
const makeConflict: Prepare = async ({ open, visit, page, ids, go }) => {
  const path = `/c/stories/${ids.night}`
  await go(path, 'The night shift')
  await writeBody(page, 'At ten the presses stop.')
  await isSaved(page)
  const theirs = await openElsewhere(open, visit, `/studio${path}`, TOMASZ)
  await isShown(theirs, 'The night shift')
  await page.route(/draft=true/, (route) => (route.request().method() === 'GET' ? route.continue() : undefined))
  await writeBody(page, 'At ten the old presses stop.')
  await writeBody(theirs, 'At ten the presses stop and cool.')
  await isSaved(theirs)
  await page.unrouteAll()
  await page.reload()
  await page.getByRole('article', { name: 'Body' }).waitFor()
  await page.getByText('Also open for Tomasz.').waitFor()
}

/** The heights of pictures whose last line would be cut, in CSS pixels. */
const HEIGHTS: Readonly<Record<string, number>> = {
  list: 738,
  entry: 784,
  markdown: 730,
  blocks: 790,
  conflict: 800,
  preview: 750,
}

/** The pictures of the guide, in the order in which they are taken, with their preparation. */
const SCENES: Readonly<Record<string, Prepare>> = {
  'sign-in': async ({ page }) => {
    await isShown(page, 'Sign in')
    await page.getByLabel('E-mail address').fill(INES.email)
    await page.getByLabel('Password').fill(INES.password)
  },
  list: async (scene) => {
    const { page, go } = scene
    await enter(scene)
    await go('/c/stories?columns=status,kind,minutes,author,updatedAt', 'Stories')
    await page.getByText('Tomasz Zając').first().waitFor()
    await page.getByText('13 entries').waitFor()
  },
  filter: openFilter,
  palette: async ({ page, go }) => {
    await go('/c/stories', 'Stories')
    await page.keyboard.press('ControlOrMeta+k')
    const palette = page.getByRole('dialog', { name: 'Find' })
    await palette.getByRole('option').first().waitFor()
    await page.keyboard.type('pap')
    await palette.getByRole('option', { name: 'Marbled paper' }).waitFor()
  },
  entry: async (scene) => {
    await scene.go(storyOf(scene), 'Ink and paper')
    await scene.page.getByLabel('Minutes').fill('8')
    await isSaved(scene.page)
    await scene.page.evaluate("document.querySelector('main').scrollTo(0, 0)")
  },
  markdown: async ({ page }) => {
    await page.locator('.cm-content').focus()
    await scrollTo(page, 'body')
  },
  blocks: async ({ page }) => {
    await scrollTo(page, 'parts')
    await page.getByRole('button', { name: 'Actions for Quote 1' }).click()
    await page.getByRole('menuitem', { name: 'Insert below' }).waitFor()
  },
  schedule: async ({ page, ids, go }) => {
    await go(`/c/stories/${ids.night}`, 'The night shift')
    await chooseMore(page, 'Schedule …')
    await page.getByLabel('Publish at', { exact: true }).fill('2031-03-14T08:00')
  },
  conflict: makeConflict,
  history: async (scene) => {
    const { page, go } = scene
    await go(storyOf(scene), 'Ink and paper')
    await page.getByLabel('Title').fill('Ink, galls and paper')
    await isSaved(page)
    await chooseMore(page, 'History')
    await isShown(page, 'History')
    await page.locator('ins', { hasText: 'galls' }).waitFor()
  },
  languages: async (scene) => {
    await scene.go(`${storyOf(scene)}?locale=de&beside=source`, 'Tinte und Papier')
    await scene.page.getByText('Body · English').waitFor()
  },
  preview: async (scene) => {
    await scene.go(`${storyOf(scene)}?preview=beside`, 'Ink, galls and paper')
    await scene.page.frameLocator('iframe').getByRole('heading', { name: 'Ink, galls and paper' }).waitFor()
  },
  files: async ({ page, go }) => {
    await go('/assets', 'Files')
    await page.getByText('6 files').waitFor()
  },
  many: publishMany,
  overview: async ({ page, go }) => {
    await go('', 'Overview')
    await page.getByRole('heading', { name: 'My drafts' }).waitFor()
    await page
      .getByText(/will be published \d/)
      .first()
      .waitFor()
  },
}

/** Stores the pictures of the guide. */
export async function takeStudioScenes(open: OpenBrowser): Promise<void> {
  await using scene = await visitMuseum(open, CONTEXT)
  for (const [name, prepare] of Object.entries(SCENES)) {
    await scene.page.setViewportSize({ ...CONTEXT.viewport, height: HEIGHTS[name] ?? CONTEXT.viewport.height })
    await prepare(scene)
    await savePicture(scene.page, `studio/${name}`)
  }
}
