import type { OpenBrowser } from '../../packages/client/test/support/browser.ts'
import { visitMuseum } from './museum-visit.ts'
import { CONTEXT, fixIds, savePicture } from './save-picture.ts'

const ORIGIN = 'http://localhost:3000'

/** The parameters of the request. */
const PARAMETERS = { limit: '3', select: 'title,kind,minutes' } as const

/** For the bar that shows the progress of the request to disappear, in milliseconds. */
const PROGRESS_MS = 2000

/** Stores a picture of the docs page with a request and its response. */
export async function takeDocsPage(open: OpenBrowser): Promise<void> {
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
