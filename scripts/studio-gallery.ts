import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { openBrowser } from '../packages/client/test/support/browser.ts'
import { prepareStudio } from './packages/build-studio.ts'
import { GALLERY } from './pictures/gallery-scenes.ts'
import { type Scene, visitMuseum } from './pictures/museum-visit.ts'

const WIDTHS = [360, 1280, 1920] as const
const HEIGHT = 800
/** For what moves to come to rest, in milliseconds. */
const REST_MS = 250

async function takeAll({ page }: Scene, folder: string, name: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const width of WIDTHS) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      await page.setViewportSize({ width, height: HEIGHT })
      await page.waitForTimeout(REST_MS)
      await page.screenshot({ path: join(folder, `${name}-${width}-${colorScheme}.png`) })
    }
  }
  await page.setViewportSize({ width: 1280, height: HEIGHT })
}

/** Takes pictures of every state of the pages around the editor, at three widths in both themes, to be looked at. */
async function takeGallery(folder: string, wanted: readonly string[]): Promise<void> {
  await prepareStudio()
  await mkdir(folder, { recursive: true })
  await using open = await openBrowser()
  await using scene = await visitMuseum(open, { viewport: { width: 1280, height: HEIGHT } })
  const { page } = scene
  page.setDefaultTimeout(15_000)
  for (const [name, prepare] of Object.entries(GALLERY)) {
    try {
      await prepare(scene)
      if (wanted.length === 0 || wanted.includes(name)) await takeAll(scene, folder, name)
    } catch (error) {
      process.exitCode = 1
      process.stderr.write(`${name}: ${error instanceof Error ? error.message : String(error)}\n`)
    }
    await page.unrouteAll({ behavior: 'ignoreErrors' })
  }
}

const [folder, ...wanted] = process.argv.slice(2)
if (folder === undefined) throw new Error('Name a folder for the pictures: npm run gallery -- FOLDER [STATE …]')
await takeGallery(folder, wanted)
