import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { DaybookConfig } from 'daybook'
import { serve } from 'daybook/node'
import { createTestService, type TestService } from 'daybook/testing'
import type { BrowserContextOptions, Page } from 'playwright-core'
import type { OpenBrowser } from '../../../client/test/support/browser.ts'
import { PATIENCE_MS } from '../../../daybook/test/support/patience.ts'
import { type Account, makeAccount } from './people.ts'

const AXE = fileURLToPath(import.meta.resolve('axe-core/axe.min.js'))

/** The Studio in a tab of its own, watched from its first moment. */
export interface Visit extends AsyncDisposable {
  readonly page: Page
  readonly service: TestService
  /** Of the service, without a slash at its end. */
  readonly url: string
  /** What went wrong since it was asked last: scripts that failed, errors in the console, violations of the policy, requests to other origins. */
  takeFaults(): Promise<readonly string[]>
  /** What axe finds wrong with the page as it is, in both themes. */
  axeFaults(): Promise<readonly string[]>
  /** Takes pictures of the page at three widths in both themes, where STUDIO_SCREENSHOTS names a folder for them. */
  shoot(name: string): Promise<void>
}

/** What a visit begins with. */
export interface VisitOptions extends BrowserContextOptions {
  /** Where it begins; a function is asked after `before`. @default '/studio' */
  readonly path?: string | (() => string)
  /** Who is signed in already, with a new account. @default nobody */
  readonly as?: Account
  /** Whether the service counts requests. @default false */
  readonly metrics?: boolean
  /** A script that runs before those of the page. */
  readonly script?: string
  /** Called before the page is opened. */
  readonly before?: (service: TestService) => Promise<unknown>
}

const WATCH = `window.violations = []
document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => violations.push('policy: ' + violatedDirective + ' ' + blockedURI))`

const THEMES = ['light', 'dark'] as const
/** A phone, a laptop, a large screen. */
const SIZES = [
  { width: 360, height: 740 },
  { width: 1024, height: 768 },
  { width: 1920, height: 1080 },
] as const

/** Serves a config on this machine, and opens its Studio. */
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
  page.setDefaultTimeout(PATIENCE_MS)
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

/** Everything of a page that should not happen. */
function watch(page: Page, url: string): string[] {
  const faults: string[] = []
  page.on('pageerror', (error) => faults.push(`script: ${error.message}`))
  page.on('console', (message) => {
    // Chromium logs each answer of 400 and more, which a test may want.
    const isAnswer = message.text().startsWith('Failed to load resource')
    if (message.type() === 'error' && !isAnswer) faults.push(`console: ${message.text()}`)
  })
  page.on('request', (request) => {
    const isOwn = request.url().startsWith(`${url}/`) || /^(?:data|blob):/.test(request.url())
    if (!isOwn) faults.push(`foreign: ${request.url()}`)
  })
  return faults
}

/** One thing that axe finds wrong. */
interface AxeViolation {
  readonly id: string
  readonly help: string
  readonly nodes: readonly { readonly target: readonly string[]; readonly failureSummary?: string }[]
}

async function axeFaults(page: Page): Promise<readonly string[]> {
  // The policy of the page lets no other script in; the protocol of the browser does.
  await page.evaluate(await readFile(AXE, 'utf8'))
  const found: string[] = []
  for (const theme of THEMES) {
    await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' })
    // Colours that are on their way to those of the theme have no contrast that counts.
    await page.evaluate('Promise.allSettled(document.getAnimations().map(({ finished }) => finished))')
    const { violations } = await page.evaluate<{ readonly violations: readonly AxeViolation[] }>('axe.run(document)')
    for (const { id, help, nodes } of violations) {
      found.push(`${theme}: ${id}: ${help}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`)
    }
  }
  await page.emulateMedia({ colorScheme: null, reducedMotion: null })
  return found
}

async function shoot(page: Page, name: string): Promise<void> {
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
