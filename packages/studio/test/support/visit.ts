import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { DaybookConfig } from 'daybook'
import { serve } from 'daybook/node'
import { createTestService, type TestService } from 'daybook/testing'
import type { BrowserContextOptions, Page } from 'playwright-core'
import type { OpenBrowser } from '../../../client/test/support/browser.ts'
import { WAIT_TIMEOUT_MS } from '../../../daybook/test/support/timeouts.ts'
import { type Account, makeAccount } from './people.ts'

const AXE = fileURLToPath(import.meta.resolve('axe-core/axe.min.js'))

/** The Studio in its own browser context, watched for faults from the start. */
export interface Visit extends AsyncDisposable {
  readonly page: Page
  readonly service: TestService
  /** The URL of the service, without a trailing slash. */
  readonly url: string
  /** Returns the faults since the last call: failed scripts, console errors, violations of the policy, requests to other origins. */
  takeFaults(): Promise<readonly string[]>
  /** Checks the current page with axe in both themes. */
  axeFaults(): Promise<readonly string[]>
  /** Takes screenshots at three widths in both themes if STUDIO_SCREENSHOTS names a folder for them. */
  shoot(name: string): Promise<void>
}

export interface VisitOptions extends BrowserContextOptions {
  /** The first path; a function is called after `before`. @default '/studio' */
  readonly path?: string | (() => string)
  /** The user to register and sign in. @default nobody */
  readonly as?: Account
  /** Turns metrics on. @default false */
  readonly metrics?: boolean
  /** Runs before the scripts of the page. */
  readonly script?: string
  /** Called before the page is opened. */
  readonly before?: (service: TestService) => Promise<unknown>
}

const WATCH = `window.violations = []
document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => violations.push('policy: ' + violatedDirective + ' ' + blockedURI))`

const THEMES = ['light', 'dark'] as const
/** A phone, a laptop, a large screen. */
export const SIZES = [
  { width: 360, height: 740 },
  { width: 1024, height: 768 },
  { width: 1920, height: 1080 },
] as const

export async function visitStudio(
  open: OpenBrowser,
  config: DaybookConfig,
  options: VisitOptions = {},
): Promise<Visit> {
  const { path = '/studio', metrics = false, as, script, before, ...context } = options
  const service = await createTestService(config, { metrics })
  const session = as && (await makeAccount(service, as))
  await before?.(service)
  const { url, stop } = await serve(service, { port: 0 })
  const tab = await open.browser.newContext({ viewport: SIZES[1], locale: 'en-GB', ...context })
  if (session) await tab.addCookies([{ ...session, url, httpOnly: true, sameSite: 'Lax' }])
  const page = await tab.newPage()
  page.setDefaultTimeout(WAIT_TIMEOUT_MS)
  const faults = watch(page, url)
  await page.addInitScript(WATCH)
  if (script !== undefined) await page.addInitScript(script)
  await page.goto(url + (typeof path === 'string' ? path : path()))
  return {
    page,
    service,
    url,
    async takeFaults() {
      const violations = await page.evaluate<string[]>('window.violations.splice(0)')
      return [...faults.splice(0), ...violations]
    },
    axeFaults: () => axeFaults(page),
    shoot: (name) => shoot(page, name),
    async [Symbol.asyncDispose]() {
      await tab.close()
      await stop()
      await service.close()
    },
  }
}

/** Records failed scripts, console errors and requests to other origins. */
export function watch(page: Page, url: string): string[] {
  const faults: string[] = []
  page.on('pageerror', (error) => faults.push(`script: ${error.message}`))
  page.on('console', (message) => {
    // Chromium logs each response of 400 and above, which a test may expect.
    const isResponse = message.text().startsWith('Failed to load resource')
    if (message.type() === 'error' && !isResponse) faults.push(`console: ${message.text()}`)
  })
  page.on('request', (request) => {
    const isSameOrigin = request.url().startsWith(`${url}/`) || /^(?:data|blob):/.test(request.url())
    if (!isSameOrigin) faults.push(`foreign: ${request.url()}`)
  })
  return faults
}

interface AxeViolation {
  readonly id: string
  readonly help: string
  readonly nodes: readonly { readonly target: readonly string[]; readonly failureSummary?: string }[]
}

/** Checks a page with axe in both themes. */
export async function axeFaults(page: Page): Promise<readonly string[]> {
  // The policy of the page blocks other script elements, but not the browser's protocol.
  await page.evaluate(await readFile(AXE, 'utf8'))
  const faults: string[] = []
  for (const theme of THEMES) {
    await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' })
    // While colours change to those of the theme, their contrast means nothing.
    await page.evaluate('Promise.allSettled(document.getAnimations().map(({ finished }) => finished))')
    const { violations } = await page.evaluate<{ readonly violations: readonly AxeViolation[] }>('axe.run(document)')
    for (const { id, help, nodes } of violations) {
      faults.push(`${theme}: ${id}: ${help}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`)
    }
  }
  await page.emulateMedia({ colorScheme: null, reducedMotion: null })
  return faults
}

/** Takes screenshots at three widths in both themes if STUDIO_SCREENSHOTS names a folder for them. */
export async function shoot(page: Page, name: string): Promise<void> {
  const folder = process.env.STUDIO_SCREENSHOTS
  if (folder === undefined) return
  await mkdir(folder, { recursive: true })
  const before = page.viewportSize()
  for (const colorScheme of THEMES) {
    for (const size of SIZES) {
      await page.emulateMedia({ colorScheme })
      await page.setViewportSize(size)
      await page.waitForTimeout(200)
      await page.screenshot({ path: join(folder, `${name}-${size.width}-${colorScheme}.png`) })
    }
  }
  await page.emulateMedia({ colorScheme: null })
  if (before) await page.setViewportSize(before)
}
