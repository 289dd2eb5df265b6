import { type Bench, startDaybook } from '../../bench.ts'
import type { Kind } from '../../load/kinds.ts'
import { race, type Side } from '../../load/measure.ts'
import { makePlan, type Targeting } from '../../load/plan.ts'
import { type Pair, pairOf } from '../../report.ts'

/** Two ways to ask Daybook for about the same. */
interface TwoWays {
  /** What `--only` takes. */
  readonly name: string
  readonly title: string
  readonly what: string
  /** The least share of the first way's speed that the second one is to have. */
  readonly target: number
  /** The addresses of both. */
  ways(targeting: Targeting): readonly [string, string]
}

const TWO_WAYS: readonly TwoWays[] = [
  {
    name: 'select',
    title: 'list of the 20 newest',
    what: 'select of half the bytes',
    target: 1,
    ways: ({ list, half }) => [list, half],
  },
  {
    name: 'offset',
    title: 'page of 20 by cursor, deep',
    what: 'the same by offset',
    target: 0.6,
    ways: ({ deep }) => [deep.byCursor, deep.byOffset],
  },
]

const kindOf = ({ name, title }: TwoWays): Kind => ({
  name,
  title,
  status: 200,
  connections: 10,
  writes: false,
  load: ({ list }) => ({ paths: [list] }),
})

/** Reads of one Daybook that keeps no answers, beside others that cost about the same. */
export async function compareRequests(bench: Bench): Promise<readonly Pair[]> {
  const asked = TWO_WAYS.filter(({ name }) => bench.isAsked(name))
  if (asked.length === 0) return []
  bench.say('select and offset …')
  const { targeting } = await makePlan(bench.store, bench.model)
  await using server = await startDaybook(bench, bench.store, { keeping: 'nothing kept' })
  const side = (list: string): Side => ({
    name: list,
    servers: [server],
    database: bench.databases,
    targeting: { ...targeting, list },
  })
  const found: Pair[] = []
  for (const one of asked) {
    const [usual, other] = one.ways(targeting)
    const kind = kindOf(one)
    const [without, own] = await race(bench.generator, kind, [side(usual), side(other)], bench.effort)
    found.push(pairOf(kind, one.what, one.target, without, own))
  }
  return found
}
