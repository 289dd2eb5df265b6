import { readFile } from 'node:fs/promises'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { serve } from 'vitepress'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type OpenBrowser, openBrowser } from '../../packages/client/test/support/browser.ts'
import { axeFaults, SIZES, shoot, watch } from '../../packages/studio/test/support/visit.ts'
import { SECTIONS } from '../.vitepress/sections.ts'
import { ROOT, run } from './site.ts'

const BASE = '/v0.1/'
const PAGES = ['index', ...Object.values(SECTIONS).flat()]

let server: Server
let url: string
let open: OpenBrowser
beforeAll(async () => {
  const { status, stderr } = await run('npm', ['run', '--silent', 'docs:build'], ROOT)
  expect({ status, stderr }).toEqual({ status: 0, stderr: expect.not.stringMatching(/error|warn/i) })
  server = (await serve({ root: join(ROOT, 'docs'), port: 0 })).server as Server
  url = `http://localhost:${(server.address() as AddressInfo).port}${BASE}`
  open = await openBrowser()
})
afterAll(async () => {
  await open?.[Symbol.asyncDispose]()
  server?.close()
})

interface BuiltPage {
  readonly path: string
  readonly ids: readonly string[]
  readonly links: readonly string[]
}

async function readBuiltPage(path: string): Promise<BuiltPage> {
  const html = await readFile(join(ROOT, 'site', BASE, `${path}.html`), 'utf8')
  // The browser of the other tests loads the styles and scripts.
  const isPage = (link: string): boolean => /^[/#]/.test(link) && !/\/assets\/|\.css$/.test(link)
  return { path, ids: findAll(html, 'id'), links: findAll(html, 'href').filter(isPage) }
}

const findAll = (html: string, attribute: string): readonly string[] =>
  [...html.matchAll(new RegExp(` ${attribute}="([^"]*)"`, 'g'))].map(([, value = '']) => value)

test('each link of the site leads to a page and to a heading of it', async () => {
  const pages = await Promise.all(PAGES.map(readBuiltPage))
  const isFound = (from: string, link: string): boolean => {
    const [path = '', heading = ''] = decodeURI(link).split('#')
    const target = path === '' ? from : path.slice(BASE.length) || 'index'
    const page = pages.find((candidate) => candidate.path === target)
    return page !== undefined && (heading === '' || page.ids.includes(heading))
  }
  const broken = pages.flatMap(({ path, links }) => links.filter((link) => !isFound(path, link)))
  expect(broken).toEqual([])
})

test('/ leads to the version', async () => {
  expect(await readFile(join(ROOT, 'site/index.html'), 'utf8')).toContain(`url=${BASE}"`)
})

/** Pages with every kind of content: a hero, tables, long code, pictures. */
describe.each(['index', 'tutorial/blog', 'guides/studio-for-editors', 'reference/metrics'])('%s', (path) => {
  test('has no fault at three widths and in both themes', async () => {
    const page = await open.browser.newPage()
    const faults = watch(page, new URL(url).origin)
    await page.goto(new URL(path === 'index' ? '' : path, url).href)
    for (const size of SIZES) {
      await page.setViewportSize(size)
      const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
      expect({ size, overflow }).toEqual({ size, overflow: 0 })
      expect(await axeFaults(page)).toEqual([])
    }
    await shoot(page, `docs-${path.replaceAll('/', '-')}`)
    expect(faults).toEqual([])
    await page.close()
  })
})

test('the search finds a heading without another server', async () => {
  const page = await open.browser.newPage()
  const faults = watch(page, new URL(url).origin)
  await page.goto(url)
  await page.getByRole('button', { name: 'Search' }).click()
  await page.getByRole('searchbox').fill('idempotency')
  await page.getByRole('option').first().waitFor()
  await page.keyboard.press('Enter')
  await page.waitForURL(/v0\.1\/.+#/)
  expect(faults).toEqual([])
  await page.close()
})
