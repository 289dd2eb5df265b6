import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Bench, startDaybook } from '../bench.ts'
import type { BenchStore } from '../databases/databases.ts'
import { requireSameAnswers } from '../load/check.ts'
import { here, Server } from '../load/child.ts'
import { type Kind, kindsOn } from '../load/kinds.ts'
import { race, type Side } from '../load/measure.ts'
import { type FloorPlan, makePlan, type Targeting } from '../load/plan.ts'
import { type Comparison, compare } from '../report.ts'

/** Each kind of work on Daybook and on its floor. */
export async function compareWithFloor(bench: Bench): Promise<readonly Comparison[]> {
  const { databases, store, model } = bench
  const kinds = kindsOn(databases.engine).filter(({ name }) => bench.isAsked(name))
  if (kinds.length === 0) return []
  const { answers, targeting } = await makePlan(store, model)
  const planFile = join(bench.scratch, 'plan.json')
  const { engine } = databases
  const plan: FloorPlan = { engine, address: store.address, writeAddress: await databases.forFloor(), ...answers }
  await writeFile(planFile, JSON.stringify(plan))
  const run = (some: readonly Kind[], on: BenchStore): Promise<readonly Comparison[]> =>
    compareKinds(bench, some, on, planFile, targeting)
  const reads = kinds.filter(({ writes }) => !writes)
  const found = reads.length > 0 ? await run(reads, store) : []
  const writes = kinds.filter((kind) => kind.writes)
  return writes.length > 0 ? [...found, ...(await run(writes, await databases.copyOf(store)))] : found
}

async function compareKinds(
  bench: Bench,
  kinds: readonly Kind[],
  store: BenchStore,
  planFile: string,
  targeting: Targeting,
): Promise<readonly Comparison[]> {
  const { databases: database, generator, effort, say } = bench
  await using bare = await Server.start([here('../floor/floor.ts'), planFile])
  await using server = await startDaybook(bench, store)
  const floor: Side = { name: 'floor', servers: [bare], database, targeting }
  const daybook: Side = { name: 'daybook', servers: [server], database, targeting }
  const found: Comparison[] = []
  for (const kind of kinds) {
    say(`${kind.title} …`)
    await requireSameAnswers(kind, floor, daybook)
    const [one, other] = await race(generator, kind, [floor, daybook], effort)
    found.push(compare(kind, one, other))
  }
  return found
}
