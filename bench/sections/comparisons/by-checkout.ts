import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type Bench, startArgs, startDaybook } from '../../bench.ts'
import { Server } from '../../load/child.ts'
import { SEARCH } from '../../load/kinds.ts'
import { race, type Side } from '../../load/measure.ts'
import { makePlan } from '../../load/plan.ts'
import { type Pair, pairOf } from '../../report.ts'

/** What a search is to be by that of the other checkout. */
const MIN_BY_OTHER = 3
/** Configs of a checkout, the one that keeps no answers first. */
const CONFIGS = ['bench/databases/unkept.config.ts', 'examples/blog/daybook.config.ts']

/** The search of this checkout beside that of another, on copies of the same store; nothing without a checkout. */
export async function compareCheckouts(bench: Bench, checkout: string | undefined): Promise<readonly Pair[]> {
  if (checkout === undefined || !bench.isAsked('search')) return []
  bench.say(`searches of ${checkout} …`)
  const { targeting } = await makePlan(bench.store, bench.model)
  const copy = await bench.databases.copyOf(bench.store)
  const config = CONFIGS.map((path) => join(checkout, path)).find((path) => existsSync(path))
  if (config === undefined) throw new Error(`--against takes a checkout of Daybook, which ${checkout} is not.`)
  const cli = join(checkout, 'packages/daybook/src/cli/bin.ts')
  await using other = await Server.start(startArgs(copy, { cli, config }), copy.env)
  await using own = await startDaybook(bench, bench.store, { keeping: 'nothing kept' })
  const side = (name: string, server: Server): Side => ({
    name,
    servers: [server],
    database: bench.databases,
    targeting,
  })
  const sides = [side('the other checkout', other), side('this checkout', own)] as const
  const [before, now] = await race(bench.generator, SEARCH, sides, bench.effort)
  return [pairOf(SEARCH, 'this checkout', MIN_BY_OTHER, before, now)]
}
