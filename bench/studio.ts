// node bench/studio.ts: how long the Studio takes to draw, in Chromium with its processor slowed four times.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import type { Browser, Page } from 'playwright-core'
import config from '../examples/blog/daybook.config.ts'
import { openBrowser } from '../packages/client/test/support/browser.ts'
import { compileModel } from '../packages/daybook/src/model/compile.ts'
import { prepareStudio } from '../scripts/packages/build-studio.ts'
import { startArgs } from './bench.ts'
import type { BenchStore } from './databases/databases.ts'
import { SqliteDatabases } from './databases/sqlite-databases.ts'
import { here, Server } from './load/child.ts'
import { median, TOKEN } from './load/measure.ts'
import { thisMachine } from './report.ts'

const { values: given } = parseArgs({
  options: {
    entries: { type: 'string', default: '1000000' },
    slowed: { type: 'string', default: '4' },
    data: { type: 'string', default: join(tmpdir(), 'daybook-bench') },
    out: { type: 'string' },
  },
})

const ROUNDS = 9
const KEYS = 40
const BLOCKS = 500
const RELATIONS = 1000
/** How long a person looks at a form before a picker is opened, in milliseconds. */
const READING_MS = 1000

/** What the page keeps of how long things took. */
const WATCH = `
sessionStorage.setItem('daybook-studio-token', ${JSON.stringify(TOKEN)})
// A frame is on the screen when what was asked for after it runs.
window.painted = () => new Promise((done) => requestAnimationFrame(() => {
  const { port1, port2 } = new MessageChannel()
  port1.onmessage = () => done(performance.now())
  port2.postMessage(0)
}))
window.afterClick = (selector) => new Promise((done) => {
  addEventListener('click', ({ timeStamp }) => {
    const look = () => document.querySelector(selector) ? painted().then((end) => done(end - timeStamp)) : requestAnimationFrame(look)
    look()
  }, { capture: true, once: true })
})
window.keyTimes = []
addEventListener('keydown', ({ timeStamp }) => painted().then((end) => keyTimes.push(end - timeStamp)), { capture: true })`

/** The Studio of a service in a tab, slowed. */
async function visit<T>(browser: Browser, url: string, work: (page: Page) => Promise<T>): Promise<T> {
  const tab = await browser.newContext({ viewport: { width: 1280, height: 900 }, locale: 'en-GB' })
  try {
    const page = await tab.newPage()
    await page.addInitScript(WATCH)
    const session = await tab.newCDPSession(page)
    await session.send('Emulation.setCPUThrottlingRate', { rate: Number(given.slowed) })
    await page.goto(url)
    return await work(page)
  } finally {
    await tab.close()
  }
}

/** How long after the click that `act` makes something is on the screen, in milliseconds. */
async function afterClick(page: Page, selector: string, act: () => Promise<void>): Promise<number> {
  const time = page.evaluate<number>(`afterClick(${JSON.stringify(selector)})`)
  await act()
  return time
}

/** A list that is opened from the overview, each time in a new tab. */
async function listTimes(browser: Browser, url: string): Promise<readonly number[]> {
  const times: number[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    const time = await visit(browser, `${url}/studio`, async (page) => {
      const link = page.getByRole('navigation').getByRole('link', { name: 'Posts', exact: true })
      await link.waitFor()
      await page.getByRole('heading', { level: 1 }).waitFor()
      return afterClick(page, '[data-index] a', () => link.click())
    })
    times.push(time)
  }
  return times
}

/** Keys that are typed in a block in the middle of a form. */
async function keyTimes(browser: Browser, url: string, page: string): Promise<readonly number[]> {
  return visit(browser, `${url}/studio/c/pages/${page}`, async (tab) => {
    const title = tab.getByLabel('Title', { exact: true }).first()
    await title.waitFor()
    await tab.getByRole('button', { name: 'Unfold all' }).first().click()
    const heading = tab.getByLabel('Heading').nth(BLOCKS / 4)
    await heading.click()
    await tab.evaluate('keyTimes.length = 0')
    for (let key = 0; key < KEYS; key += 1) await tab.keyboard.press(key % 5 === 4 ? 'Space' : 'a', { delay: 60 })
    await tab.waitForFunction(`keyTimes.length >= ${KEYS}`)
    return tab.evaluate<number[]>('keyTimes')
  })
}

