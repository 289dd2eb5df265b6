// node bench/memory.ts: what a process holds after the first 1,000 mixed requests, and after many more.
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import config from '../examples/blog/daybook.config.ts'
import { compileModel } from '../packages/daybook/src/model/compile.ts'
import { keepingArgs } from './bench.ts'
import { SqliteDatabases } from './databases/sqlite-databases.ts'
import { CATEGORIES, COMMONEST, randomFrom } from './databases/text.ts'
import { Server } from './load/child.ts'
import { TOKEN } from './load/measure.ts'
import { thisMachine } from './report.ts'

const { values: given } = parseArgs({
  options: {
    requests: { type: 'string', default: '100000' },
    entries: { type: 'string', default: '1000' },
    data: { type: 'string', default: join(tmpdir(), 'daybook-bench') },
    'nothing-kept': { type: 'boolean', default: false },
    out: { type: 'string' },
  },
})

const FIRST = 1000
const CLIENTS = 8
const MIB = 2 ** 20
const random = randomFrom(11)
const pickAny = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T
const maybe = (text: () => string): readonly string[] => (random() < 0.4 ? [text()] : [])

const FIELDS = ['title', 'category', 'publishedOn', 'createdAt', 'updatedAt', 'slug', 'status']
const TEXTS = ['eq', 'ne', 'lt', 'gte', 'in', 'nin', 'startsWith', 'contains']
const WORDS = [COMMONEST, 'a', 'of', 'the', 'light']

const condition = (): string => {
  const text = random() < 0.5
  const [field, operator] = text
    ? [pickAny(['title', 'category', 'slug']), pickAny(TEXTS)]
    : ['publishedOn', pickAny(TEXTS.slice(0, 6))]
  const value = text ? pickAny(CATEGORIES) : `2020-0${1 + Math.floor(random() * 9)}-11`
  return `[${field}][${operator}]=${encodeURIComponent(value)}`
}

/** A list that few others ask for: what is asked for has many forms, and more values. */
function question(): string {
  const parts = [
    ...maybe(() => `q=${pickAny(WORDS)}`),
    ...maybe(() => `where${condition()}`),
    ...maybe(() => `where[or][0]${condition()}&where[or][1]${condition()}`),
    ...maybe(() => `where[not]${condition()}`),
    ...maybe(() => `sort=${random() < 0.5 ? '-' : ''}${pickAny(FIELDS)}`),
    ...maybe(() => `select=${pickAny(FIELDS)},${pickAny(FIELDS)}`),
    ...maybe(() => `include=${pickAny(['author', 'tags', 'author,tags'])}`),
    `limit=${Math.floor(random() * 20)}`,
  ]
  return `/api/posts?${parts.join('&')}`
}

const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' }

async function askOne(url: string, number: number): Promise<void> {
  const isWrite = number % 20 === 0
  const body = JSON.stringify({ title: `Memory ${number}`, body: 'word '.repeat(200), category: pickAny(CATEGORIES) })
  const answer = isWrite
    ? await fetch(`${url}/api/posts`, { method: 'POST', headers, body })
    : await fetch(url + question(), number % 3 === 0 ? { headers } : {})
  await answer.arrayBuffer()
  if (answer.status >= 500) throw new Error(`${answer.status} to request ${number}`)
}

async function measureMemory(): Promise<readonly string[]> {
  const root = resolve(given.data)
  const scratch = await mkdtemp(join(root, 'memory-'))
  const say = (line: string): void => void process.stderr.write(`${line}\n`)
  await using databases = new SqliteDatabases({ root, scratch, model: compileModel(config), say })
  const store = await databases.copyOf(await databases.seeded(Number(given.entries)))
  const keeping = given['nothing-kept'] ? 'nothing kept' : 'kept'
  await using server = await Server.start(
    keepingArgs(store, keeping),
    { ...store.env, DAYBOOK_SERVICE_TOKEN: TOKEN },
    { place: 'anywhere' },
  )
  const { system, node, date } = thisMachine()
  const lines = [`${given.entries} entries, ${CLIENTS} clients, ${keeping}; ${system}, Node ${node}, ${date}`]
  const total = Number(given.requests)
  let first = 0
  let next = 0
  for (const mark of [FIRST, ...[0.05, 0.1, 0.2, 0.5, 1].map((share) => total * share)].filter((one) => one >= FIRST)) {
    const client = async (): Promise<void> => {
      while (next < mark) await askOne(server.url, next++)
    }
    await Promise.all(Array.from({ length: CLIENTS }, client))
    const held = (await server.memory()) / MIB
    first ||= held
    lines.push(
      `after ${mark.toLocaleString('en')} requests: ${held.toFixed(0)} MiB (${(held - first).toFixed(0)} more)`,
    )
    say(lines.at(-1) ?? '')
  }
  return lines
}

const lines = await measureMemory()
process.stdout.write(`${lines.join('\n')}\n`)
if (given.out) await writeFile(given.out, `${lines.join('\n')}\n`)
