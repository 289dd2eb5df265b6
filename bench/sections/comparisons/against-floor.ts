import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Bench, startDaybook } from '../../bench.ts'
import type { BenchStore } from '../../databases/databases.ts'
import { openLean } from '../../floor/lean-store.ts'
import { requireSameAnswers } from '../../load/check.ts'
import { here, Server } from '../../load/child.ts'
import { demandsOn, type FloorKind, type FloorName, type Keeping, KINDS } from '../../load/kinds.ts'
import { race, type Side } from '../../load/measure.ts'
import {
  type Answers,
  type LeanPlan,
  leanRows,
  makePlan,
  type StatementsPlan,
  type Targeting,
} from '../../load/plan.ts'
import { type Comparison, compareAsDemanded } from '../../report.ts'

/** Where the floors find what they answer. */
type PlanFiles = Readonly<Record<FloorName, string>>

/** Each kind of work on Daybook and on its floors. */
export async function compareWithFloors(bench: Bench): Promise<readonly Comparison[]> {
  const { databases, store, model } = bench
  const kinds = KINDS.filter(({ name }) => bench.isAsked(name))
  if (kinds.length === 0) return []
  const { answers, targeting } = await makePlan(store, model)
  const plans = await writePlans(bench, answers)
  const found: Comparison[] = []
  for (const writes of [false, true]) {
    const some = kinds.filter((kind) => kind.writes === writes)
    if (some.length === 0) continue
    const own = writes ? await databases.copyOf(store) : store
    found.push(...(await compareKinds(bench, some, own, plans, targeting)))
  }
  return found
}

async function writePlans({ databases, store, scratch, say }: Bench, answers: Answers): Promise<PlanFiles> {
  const { engine } = databases
  const statements: StatementsPlan = { engine, address: store.address, ...answers.statements }
  const lean: LeanPlan = { engine, address: await databases.forFloor(), ...answers.lean }
  say('filling the lean floor …')
  await fillLean(lean, store)
  const files = { replay: join(scratch, 'replay.json'), lean: join(scratch, 'lean.json') }
  await writeFile(files.replay, JSON.stringify(statements))
  await writeFile(files.lean, JSON.stringify(lean))
  return files
}

async function fillLean({ engine, address }: LeanPlan, store: BenchStore): Promise<void> {
  await using lean = await openLean(engine, address)
  for await (const rows of leanRows(store)) await lean.fill(rows)
  await lean.settle()
}

/** Servers of a run, each started when it is first needed. */
class Sides implements AsyncDisposable {
  readonly #servers = new AsyncDisposableStack()
  readonly #sides = new Map<FloorName | Keeping, Side>()
  readonly #start: (name: FloorName | Keeping) => Promise<Server>
  readonly #common: Pick<Side, 'database' | 'targeting'>

  constructor(common: Pick<Side, 'database' | 'targeting'>, start: (name: FloorName | Keeping) => Promise<Server>) {
    this.#common = common
    this.#start = start
  }

  async get(name: FloorName | Keeping): Promise<Side> {
    const known = this.#sides.get(name)
    if (known) return known
    const side = { name, servers: [this.#servers.use(await this.#start(name))], ...this.#common }
    this.#sides.set(name, side)
    return side
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#servers.disposeAsync()
  }
}

async function compareKinds(
  bench: Bench,
  kinds: readonly FloorKind[],
  store: BenchStore,
  plans: PlanFiles,
  targeting: Targeting,
): Promise<readonly Comparison[]> {
  const { databases: database } = bench
  await using sides = new Sides({ database, targeting }, (name) =>
    name === 'lean' || name === 'replay'
      ? Server.start([here(`../floor/${name}.ts`), plans[name]])
      : startDaybook(bench, store, { keeping: name }),
  )
  const found: Comparison[] = []
  for (const kind of kinds) {
    bench.say(`${kind.title} …`)
    found.push(...(await compareKind(bench, kind, sides)))
  }
  return found
}

async function compareKind(
  { generator, effort, entries }: Bench,
  kind: FloorKind,
  sides: Sides,
): Promise<Comparison[]> {
  const demands = demandsOn(kind, entries)
  const names = [...new Set(demands.flatMap(({ floor, keeping }) => [floor, keeping]))]
  const taking: Side[] = []
  for (const name of names) taking.push(await sides.get(name))
  for (const { floor, keeping } of demands) {
    await requireSameAnswers(kind, await sides.get(floor), await sides.get(keeping))
  }
  const samples = await race(generator, kind, taking, effort)
  return demands.flatMap((demand) => {
    const floor = samples[names.indexOf(demand.floor)]
    const daybook = samples[names.indexOf(demand.keeping)]
    return floor && daybook ? [compareAsDemanded(kind, demand, floor, daybook)] : []
  })
}