/** The picker of a field with many relations. */
async function pickerTimes(browser: Browser, url: string, shelf: string): Promise<readonly number[]> {
  const times: number[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    const time = await visit(browser, `${url}/studio/c/shelves/${shelf}`, async (page) => {
      const button = page.getByRole('button', { name: /^(?:Choose|Add)/ }).first()
      await button.waitFor()
      // A person reads what stands there first.
      await page.getByRole('button', { name: 'Book 0', exact: true }).waitFor()
      await page.waitForTimeout(READING_MS)
      return afterClick(page, '[role="option"]', () => button.click())
    })
    times.push(time)
  }
  return times
}

const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' }

async function create(url: string, collection: string, data: object): Promise<string> {
  const answer = await fetch(`${url}/api/${collection}`, { method: 'POST', headers, body: JSON.stringify(data) })
  if (answer.status !== 201) throw new Error(`creating ${collection} answered ${answer.status}: ${await answer.text()}`)
  return ((await answer.json()) as { id: string }).id
}

function blocks(): readonly object[] {
  return Array.from({ length: BLOCKS }, (_, n) =>
    n % 2 === 0
      ? { _type: 'text', heading: `Part ${n}`, body: 'Oak galls, iron and gum. '.repeat(8) }
      : { _type: 'quote', words: `Write it down, ${n} times.`, by: 'Inés Prado' },
  )
}

async function books(url: string): Promise<readonly string[]> {
  const ids: string[] = []
  for (let n = 0; n < RELATIONS * 2; n += 1) ids.push(await create(url, 'books', { title: `Book ${n}` }))
  return ids.slice(0, RELATIONS)
}

function lineOf(what: string, times: readonly number[], most: number): string {
  const middle = median([...times])
  const verdict = middle <= most ? 'met' : 'NOT MET'
  return `${what.padEnd(58)} ${middle.toFixed(0).padStart(5)} ms, longest ${Math.max(...times)
    .toFixed(0)
    .padStart(5)} ms   <= ${most} ms  ${verdict}`
}

const start = (store: BenchStore, file?: string): Promise<Server> =>
  Server.start(
    startArgs(store, file === undefined ? {} : { config: file }),
    { ...store.env, DAYBOOK_SERVICE_TOKEN: TOKEN },
    { place: 'anywhere' },
  )

async function measureStudio(): Promise<readonly string[]> {
  const root = resolve(given.data)
  const scratch = await mkdtemp(join(root, 'studio-'))
  const say = (line: string): void => void process.stderr.write(`${line}\n`)
  await prepareStudio()
  await using databases = new SqliteDatabases({ root, scratch, model: compileModel(config), say })
  await using open = await openBrowser()
  const { system, processor, node, date, loadBefore } = thisMachine()
  const version = open.browser.version()
  const lines = [
    `${processor}, ${system}, Node ${node}, Chromium ${version}, ${date}, load before ${loadBefore}; processor slowed ${given.slowed} times; medians`,
  ]
  try {
    {
      await using large = await start(await databases.seeded(Number(given.entries)))
      const title = `a list of ${Number(given.entries).toLocaleString('en')}, from the click to its rows`
      lines.push(lineOf(title, await listTimes(open.browser, large.url), 300))
      say(lines.at(-1) ?? '')
    }
    await using hard = await start(await databases.blank(), here('../databases/studio.config.ts'))
    const page = await create(hard.url, 'pages', { title: 'Ink', status: 'draft', parts: blocks() })
    lines.push(
      lineOf(
        `a key in a form with ${BLOCKS} blocks, until it is drawn`,
        await keyTimes(open.browser, hard.url, page),
        50,
      ),
    )
    say(lines.at(-1) ?? '')
    const shelf = await create(hard.url, 'shelves', { title: 'Ink', books: await books(hard.url) })
    const title = `a picker in a field with ${RELATIONS.toLocaleString('en')} relations, until it shows some`
    lines.push(lineOf(title, await pickerTimes(open.browser, hard.url, shelf), 300))
    say(lines.at(-1) ?? '')
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
  return lines
}

const lines = await measureStudio()
process.stdout.write(`${lines.join('\n')}\n`)
if (given.out) await writeFile(given.out, `${lines.join('\n')}\n`)
