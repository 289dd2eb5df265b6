import { readFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { stripTypeScriptTypes } from 'node:module'
import type { AddressInfo } from 'node:net'
import { type DaybookConfig, defineCollection, defineConfig, f } from 'daybook'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type OpenBrowser, openBrowser } from '../../../client/test/support/browser.ts'
import { SLOW_MACHINE_LIMITS } from '../../../daybook/test/support/timeouts.ts'
import { studio } from '../../src/index.ts'
import { INES, isShown } from '../support/people.ts'
import { type Visit, visitStudio } from '../support/visit.ts'

let open: OpenBrowser
beforeAll(async () => {
  open = await openBrowser()
}, 120_000)
afterAll(() => open[Symbol.asyncDispose]())

const GUIDE = new URL('../../../../docs/guides/studio.md', import.meta.url)
const MODULE = new URL('../../src/preview.ts', import.meta.url)

/** The example site of the guide, on its own port. */
interface Site extends AsyncDisposable {
  readonly origin: string
  /** Sets the URL of the service. */
  serve(service: string): void
}

/** Serves the example of the guide, with the module from the package's source. */
async function openSite(): Promise<Site> {
  const guide = await readFile(GUIDE, 'utf8')
  const example = /```html\n([\s\S]*?)```/.exec(guide)?.[1] ?? ''
  const script = stripTypeScriptTypes(await readFile(MODULE, 'utf8'))
  let service = ''
  const site: Server = createServer((request, response) => {
    const isModule = request.url === '/preview.js'
    const page = example
      .replace("'@daybook/studio/preview'", "'/preview.js'")
      .replace('https://cms.example.org', service)
    response.setHeader('Content-Type', isModule ? 'text/javascript' : 'text/html; charset=utf-8')
    response.end(isModule ? script : `<!doctype html><title>Site</title>${page}`)
  })
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve))
  return {
    origin: `http://127.0.0.1:${(site.address() as AddressInfo).port}`,
    serve: (url) => {
      service = url
    },
    [Symbol.asyncDispose]: async () => {
      site.closeAllConnections()
      site.close()
    },
  }
}

const magazine = (site: string): DaybookConfig =>
  defineConfig({
    limits: { ...SLOW_MACHINE_LIMITS, signInsPerMinute: 1000 },
    cors: { origins: [site] },
    plugins: [studio({ title: 'The magazine', preview: { posts: `${site}/posts/{slug}?preview={token}` } })],
    collections: {
      posts: defineCollection({
        fields: { title: f.text({ required: true }), slug: f.slug({ from: 'title' }), status: f.status() },
      }),
    },
  })

async function visitEntry(site: Site): Promise<Visit & { readonly id: string }> {
  let id = ''
  const visit = await visitStudio(open, magazine(site.origin), {
    as: INES,
    before: async (service) => {
      const post = await service.content.create('posts', { title: 'Ink', status: 'draft' })
      id = String(post.id)
    },
  })
  site.serve(visit.url)
  await visit.page.goto(`${visit.url}/studio/c/posts/${id}`)
  await isShown(visit.page, 'Ink')
  return { ...visit, id }
}

/** Returns the faults of a visit, except requests to the previewed site. */
const faultsBeside = async (visit: Visit, site: Site): Promise<readonly string[]> =>
  (await visit.takeFaults()).filter((fault) => !fault.startsWith(`foreign: ${site.origin}/`))

const chooseFrom = async (page: Page, item: string): Promise<void> => {
  await page.getByRole('button', { name: 'Preview' }).click()
  await page.getByRole('menuitem', { name: item }).click()
}

describe('the preview', () => {
  test('shows the page beside the form, which updates after each save without a reload', async () => {
    await using site = await openSite()
    await using visit = await visitEntry(site)
    const { page } = visit
    await page.setViewportSize({ width: 1440, height: 900 })
    await chooseFrom(page, 'Show beside the form')
    await page.waitForURL(/preview=beside/)
    const frame = page.frameLocator('iframe')
    await frame.getByRole('heading', { name: 'Ink' }).waitFor()
    let loads = 0
    page.on('framenavigated', () => {
      loads += 1
    })
    await page.getByRole('textbox', { name: 'Title' }).fill('Ink and paper')
    await frame.getByRole('heading', { name: 'Ink and paper' }).waitFor()
    expect(loads).toBe(0)
    await visit.shoot('preview')
    expect(await visit.axeFaults()).toEqual([])
    const panel = page.getByRole('complementary', { name: 'Preview' })
    await panel.getByRole('button', { name: 'Full width' }).click()
    await page.getByRole('menuitemradio', { name: 'Desktop' }).click()
    await expect.poll(() => frame.locator('html').evaluate('innerWidth')).toBe(1280)
    await visit.shoot('preview-desktop')
    await page.reload()
    await frame.getByRole('heading', { name: 'Ink and paper' }).waitFor()
    await panel.getByRole('button', { name: 'Hide preview' }).click()
    await panel.waitFor({ state: 'detached' })
    expect(await faultsBeside(visit, site)).toEqual([])
  })

  test('opens the page in a tab that updates as well; the draft stays hidden without the token', async () => {
    await using site = await openSite()
    await using visit = await visitEntry(site)
    const { page, service } = visit
    const tab = page.context().waitForEvent('page')
    await page.getByRole('button', { name: 'Preview' }).click()
    await page.getByRole('menuitem', { name: 'Open in new tab' }).click()
    const opened = await tab
    await opened.getByRole('heading', { name: 'Ink', exact: true }).waitFor()
    await page.getByRole('textbox', { name: 'Title' }).fill('Ink and paper')
    await opened.getByRole('heading', { name: 'Ink and paper' }).waitFor()
    expect((await service.request('/api/posts/ink')).status).toBe(404)
    expect(await faultsBeside(visit, site)).toEqual([])
  })

  test('covers the form on a phone, and traps the focus until it closes', async () => {
    await using site = await openSite()
    await using visit = await visitEntry(site)
    const { page } = visit
    await page.setViewportSize({ width: 360, height: 740 })
    await chooseFrom(page, 'Show beside the form')
    const panel = page.getByRole('complementary', { name: 'Preview' })
    await page.frameLocator('iframe').getByRole('heading', { name: 'Ink' }).waitFor()
    await panel.getByRole('button', { name: 'Full width' }).focus()
    expect(await page.evaluate<boolean>('document.getElementById("studio").inert')).toBe(true)
    await visit.shoot('preview-phone')
    expect(await visit.axeFaults()).toEqual([])
    await panel.getByRole('button', { name: 'Hide preview' }).click()
    await page.getByRole('textbox', { name: 'Title' }).fill('Ink again')
    expect(await faultsBeside(visit, site)).toEqual([])
  })

  test('explains why there is no preview', async () => {
    await using site = await openSite()
    await using visit = await visitEntry(site)
    const { page } = visit
    await page.route('**/preview', (route) =>
      route.fulfill({ status: 403, json: { code: 'FORBIDDEN', message: 'No.', details: {}, requestId: 'r' } }),
    )
    await page.goto(`${page.url()}?preview=beside`)
    const panel = page.getByRole('complementary', { name: 'Preview' })
    await panel.getByText('You are not allowed to do this.').waitFor()
    expect(await page.locator('iframe').count()).toBe(0)
    expect(await visit.axeFaults()).toEqual([])
  })
})
