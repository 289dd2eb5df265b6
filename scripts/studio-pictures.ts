import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import sharp from 'sharp'
import { openBrowser } from '../packages/client/test/support/browser.ts'
import { isShown } from '../packages/studio/test/support/people.ts'
import { visitStudio } from '../packages/studio/test/support/visit.ts'
import { prepareStudio } from './packages/build-studio.ts'
import { MAX_PICTURE_BYTES } from './pictures/check-pictures.ts'
import { museum, SITE } from './pictures/museum-config.ts'
import { fillMuseum, type MuseumIds } from './pictures/museum-content.ts'
import { type Scene, STUDIO_PICTURES } from './pictures/studio-pictures.ts'

const FOLDER = fileURLToPath(new URL('../docs/pictures/studio', import.meta.url))
/** The offset of the page's clock, so that "3 hours ago" stays the same from the first picture to the last. */
const LATER_MS = 200 * 60_000

const CONTEXT = {
  viewport: { width: 1200, height: 760 },
  deviceScaleFactor: 1.5,
  colorScheme: 'light',
  reducedMotion: 'reduce',
  locale: 'en-GB',
  timezoneId: 'Europe/Madrid',
} as const

/** Waits for the visible images. */
const LOADED_IMAGES = `Promise.all([...document.images]
  .filter((image) => !image.complete && image.getBoundingClientRect().top < innerHeight)
  .map((image) => new Promise((done) => { image.onload = image.onerror = done })))`

/** Replaces days and parts of ids, which differ in each run. */
const FIX_TEXTS = `{
  const today = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long' }).format(new Date())
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  let day = 9
  while (texts.nextNode()) {
    const { currentNode: text } = texts
    if (text.data.startsWith(today)) text.data = day-- + ' March 2031 at 09:30'
    const person = text.data.replace(/another person \\([\\w-]+\\)/, 'another person (Kt7xQ2)')
    if (person !== text.data) text.data = person
  }
}`

/** Encodes a picture in the best quality that is small enough. */
async function encode(png: Buffer): Promise<Buffer> {
  for (let quality = 90; quality >= 30; quality -= 10) {
    const picture = await sharp(png).webp({ quality, effort: 6, smartSubsample: true }).toBuffer()
    if (picture.length <= MAX_PICTURE_BYTES) return picture
  }
  throw new Error(`a picture has more than ${MAX_PICTURE_BYTES} bytes in every quality`)
}

async function takePicture(scene: Scene, name: string): Promise<void> {
  await STUDIO_PICTURES[name]?.(scene)
  await scene.page.evaluate(LOADED_IMAGES)
  await scene.page.evaluate(FIX_TEXTS)
  const png = await scene.page.screenshot({ animations: 'disabled' })
  await writeFile(join(FOLDER, `${name}.webp`), await encode(png))
  process.stdout.write(`${name}\n`)
}

async function takePictures(): Promise<void> {
  await prepareStudio()
  await mkdir(FOLDER, { recursive: true })
  await using open = await openBrowser()
  let ids: MuseumIds = { ink: '', night: '' }
  await using visit = await visitStudio(open, museum, {
    ...CONTEXT,
    before: async (service) => {
      ids = await fillMuseum(service)
    },
  })
  const { page, url } = visit
  await page.context().route(`${SITE}/**`, (route) => route.fulfill({ contentType: 'text/html', body: SITE_PAGE }))
  await page.addInitScript(`const now = Date.now; Date.now = () => now() + ${LATER_MS}`)
  await page.reload()
  const go = async (path: string, heading: string): Promise<void> => {
    await page.goto(`${url}/studio${path}`)
    await isShown(page, heading)
  }
  for (const name of Object.keys(STUDIO_PICTURES)) await takePicture({ open, visit, page, ids, go }, name)
}

await takePictures()

/** The page of the museum's site that shows the story, for the picture of the preview. */
const SITE_PAGE = `<!doctype html>
<html lang="en">
<title>Ink, galls and paper</title>
<style>
body { margin: 0; font: 18px/1.6 Georgia, serif; color: #2b2622; background: #fbf7ee; }
header { padding: 18px 32px; background: #1c2536; color: #efe6d2; letter-spacing: .08em; }
main { max-width: 34em; padding: 24px 32px; }
h1 { font-size: 38px; line-height: 1.15; margin: 12px 0; }
blockquote { margin: 24px 0; padding-left: 16px; border-left: 4px solid #a3262a; font-style: italic; }
</style>
<header>THE MUSEUM</header>
<main>
<h1>Ink, galls and paper</h1>
<p>Ink is made of <strong>oak galls</strong>, vitriol and gum. A wasp lays its egg in the bud of an oak, and the tree grows a hard ball around it.</p>
<h2>How it is cooked</h2>
<ol><li>Grind the galls, and let them stand in water.</li><li>Add vitriol: the water turns black.</li><li>Add gum, so that the ink stays on the pen.</li></ol>
<blockquote>The best ink is made in autumn.</blockquote>
</main>
</html>`
