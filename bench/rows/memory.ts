import { setTimeout as sleep } from 'node:timers/promises'
import { type Bench, startDaybook, WrongResponseError } from '../bench.ts'
import type { ReportLine } from '../report.ts'
import { TOKEN } from '../stores/fill.ts'
import { CATEGORIES, COMMONEST_WORD, randomFrom } from '../stores/text.ts'

const MIB = 2 ** 20
/** Time after the start in which a service gives back memory, in milliseconds. */
const IDLE_MS = 3000
const CLIENTS = 8
/** The numbers of requests after which memory is read. */
const MARKS = [1000, 10_000, 50_000]
/** One write in this number of requests. */
const WRITE_EVERY = 20

/** Measures the resident memory of the service after its start, and after mixed requests most of which are sent once. */
export async function measureMemory({ stores, store, say }: Bench): Promise<readonly ReportLine[]> {
  say('memory …')
  await using server = await startDaybook(await stores.copy(store), { place: 'anywhere' })
  await fetch(`${server.url}/api/health`)
  await sleep(IDLE_MS)
  const lines = [{ work: 'after the start', MiB: Math.round((await server.memory()) / MIB) }]
  let number = 0
  for (const mark of MARKS) {
    const sendUntilMark = async (): Promise<void> => {
      while (number < mark) await sendMixedRequest(server.url, number++)
    }
    await Promise.all(Array.from({ length: CLIENTS }, sendUntilMark))
    const work = `after ${mark.toLocaleString('en')} mixed requests`
    lines.push({ work, MiB: Math.round((await server.memory()) / MIB) })
  }
  return [...lines, { work: 'at most', MiB: Math.round((await server.peakMemory()) / MIB) }]
}

async function sendMixedRequest(url: string, number: number): Promise<void> {
  const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ title: `Memory ${number}`, body: 'word '.repeat(200), category: CATEGORIES[0] })
  const response =
    number % WRITE_EVERY === 0
      ? await fetch(`${url}/api/posts`, { method: 'POST', headers, body })
      : await fetch(url + makeListPath(), number % 3 === 0 ? { headers } : {})
  await response.arrayBuffer()
  if (response.status >= 500) throw new WrongResponseError(`memory: request ${number} responded ${response.status}`)
}

const random = randomFrom(11)
const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T
const FIELDS = ['title', 'category', 'publishedOn', 'createdAt', 'updatedAt', 'slug', 'status']
const OPERATORS = ['eq', 'ne', 'lt', 'gte', 'in', 'nin', 'startsWith', 'contains']
const WORDS = [COMMONEST_WORD, 'a', 'of', 'the', 'light']

const makeCondition = (): string =>
  random() < 0.5
    ? `[${pick(['title', 'category', 'slug'])}][${pick(OPERATORS)}]=${pick(CATEGORIES)}`
    : `[publishedOn][${pick(OPERATORS.slice(0, 6))}]=2020-0${1 + Math.floor(random() * 9)}-11`

/** Makes the address of a list; few other requests have the same. */
function makeListPath(): string {
  const parameters = [
    () => `q=${pick(WORDS)}`,
    () => `where${makeCondition()}`,
    () => `where[or][0]${makeCondition()}&where[or][1]${makeCondition()}`,
    () => `where[not]${makeCondition()}`,
    () => `sort=${pick(['', '-'])}${pick(FIELDS)}`,
    () => `select=${pick(FIELDS)},${pick(FIELDS)}`,
    () => `include=${pick(['author', 'tags', 'author,tags'])}`,
  ]
  const chosen = parameters.filter(() => random() < 0.4).map((makeParameter) => makeParameter())
  return `/api/posts?${[...chosen, `limit=${Math.floor(random() * 20)}`].join('&')}`
}
