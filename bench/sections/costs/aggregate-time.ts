import { type Bench, startArgs } from '../../bench.ts'
import { fillNotes } from '../../databases/aggregate-store.ts'
import { ask } from '../../load/check.ts'
import { here, Server } from '../../load/child.ts'
import { median, TOKEN } from '../../load/measure.ts'
import { type AggregateTime, aggregateResult } from '../../report.ts'

const CONFIG = here('../databases/aggregate.config.ts')
/** How often each is asked for the first time after a change. */
const ROUNDS = 5
const NOTES = '/api/notes'

/** What is asked, and whether each write keeps it. */
const QUESTIONS: readonly (readonly [what: string, query: string, isKept: boolean])[] = [
  ['count by a counted field of 20 values', 'aggregate=count:counted', true],
  ['count by a field of 20 values', 'aggregate=count:plain', false],
  ['count by month', 'aggregate=count:day:month', false],
  ['least and greatest of a number', 'aggregate=min:price,max:price', false],
  ['exact sum of a number', 'aggregate=sum:price', false],
  ['count of a twentieth', 'aggregate=count:plain&where[day][lt]=2020-04-10', false],
]

/** A list with aggregates, in the first request after a change and in the next one. */
export async function timeAggregates(bench: Bench): Promise<readonly AggregateTime[]> {
  if (!bench.isAsked('aggregate')) return []
  bench.say('aggregates …')
  const store = await bench.databases.blank()
  await fillNotes(store, bench.entries, bench.say)
  const env = { ...store.env, DAYBOOK_SERVICE_TOKEN: TOKEN }
  await using server = await Server.start([...bench.profiling, ...startArgs(store, { config: CONFIG })], env)
  const times: AggregateTime[] = []
  for (const [what, query, isKept] of QUESTIONS) times.push(await timeOne(server.url, what, query, isKept))
  return times
}

async function timeOne(url: string, what: string, query: string, isKept: boolean): Promise<AggregateTime> {
  const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' }
  const address = `${url}${NOTES}?limit=0&${query}`
  const [first, again]: [number[], number[]] = [[], []]
  for (let n = 0; n < ROUNDS; n++) {
    const { status } = await ask(url + NOTES, 'POST', JSON.stringify({ title: what, counted: 'kind1' }), headers)
    if (status !== 201) throw new Error(`a note was answered with ${status}`)
    first.push(await timed(address))
    again.push(await timed(address))
  }
  return aggregateResult(what, median(first), median(again), isKept)
}

/** In milliseconds; endless where the service gives up. */
async function timed(address: string): Promise<number> {
  const startedAt = performance.now()
  const { status } = await ask(address)
  if (status === 503) return Number.POSITIVE_INFINITY
  if (status !== 200) throw new Error(`${address} answered ${status}`)
  return performance.now() - startedAt
}
