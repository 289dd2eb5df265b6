import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { BrowserContextOptions, Page } from 'playwright-core'
import sharp from 'sharp'
import type { OpenBrowser } from '../../packages/client/test/support/browser.ts'
import { MAX_PICTURE_BYTES } from './check-pictures.ts'

const FOLDER = fileURLToPath(new URL('../../docs/pictures', import.meta.url))

/** The browser of each picture. */
export const CONTEXT = {
  viewport: { width: 1200, height: 760 },
  deviceScaleFactor: 1.5,
  colorScheme: 'light',
  reducedMotion: 'reduce',
  locale: 'en-GB',
  timezoneId: 'Europe/Madrid',
} as const satisfies BrowserContextOptions

/** For what moves to come to rest, and for placeholders of late parts to appear, in milliseconds. */
const REST_MS = 250

/** Waits for the visible images. */
const LOADED_IMAGES = `Promise.all([...document.images]
  .filter((image) => !image.complete && image.getBoundingClientRect().top < innerHeight)
  .map((image) => new Promise((done) => { image.onload = image.onerror = done })))`

/** Replaces days, durations and parts of ids, which differ in each run. */
const FIX_TEXTS = `{
  const today = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long' }).format(new Date())
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  let day = 9
  while (texts.nextNode()) {
    const { currentNode: text } = texts
    if (text.data.startsWith(today)) text.data = day-- + ' March 2031 at 09:30'
    if (/^\\s*\\d+ms\\s*$/.test(text.data)) text.data = ' 4ms '
    const person = text.data.replace(/another person \\([\\w-]+\\)/, 'another person (Kt7xQ2)')
    if (person !== text.data) text.data = person
  }
}`

/** Replaces the ids in a JSON text, which differ in each run. */
export function fixIds(json: string): string {
  let count = 0
  return json
    .replace(
      /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g,
      () => `01f0c3d2-5a1e-7c40-9b1d-3f6a2e0c4${(++count).toString().padStart(3, '0')}`,
    )
    .replace(/(?<="_key": ?")[\da-f]{12}/g, () => `5b0e7d${(++count).toString().padStart(6, '0')}`)
}

/** Encodes a picture in the best quality that is small enough. */
async function encode(png: Buffer): Promise<Buffer> {
  for (let quality = 90; quality >= 30; quality -= 10) {
    const picture = await sharp(png).webp({ quality, effort: 6, smartSubsample: true }).toBuffer()
    if (picture.length <= MAX_PICTURE_BYTES) return picture
  }
  throw new Error(`a picture has more than ${MAX_PICTURE_BYTES} bytes in every quality`)
}

/** Takes a picture of a page, with the same texts in each run. */
export async function takeScreenshot(page: Page): Promise<Buffer> {
  await page.waitForTimeout(REST_MS)
  await page.locator('main [class^=_waiting_]').first().waitFor({ state: 'detached' })
  await page.evaluate(LOADED_IMAGES)
  await page.evaluate(FIX_TEXTS)
  return page.screenshot({ animations: 'disabled' })
}

/** Stores a picture of a page. @param name its path below `docs/pictures`, without its extension */
export async function savePicture(page: Page, name: string): Promise<void> {
  const path = join(FOLDER, `${name}.webp`)
  const picture = await encode(await takeScreenshot(page))
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, picture)
  process.stdout.write(`${name}\n`)
}

/** Stores a picture of HTML of its own. @param width of the picture, in CSS pixels; its height follows from the content */
export async function saveHtml({ browser }: OpenBrowser, html: string, name: string, width: number): Promise<void> {
  const tab = await browser.newContext(CONTEXT)
  const page = await tab.newPage()
  await page.setViewportSize({ width, height: 100 })
  await page.setContent(html)
  const height = await page.evaluate<number>('document.documentElement.scrollHeight')
  await page.setViewportSize({ width, height })
  await savePicture(page, name)
  await tab.close()
}

/** Returns the `src` of an image in HTML. */
export const toSource = (png: Buffer): string => `data:image/png;base64,${png.toString('base64')}`
