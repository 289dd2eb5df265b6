import type { TestService } from 'daybook/testing'
import type { Page, Route } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type OpenBrowser, openBrowser } from '../../../client/test/support/browser.ts'
import { museumOf } from '../support/configs.ts'
import { INES, isShown } from '../support/people.ts'
import { type Visit, visitStudio } from '../support/visit.ts'

let open: OpenBrowser
beforeAll(async () => {
  open = await openBrowser()
}, 120_000)
afterAll(() => open[Symbol.asyncDispose]())

type Fault = (route: Route) => Promise<void>

const problem =
  (status: number, code: string, headers: Readonly<Record<string, string>> = {}): Fault =>
  (route) =>
    route.fulfill({
      status,
      headers: { 'Content-Type': 'application/json', ...headers },
      body: JSON.stringify({ code, message: 'It is a test.', requestId: 'r-1', details: {} }),
    })

/** Faults that any request may meet, by name. */
const FAULTS: Readonly<Record<string, Fault>> = {
  '403': problem(403, 'FORBIDDEN'),
  '409': problem(409, 'CONFLICT'),
  '412': problem(412, 'PRECONDITION_FAILED', { ETag: '"other"' }),
  '413': problem(413, 'PAYLOAD_TOO_LARGE'),
  '429': problem(429, 'RATE_LIMITED', { 'Retry-After': '1' }),
  '500': problem(500, 'INTERNAL_ERROR'),
  '503': problem(503, 'SERVICE_UNAVAILABLE', { 'Retry-After': '1' }),
  'a connection that is cut': (route) => route.abort('connectionreset'),
  'a page of a proxy': (route) =>
    route.fulfill({ status: 502, contentType: 'text/html', body: '<h1>Bad gateway</h1>' }),
  'half of a JSON text': (route) => route.fulfill({ contentType: 'application/json', body: '{"items":[{"id":' }),
}

/** True for requests that read or write content, unlike those for the session and the model. */
const isContent = (url: URL): boolean => /^\/api\/(?!cms\/|auth\/|health|ready)/.test(url.pathname)

/** The pages that show content, with their paths and headings. */
const pages = (id: string): readonly (readonly [path: string, heading: string])[] => [
  ['c/posts', 'Posts'],
  [`c/posts/${id}`, 'Post 1'],
  [`c/posts/${id}/history`, 'History'],
  ['g/site', 'Site'],
  ['assets', 'Files'],
]

const findFirstPost = async (service: TestService): Promise<string> => {
  const { items } = await service.content.list('posts', { where: { title: { eq: 'Post 1' } } })
  return String(items[0]?.id)
}

async function visitSignedIn(): Promise<Visit> {
  const visit = await visitStudio(open, museumOf(3), { as: INES })
  await isShown(visit.page, 'Overview')
  return visit
}

const RETRY = /^Try (?:again|now)$/

/** The time in which the page must offer to retry, in milliseconds. */
const OFFER_MS = 5000

/** Waits until the page recovers by itself, or presses its button to retry. */
async function recover(page: Page, heading: string): Promise<void> {
  const button = page.getByRole('main').getByRole('button', { name: RETRY }).first()
  const retried = button.click({ timeout: OFFER_MS }).catch(() => {})
  await Promise.all([isShown(page, heading), retried])
}

describe('while the service fails', () => {
  test.each(['403', '503', 'a connection that is cut', 'half of a JSON text'])(
    'with %s, every page reports the fault, stays usable and recovers',
    async (name) => {
      await using visit = await visitSignedIn()
      const { page, service, url } = visit
      for (const [path, heading] of pages(await findFirstPost(service))) {
        await page.route(isContent, FAULTS[name] as Fault)
        await page.goto(`${url}/studio/${path}`)
        await page.getByRole('main').getByRole('button', { name: RETRY }).first().waitFor()
        await page.getByRole('navigation').getByRole('link', { name: 'Overview' }).waitFor()
        await page.unroute(isContent)
        await recover(page, heading)
        expect(await visit.takeFaults()).toEqual([])
      }
    },
  )

  test.each(Object.entries(FAULTS))(
    'with %s, typed text is kept, and saved once the service works',
    async (_name, fault) => {
      await using visit = await visitSignedIn()
      const { page, service, url } = visit
      const id = await findFirstPost(service)
      await page.goto(`${url}/studio/c/posts/${id}`)
      const title = page.getByLabel('Title', { exact: true })
      await title.waitFor()
      let failed = 0
      await page.route(isContent, async (route) => {
        if (route.request().method() === 'GET') return route.fallback()
        failed += 1
        return fault(route)
      })
      await title.fill('Typed before')
      await expect.poll(() => failed).toBeGreaterThan(0)
      await page
        .getByRole('status')
        .filter({ hasNotText: /^(?:Saved|Saving …|)$/ })
        .first()
        .waitFor()
      expect(await title.inputValue()).toBe('Typed before')
      await page.unroute(isContent)
      // A rejected save is repeated with the next edit, any other by itself.
      await title.fill('Typed after')
      const stored = async () => (await service.content.get('posts', id, { draft: true }))?.title
      await expect.poll(stored, { timeout: 60_000 }).toBe('Typed after')
      await page.getByText('Saved', { exact: true }).first().waitFor()
      expect(await title.inputValue()).toBe('Typed after')
      expect(await visit.takeFaults()).toEqual([])
    },
  )
})
