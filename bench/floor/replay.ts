// The floor that replays: what a server could do at most with Daybook's statements on Daybook's tables.
import { readFileSync } from 'node:fs'
import type { PagePlan, ReplayPlan, StatementsPlan } from '../load/plan.ts'
import { serveBare } from './bare-server.ts'
import { after, type Maybe } from './maybe.ts'
import { openPostgresReplay } from './replay-postgres.ts'
import { openSqliteReplay } from './replay-sqlite.ts'

const plan = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as StatementsPlan
const store = plan.engine === 'postgres' ? openPostgresReplay(plan.address) : openSqliteReplay(plan.address)
const readEntry = store.prepare(plan.entry)

function pageReader({ counters, page, shown, parts: [head, middle, tail] }: PagePlan): () => Maybe<string> {
  const readCounters = store.prepare(counters)
  const readPage = store.prepare(page)
  return () =>
    after(readCounters.get(...counters.parameters), (counted) =>
      after(readPage.all(...page.parameters), (rows) => {
        const { counts } = counted as { counts: string }
        const items = (rows as { doc: string }[]).slice(0, shown).map(({ doc }) => doc)
        return `${head}${JSON.parse(counts).published}${middle}${items.join(',')}${tail}`
      }),
    )
}

function replayer({ calls, json }: ReplayPlan): () => Maybe<string> {
  const statements = calls.map((call) => ({ statement: store.prepare(call), parameters: call.parameters }))
  return () => {
    let done: Maybe<unknown>
    for (const { statement, parameters } of statements) done = after(done, () => statement.all(...parameters))
    return after(done, () => json)
  }
}

await serveBare({
  lists: new Map([
    ...Object.entries(plan.pages).map(([path, page]) => [path, pageReader(page)] as const),
    ...Object.entries(plan.replays).map(([path, replay]) => [path, replayer(replay)] as const),
  ]),
  entry: (slug) => after(readEntry.get(slug), (row) => (row as { doc: string } | undefined)?.doc),
})
