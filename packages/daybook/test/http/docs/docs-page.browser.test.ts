import { type DaybookConfig, defineCollection, defineConfig, f, isAuthenticated } from 'daybook'
import { serve } from 'daybook/node'
import { createTestService, type TestService } from 'daybook/testing'
import type { BrowserContextOptions, Page, Request, Response } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type OpenBrowser, openBrowser } from '../../../../client/test/support/browser.ts'
import { FOREIGN_CODE, isStyledBy, runnableAs } from '../../../../client/test/support/foreign-code.ts'
import { SLOW_MACHINE_LIMITS, WAIT_TIMEOUT_MS } from '../../support/timeouts.ts'

const fields = { title: f.text({ required: true, maxLength: 200 }) }
const config = defineConfig({
  limits: SLOW_MACHINE_LIMITS,
  docs: { title: 'Museum', logo: new URL('../../support/configs/logo.svg', import.meta.url) },
  collections: {
    notes: defineCollection({ description: 'What visitors *wrote*.', fields }),
    secrets: defineCollection({ access: { read: isAuthenticated }, fields }),
  },
})

const CREDENTIALS = { email: 'ines@example.org', password: 'a long one of mine' }

/** The docs page in a new tab, and everything that it does. */
interface Visit extends AsyncDisposable {
  readonly page: Page
  readonly service: TestService
  /** Violations of the page's policy. */
  violations(): Promise<readonly string[]>
  /** Failed scripts, console errors and dialogs. */
  readonly faults: readonly string[]
  /** Requests to other origins. */
  readonly foreign: readonly string[]
}

const WATCH = `window.violations = []
document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => violations.push(violatedDirective + ' ' + blockedURI))`

let open: OpenBrowser
beforeAll(async () => {
  open = await openBrowser()
}, 120_000)
afterAll(() => open[Symbol.asyncDispose]())

