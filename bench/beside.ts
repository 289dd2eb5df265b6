// node bench/beside.ts DIR: this checkout of Daybook beside another one, each on a store of its own.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import config from '../examples/blog/daybook.config.ts'
import { compileModel } from '../packages/daybook/src/model/compile.ts'
import { startArgs } from './bench.ts'
import type { Databases } from './databases/databases.ts'
import { fillByHttp, targetingOf } from './databases/fill-by-http.ts'
import { PostgresDatabases } from './databases/postgres-databases.ts'
import { SqliteDatabases } from './databases/sqlite-databases.ts'
import { Child, here, Server } from './load/child.ts'
import { KINDS, type Kind } from './load/kinds.ts'
import { race, type Side, TOKEN } from './load/measure.ts'
import { printedPairs } from './print.ts'
import { type Pair, pairOf, thisMachine } from './report.ts'

const { values: given, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    database: { type: 'string', default: 'sqlite' },
    entries: { type: 'string', default: '1000' },
    seconds: { type: 'string', default: '3' },
    rounds: { type: 'string', default: '5' },
    only: { type: 'string', multiple: true },
    data: { type: 'string', default: join(tmpdir(), 'daybook-bench') },
    out: { type: 'string' },
  },
})

const entries = Number(given.entries)
const effort = { seconds: Number(given.seconds), rounds: Number(given.rounds) }
/** No figure is to fall. */
const TARGET = 1

const say = (line: string): void => void process.stderr.write(`${line}\n`)

/** Daybook of a checkout, on a store that is filled over HTTP. */
async function startSide(checkout: string, databases: Databases): Promise<Side> {
  const store = await databases.blank()
  const cli = join(checkout, 'packages/daybook/src/cli/bin.ts')
  const args = startArgs(store, { cli, config: join(checkout, 'examples/blog/daybook.config.ts') })
  const server = await Server.start(args, { ...store.env, DAYBOOK_SERVICE_TOKEN: TOKEN })
  const targets = await fillByHttp(server.url, entries)
  return { name: checkout, servers: [server], database: databases, targeting: await targetingOf(server.url, targets) }
}

/** Whether a side does this kind of work at all: an older one may not. */
async function canDo({ name, servers, targeting }: Side, { title, load }: Kind): Promise<boolean> {
  const [path] = load(targeting, TOKEN, 0).paths ?? []
  const answer = path === undefined ? undefined : await fetch(`${servers[0]?.url}${path}`)
  await answer?.arrayBuffer()
  const isDone = answer?.ok ?? true
  if (!isDone) say(`${title}: ${name} answers ${answer?.status}`)
  return isDone
}

async function compareAll(sides: readonly [other: Side, own: Side]): Promise<readonly Pair[]> {
  const [other, own] = sides
  await using generator = new Child('load', [here('load.ts')])
  const rows: Pair[] = []
  for (const kind of KINDS.filter(({ name }) => given.only?.includes(name) ?? true)) {
    if (!((await canDo(other, kind)) && (await canDo(own, kind)))) continue
    say(`${kind.title} …`)
    const [before, now] = await race(generator, kind, [other, own], effort)
    rows.push(pairOf(kind, 'this checkout', TARGET, before, now))
  }
  return rows
}

async function runBeside(checkout: string, scratch: string): Promise<string> {
  const ground = { root: resolve(given.data), scratch, model: compileModel(config), say }
  await using databases =
    given.database === 'postgres' ? await PostgresDatabases.start(ground) : new SqliteDatabases(ground)
  const machine = thisMachine()
  const other = await startSide(resolve(checkout), databases)
  await using _other = other.servers[0]
  const own = await startSide(here('../..'), databases)
  await using _own = own.servers[0]
  const rows = await compareAll([other, own])
  return printedPairs({ machine, database: databases.version, entries, ...effort }, { title: 'another checkout', rows })
}

const [checkout] = positionals
if (checkout === undefined) throw new Error('Name the folder of another checkout, in which npm ci has run.')
const root = resolve(given.data)
await mkdir(root, { recursive: true })
const scratch = await mkdtemp(join(root, 'beside-'))
try {
  const report = await runBeside(checkout, scratch)
  process.stdout.write(`${report}\n`)
  if (given.out) await writeFile(given.out, `${report}\n`)
} finally {
  await rm(scratch, { recursive: true, force: true })
}
