import { writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type BaselinePage, type BaselinePlan, openBaselineStore } from '../baseline/baseline-store.ts'
import { type Bench, startDaybook, WrongResponseError } from '../bench.ts'
import { Server } from '../load/child.ts'
import { compareSamples, nextPosts, race, type Side, type Work } from '../load/race.ts'
import type { ReportLine } from '../report.ts'
import { type Addresses, findAddresses } from '../stores/addresses.ts'
import { TOKEN } from '../stores/fill.ts'
import { makePost } from '../stores/text.ts'

const BASELINE = fileURLToPath(new URL('../baseline/server.ts', import.meta.url))

/** The search, which has no baseline. */
export const SEARCH: Work = { title: 'search for the commonest word', connections: 10, paths: ({ search }) => [search] }

/** The rows that are compared with the baseline, and their kinds of work. */
export const REQUEST_ROWS: Readonly<Record<string, readonly Work[]>> = {
  entry: [{ title: 'entry by slug', connections: 10, paths: ({ entries }) => entries }],
  list: [
    { title: 'list of the 20 newest, with total', connections: 10, paths: ({ list }) => [list] },
    { title: 'page of 20 by cursor', connections: 10, paths: ({ pages }) => pages.map(({ path }) => path) },
  ],
  include: [{ title: 'list of 20 with include=author', connections: 10, paths: ({ include }) => [include] }],
  create: [
    { title: 'create, 8 clients', connections: 8 },
    { title: 'create, one client', connections: 1 },
  ],
}

export async function measureRequests(
  bench: Bench,
  rows: readonly string[],
): Promise<Readonly<Record<string, readonly ReportLine[]>>> {
  await using planner = await startDaybook(bench.store, { isCached: false })
  const { plan, addresses } = await prepareBaseline(bench, planner.url)
  const planFile = join(bench.scratch, 'baseline.json')
  await writeFile(planFile, JSON.stringify(plan))
  await using baseline = await Server.start([BASELINE, planFile])
  const baselineSide = { name: 'baseline', server: baseline, addresses }
  const lines: Record<string, readonly ReportLine[]> = {}
  const readRows = rows.filter((row) => row !== 'create')
  if (readRows.length > 0) {
    await using cached = await startDaybook(bench.store)
    const sides = [
      baselineSide,
      { name: 'cached', server: cached, addresses },
      { name: 'uncached', server: planner, addresses },
    ]
    for (const row of readRows) lines[row] = await compareWorks(bench, row, sides)
  }
  if (rows.includes('create')) {
    await planner[Symbol.asyncDispose]()
    await using writable = await startDaybook(await bench.stores.copy(bench.store))
    const daybookSide = { name: 'durable', server: writable, addresses }
    lines.create = await compareWorks(bench, 'create', [baselineSide, daybookSide])
  }
  return lines
}

async function prepareBaseline(
  { stores, say }: Bench,
  url: string,
): Promise<{ readonly plan: BaselinePlan; readonly addresses: Addresses }> {
  say('filling the baseline …')
  const { address } = await stores.makeEmpty()
  await using store = await openBaselineStore(stores.name, address)
  const addresses = await findAddresses(url, (rows) => store.addPosts(rows))
  await store.finish()
  const pages: Record<string, BaselinePage> = {
    [addresses.list]: await planPage(url, addresses.list, 'posts', 1),
    [addresses.include]: await planPage(url, addresses.include, 'joined', 1),
  }
  for (const { path, first } of addresses.pages) pages[path] = await planPage(url, path, 'posts', first)
  return { plan: { store: stores.name, address, pages }, addresses }
}

async function planPage(url: string, path: string, table: BaselinePage['table'], first: number): Promise<BaselinePage> {
  const { body } = await sendRequest(url + path)
  const [, head = '', middle = ''] = /^(\{"collection":"\w+","total":)\d+(,.*?"items":\[)/.exec(body) ?? []
  const last = first + (JSON.parse(body) as { items: unknown[] }).items.length - 1
  return { table, first, last, parts: [head, middle, body.slice(body.lastIndexOf('],"nextCursor"'))] }
}

async function compareWorks(bench: Bench, row: string, sides: readonly Side[]): Promise<readonly ReportLine[]> {
  const lines: ReportLine[] = []
  for (const work of REQUEST_ROWS[row] ?? []) {
    bench.say(`${work.title} …`)
    await requireSameResponses(work, sides)
    const [baseline, ...samples] = await race(bench, work, sides)
    for (const [index, sample] of samples.entries()) {
      const name = sides[index + 1]?.name ?? ''
      if (baseline) lines.push(compareSamples(work, ['baseline', baseline], [name, sample]))
    }
  }
  return lines
}

/** The largest number of addresses whose responses are compared. */
const MAX_COMPARED = 200

interface PlainResponse {
  readonly status: number | undefined
  readonly headerNames: string
  readonly body: string
}

/** Sends a request as the load generator does, without headers that would change the response. */
function sendRequest(
  url: string,
  method = 'GET',
  body = '',
  headers: Record<string, string> = {},
): Promise<PlainResponse> {
  return new Promise((resolve, reject) => {
    const sending = request(url, { method, headers }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () => {
        const headerNames = Object.keys(response.headers).sort().join()
        resolve({ status: response.statusCode, headerNames, body: Buffer.concat(chunks).toString() })
      })
    })
    sending.on('error', reject)
    sending.end(body)
  })
}

/**
 * Checks that all sides do the same work: reads return the same bytes, creations the stored entry, and all responses have
 * headers of the same names.
 *
 * @throws {WrongResponseError} at the first difference
 */
async function requireSameResponses({ title, paths }: Work, sides: readonly Side[]): Promise<void> {
  const requireSame = (what: string, responses: readonly PlainResponse[], key: keyof PlainResponse): void => {
    const values = responses.map((response) => response[key])
    if (values.every((value) => value === values[0])) return
    throw new WrongResponseError(`${title}: ${what} has another ${key} than the baseline: ${values.join('\n')}`)
  }
  const addresses = sides[0]?.addresses as Addresses
  for (const path of paths?.(addresses).slice(0, MAX_COMPARED) ?? []) {
    const responses = await Promise.all(sides.map(({ server }) => sendRequest(server.url + path)))
    for (const key of ['status', 'headerNames', 'body'] as const) requireSame(path, responses, key)
  }
  if (paths) return
  const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' }
  const post = makePost(nextPosts(addresses).first, addresses.targets)
  const send = ({ server }: Side): Promise<PlainResponse> =>
    sendRequest(`${server.url}/api/posts`, 'POST', JSON.stringify(post), headers)
  const responses = await Promise.all(sides.map(send))
  for (const key of ['status', 'headerNames'] as const) requireSame('POST', responses, key)
  for (const { body } of responses) {
    const { title: storedTitle } = JSON.parse(body) as { readonly title?: string }
    if (storedTitle !== post.title) throw new WrongResponseError(`${title}: the response is not the stored entry`)
  }
}