async function visit(config: DaybookConfig, path: string, options: BrowserContextOptions = {}): Promise<Visit> {
  const service = await createTestService(config)
  const { url, stop } = await serve(service, { port: 0 })
  const context = await open.browser.newContext({ viewport: { width: 1400, height: 900 }, ...options })
  const page = await context.newPage()
  page.setDefaultTimeout(WAIT_TIMEOUT_MS)
  const faults: string[] = []
  const foreign: string[] = []
  page.on('pageerror', (error) => faults.push(error.message))
  page.on('console', (message) => message.type() === 'error' && faults.push(message.text()))
  page.on('dialog', (dialog) => {
    faults.push(`dialog ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on('request', (request) => {
    if (!request.url().startsWith(`${url}/`) && !request.url().startsWith('data:')) foreign.push(request.url())
  })
  await page.addInitScript(WATCH)
  await page.goto(url + path)
  return {
    page,
    service,
    faults,
    foreign,
    violations: () => page.evaluate('window.violations'),
    async [Symbol.asyncDispose]() {
      await context.close()
      await stop()
      await service.close()
    },
  }
}

const isShown = (page: Page, name: string): Promise<void> => page.getByRole('heading', { name, level: 1 }).waitFor()

interface Operation {
  readonly group: string
  readonly method: string
  readonly path: string
}

const LIST: Operation = { group: 'notes', method: 'GET', path: '/api/notes' }
const CREATE: Operation = { group: 'notes', method: 'POST', path: '/api/notes' }
const LOGIN: Operation = { group: 'auth', method: 'POST', path: '/api/cms/auth/actions/login' }

const goTo = (page: Page, { group, method, path }: Operation): Promise<void> =>
  page.evaluate(`location.hash = ${JSON.stringify(`tag/${group}/${method}${path}`)}`)

/** Opens an operation, sends its request from the page, and returns the response. */
async function tryOperation(page: Page, operation: Operation, json?: object): Promise<Response> {
  await goTo(page, operation)
  const name = `(${operation.method.toLowerCase()} ${operation.path})`
  await page.getByRole('button', { name }).filter({ hasText: 'Test Request' }).click()
  const client = page.getByRole('dialog', { name: 'API Client' })
  // On a slow machine, the client first shows the previous operation.
  await client
    .getByRole('button', { name: new RegExp(`^Send ${operation.method} request to .*/${operation.path}$`, 'i') })
    .waitFor()
  if (json) await client.getByRole('region', { name: 'Request Body' }).getByRole('textbox').fill(JSON.stringify(json))
  const nextResponse = page.waitForResponse((response) => response.url().includes('/api/'))
  await client.getByRole('button', { name: 'Send Request' }).click()
  const response = await nextResponse
  await response.finished()
  await client.getByRole('button', { name: 'Close Client' }).click()
  return response
}

const register = (service: TestService): Promise<unknown> =>
  service.request('/api/cms/auth/actions/register', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ name: 'Inés', ...CREDENTIALS }),
  })

const credentials = async (request: Request): Promise<readonly [string | undefined, boolean]> => {
  const headers = await request.allHeaders()
  return [headers.authorization, headers.cookie !== undefined]
}

describe('the docs page in a browser', () => {
  test.each(['light', 'dark'] as const)(
    'shows everything in %s colours, and requests nothing from other origins',
    async (colorScheme) => {
      await using seen = await visit(config, '/docs', { colorScheme })
      const { page } = seen
      await isShown(page, 'Museum')
      expect(await page.title()).toContain('Museum')
      await page.getByRole('heading', { name: 'notes' }).first().waitFor()
      await page.getByText('What visitors wrote.').first().waitFor()
      await page.waitForLoadState('networkidle')
      expect(await page.evaluate('document.body.className')).toContain(`${colorScheme}-mode`)
      expect(await page.evaluate("document.querySelector('header img').naturalWidth > 0")).toBe(true)
      expect([await seen.violations(), seen.faults, seen.foreign]).toEqual([[], [], []])
    },
  )

  test('runs no other script of its origin', async () => {
    await using seen = await visit({ ...config, routes: FOREIGN_CODE }, '/docs')
    await isShown(seen.page, 'Museum')
    expect(await runnableAs(seen.page, '/foreign.js')).toEqual([])
    expect(await isStyledBy(seen.page, '/foreign.css')).toBe(false)
    expect((await seen.violations()).join()).toMatch(
      /script-src-elem \S+\/foreign\.js.*style-src-elem \S+\/foreign\.css/,
    )
  })

  test('uses the theme of the config', async () => {
    await using seen = await visit({ ...config, docs: { theme: 'dark' } }, '/docs', { colorScheme: 'light' })
    await isShown(seen.page, 'Daybook')
    expect(await seen.page.evaluate('document.body.className')).toContain('dark-mode')
  })

  test('starts at the top without a logo', async () => {
    await using seen = await visit({ ...config, docs: {} }, '/docs')
    await isShown(seen.page, 'Daybook')
    const top = `getComputedStyle(document.body).getPropertyValue('--scalar-custom-header-height')`
    expect(await seen.page.evaluate(top)).toBe('')
  })

  test('explains why it cannot be shown', async () => {
    await using seen = await visit(config, '/api/health')
    await seen.page.route('**/openapi.json', (route) => route.fulfill({ status: 503, body: '{}' }))
    await seen.page.goto(new URL('/docs', seen.page.url()).href)
    await seen.page.getByText('The docs page cannot be shown: /openapi.json responded with 503. Reload it').waitFor()
  })

  test('links to the OpenAPI document without scripts', async () => {
    await using seen = await visit(config, '/docs', { javaScriptEnabled: false })
    expect(await seen.page.getByText('Loading').isVisible()).toBe(false)
    await seen.page.getByRole('link', { name: '/openapi.json' }).click()
    expect(seen.page.url()).toMatch(/\/openapi\.json$/)
  })

  test('sends a read request', async () => {
    await using seen = await visit(config, '/docs')
    await seen.service.content.create('notes', { title: 'Read me' })
    await isShown(seen.page, 'Museum')
    const response = await tryOperation(seen.page, LIST)
    expect([response.status(), new URL(response.url()).search]).toEqual([200, ''])
    expect(await response.json()).toMatchObject({ items: [{ title: 'Read me' }] })
    expect([await seen.violations(), seen.faults, seen.foreign]).toEqual([[], [], []])
  })

  test('signs in with an account, and then shows private routes', async () => {
    await using seen = await visit(config, '/docs')
    const { page, service } = seen
    await register(service)
    await isShown(page, 'Museum')
    expect(await page.getByRole('link', { name: 'secrets' }).count()).toBe(0)
    const login = await tryOperation(page, LOGIN, CREDENTIALS)
    expect([login.status(), await seen.violations()]).toEqual([200, []])
    // Without the hash of the operation, the page begins with its heading.
    await page.goto(new URL('/docs?signed-in', page.url()).href)
    await isShown(page, 'Museum')
    await page.getByRole('link', { name: 'secrets' }).waitFor()
    expect([await seen.violations(), seen.faults, seen.foreign]).toEqual([[], [], []])
  })

  test('writes with the cookie of a session', async () => {
    await using seen = await visit(config, '/api/health')
    const { page, service } = seen
    await register(service)
    const login = await page.request.post(new URL(LOGIN.path, page.url()).href, { data: CREDENTIALS })
    expect(login.status()).toBe(200)
    await page.goto(new URL('/docs', page.url()).href)
    await isShown(page, 'Museum')
    const written = await tryOperation(page, CREATE, { title: 'By cookie' })
    expect([written.status(), await credentials(written.request())]).toEqual([201, [undefined, true]])
    // Parameters that are not ticked are not sent, so this is not a dry run.
    expect((await service.content.list('notes')).items).toMatchObject([{ title: 'By cookie' }])
    expect([await seen.violations(), seen.faults, seen.foreign]).toEqual([[], [], []])
  })

  test('sends an entered token, and does not store it', async () => {
    await using seen = await visit(config, '/docs')
    const { page, service } = seen
    await isShown(page, 'Museum')
    await page.getByRole('textbox', { name: 'Bearer Token' }).first().fill(service.token)
    const written = await tryOperation(page, CREATE, { title: 'By token' })
    expect([written.status(), await credentials(written.request())]).toEqual([201, [`Bearer ${service.token}`, false]])
    expect(
      await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])'),
    ).not.toContain(service.token)
    expect([await seen.violations(), seen.faults, seen.foreign]).toEqual([[], [], []])
  })

  test.each([
    '?url=https://evil.example/openapi.json',
    '?configuration={"url":"https://evil.example/x.json"}',
    '?title=<img src=x onerror=alert(1)>',
    '#url=https://evil.example/openapi.json',
    '#<img src=x onerror=alert(1)>',
    '?api=https://evil.example/x.json&proxyUrl=https://evil.example',
  ])('shows the same for %s in its address', async (address) => {
    await using seen = await visit(config, `/docs${address}`)
    await isShown(seen.page, 'Museum')
    await seen.page.getByRole('heading', { name: 'notes' }).first().waitFor()
    await seen.page.waitForLoadState('networkidle')
    expect([await seen.violations(), seen.faults, seen.foreign]).toEqual([[], [], []])
  })
})

/** Markup that runs a script or loads a resource unless it is treated as text. */
const HOSTILE =
  '</script><script>alert(1)</script><img src=x onerror=alert(1)><svg onload=alert(1)></svg>' +
  '<iframe src="javascript:alert(1)"></iframe> [link](javascript:alert(1)) ![image](https://evil.example/x.png)'

describe('hostile texts of the config on the docs page', () => {
  test('run no script, and load nothing', async () => {
    const described = { title: f.text({ required: true, description: HOSTILE }) }
    const hostile = defineConfig({
      docs: { title: `Museum ${HOSTILE}` },
      collections: { notes: defineCollection({ description: HOSTILE, fields: described }) },
    })
    await using seen = await visit(hostile, '/docs')
    const { page } = seen
    let reached = 0
    await page.route(/evil\.example/, (route) => {
      reached += 1
      return route.abort()
    })
    await isShown(page, 'Museum')
    await goTo(page, CREATE)
    await page.getByRole('button', { name: '(post /api/notes)' }).waitFor()
    await page.waitForLoadState('networkidle')
    expect(await page.getByRole('heading', { level: 1 }).first().textContent()).toContain(
      '<img src=x onerror=alert(1)>',
    )
    expect(await page.locator('script:not([src]), iframe, [onerror], [onload], a[href^="javascript:"]').count()).toBe(0)
    expect(seen.faults.filter((fault) => fault.startsWith('dialog'))).toEqual([])
    // The policy blocks what Markdown may embed.
    expect(await seen.violations()).toEqual(['img-src https://evil.example/x.png'])
    expect(reached).toBe(0)
  })
})
