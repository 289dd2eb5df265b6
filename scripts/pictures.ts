import { type OpenBrowser, openBrowser } from '../packages/client/test/support/browser.ts'
import { prepareStudio } from './packages/build-studio.ts'
import { takeEntryAsJson, takeTerminal } from './pictures/code-windows.ts'
import { visitMuseum } from './pictures/museum-visit.ts'
import { useOneLook } from './pictures/one-look.ts'
import { takePhones } from './pictures/phones.ts'
import { CONTEXT, fixIds, savePicture } from './pictures/save-picture.ts'
import { takeStudioScenes } from './pictures/studio-scenes.ts'

const ORIGIN = 'http://localhost:3000'

/** The parameters of the request. */
const PARAMETERS = { limit: '3', select: 'title,kind,minutes' } as const

/** For the bar that shows the progress of the request to disappear, in milliseconds. */
const PROGRESS_MS = 2000

/** Stores a picture of the docs page with a request and its response. */
async function takeDocsPage(open: OpenBrowser): Promise<void> {
  await using scene = await visitMuseum(open, CONTEXT)
  const { page, visit } = scene
  await page.route(`${ORIGIN}/**`, async (route) => {
    const response = await route.fetch({ url: route.request().url().replace(ORIGIN, visit.url) })
    const isJson = response.headers()['content-type']?.startsWith('application/json')
    await route.fulfill(isJson ? { response, body: fixIds(await response.text()) } : { response })
  })
  await page.goto(`${ORIGIN}/docs`)
  await page.getByRole('heading', { name: 'stories' }).first().waitFor()
  await page.evaluate(`location.hash = 'tag/stories/GET/api/stories'`)
  await page.getByRole('button', { name: '(get /api/stories)' }).filter({ hasText: 'Test Request' }).click()
  const client = page.getByRole('dialog', { name: 'API Client' })
  for (const name of ['Cookies', 'Headers']) await client.getByRole('button', { name, exact: true }).first().click()
  for (const [name, value] of Object.entries(PARAMETERS)) {
    const row = client.getByRole('row', { name: `Include ${name} in request` })
    await row.getByRole('combobox', { name: 'Value' }).fill(value)
    await client.getByRole('checkbox', { name: new RegExp(`^\\w+ ${name} `) }).check({ force: true })
  }
  await client.getByRole('button', { name: 'Send Request' }).click()
  await client.getByText('"items"').first().waitFor()
  await page.waitForTimeout(PROGRESS_MS)
  await savePicture(page, 'docs-page')
}

/** The groups of pictures of the docs. */
const GROUPS = {
  studio: takeStudioScenes,
  phones: takePhones,
  'entry-as-json': takeEntryAsJson,
  'docs-page': takeDocsPage,
  terminal: takeTerminal,
} as const

/** Makes the pictures of the docs again: all of them, or the groups that the command names. */
async function takePictures(wanted: readonly string[]): Promise<void> {
  const unknown = wanted.find((name) => !Object.hasOwn(GROUPS, name))
  if (unknown !== undefined)
    throw new Error(`Unknown group "${unknown}". Name some of: ${Object.keys(GROUPS).join(' ')}`)
  await prepareStudio()
  await using _look = await useOneLook()
  await using open = await openBrowser()
  for (const [name, take] of Object.entries(GROUPS)) {
    if (wanted.length === 0 || wanted.includes(name)) await take(open)
  }
}

await takePictures(process.argv.slice(2))
