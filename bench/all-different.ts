// node bench/all-different.ts: ten million questions of which no two are alike, and what the process holds meanwhile.
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import config from '../examples/blog/daybook.config.ts'
import { compileModel } from '../packages/daybook/src/model/compile.ts'
import { keepingArgs } from './bench.ts'
import { SqliteDatabases } from './databases/sqlite-databases.ts'
import { Server } from './load/child.ts'
import { Line } from './load/line.ts'
import { TOKEN } from './load/measure.ts'
import { thisMachine } from './report.ts'

const { values: given } = parseArgs({
  options: {
    questions: { type: 'string', default: '10000000' },
    entries: { type: 'string', default: '10000' },
    data: { type: 'string', default: join(tmpdir(), 'daybook-bench') },
    out: { type: 'string' },
  },
})

const CLIENTS = 8
const MIB = 2 ** 20
const MARKS = 20
/** One write to so many questions. */
const WRITE_EVERY = 1000

/** What an answer may hold besides slug and title: 256 choices. */
const FIELDS = ['body', 'status', 'author', 'tags', 'category', 'publishedOn', 'createdAt', 'updatedAt']

interface Known {
  readonly id: string
  readonly slug: string
  title: string
  /** Not asked for while it is written to: either title would be right. */
  isBeingWritten: boolean
}

const selected = (choice: number): string =>
  ['slug', 'title', ...FIELDS.filter((_, bit) => choice & (1 << bit))].join(',')

/** The question of this number about an entry: first alone, with each choice of fields, then in lists of each length. */
function questionAbout({ slug }: Known, number: number): string {
  const select = `select=${selected(number % 256)}`
  const form = Math.floor(number / 256)
  return form === 0 ? `/api/posts/${slug}?${select}` : `/api/posts?where[slug][eq]=${slug}&limit=${form}&${select}`
}

interface Page {
  readonly items: readonly { readonly id: string; readonly slug: string; readonly title: string }[]
  readonly nextCursor: string | null
}

/** What everybody may read. */
async function published(url: string): Promise<readonly Known[]> {
  const found: Known[] = []
  let cursor: string | null = ''
  while (cursor !== null) {
    const rest: string = cursor && `&cursor=${cursor}`
    const answer = await fetch(`${url}/api/posts?limit=100&select=slug,title${rest}`)
    const page = (await answer.json()) as Page
    found.push(...page.items.map(({ id, slug, title }) => ({ id, slug, title, isBeingWritten: false })))
    cursor = page.nextCursor
  }
  return found
}

/** Gives an entry a title that it never had, and knows it from the answer on. */
async function write(url: string, entry: Known, number: number): Promise<void> {
  entry.isBeingWritten = true
  const title = `Written ${number}`
  const answer = await fetch(`${url}/api/posts/${entry.id}`, {
    method: 'PATCH',
    headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
    body: JSON.stringify({ title }),
  })
  await answer.arrayBuffer()
  if (answer.status !== 200) throw new Error(`${answer.status} to a write`)
  entry.title = title
  entry.isBeingWritten = false
}

async function askAll(): Promise<readonly string[]> {
  const root = resolve(given.data)
  const scratch = await mkdtemp(join(root, 'different-'))
  const say = (line: string): void => void process.stderr.write(`${line}\n`)
  await using databases = new SqliteDatabases({ root, scratch, model: compileModel(config), say })
  const store = await databases.copyOf(await databases.seeded(Number(given.entries)))
  const env = { ...store.env, DAYBOOK_SERVICE_TOKEN: TOKEN }
  await using server = await Server.start(keepingArgs(store, 'kept'), env)
  const entries = await published(server.url)
  const { system, node, date } = thisMachine()
  const lines = [`${entries.length} entries, ${CLIENTS} clients; ${system}, Node ${node}, ${date}`]
  const total = Number(given.questions)
  let next = 0
  let writes = 0
  let stale = 0

  const askNext = async (line: Line): Promise<void> => {
    const number = next++
    const entry = entries[number % entries.length] as Known
    const path = questionAbout(entry, Math.floor(number / entries.length))
    if (number % WRITE_EVERY === 0) {
      writes += 1
      // The answer that is kept is asked for again below, when it is old.
      for (let times = 0; times < 2; times += 1) await line.ask(path)
      await write(server.url, entry, number)
    }
    if (entry.isBeingWritten) return
    const { title } = entry
    const { status, body } = await line.ask(path)
    if (status !== 200) throw new Error(`${status} to ${path}`)
    if (entry.title === title && !entry.isBeingWritten && !body.includes(JSON.stringify(title))) stale += 1
  }

  const lineOf = Array.from({ length: CLIENTS }, () => new Line(server.url))
  for (let mark = 1; mark <= MARKS; mark += 1) {
    const until = (total * mark) / MARKS
    const client = async (line: Line): Promise<void> => {
      while (next < until) await askNext(line)
    }
    await Promise.all(lineOf.map(client))
    const [held, peak] = [(await server.memory()) / MIB, (await server.peak()) / MIB]
    const asked = next.toLocaleString('en')
    lines.push(
      `${asked} questions, ${writes} writes: ${held.toFixed(0)} MiB, at most ${peak.toFixed(0)}; ${stale} stale`,
    )
    say(lines.at(-1) ?? '')
  }
  for (const line of lineOf) line[Symbol.dispose]()
  if (stale > 0) process.exitCode = 1
  return lines
}

const lines = await askAll()
process.stdout.write(`${lines.join('\n')}\n`)
if (given.out) await writeFile(given.out, `${lines.join('\n')}\n`)
