import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Bench, startArgs } from '../../bench.ts'
import { Child, here, Server } from '../../load/child.ts'
import type { Load, Loaded } from '../../load/load.ts'
import { TOKEN, WrongAnswer } from '../../load/measure.ts'
import { makePlan } from '../../load/plan.ts'
import { type ExportCost, exportResult } from '../../report.ts'

/** Reads by slug beside an export, a second. */
const READS_WHILE_EXPORTING = 300
/** How long entries are read at full speed before. */
const WARMING_SECONDS = 5
/** How often the server's memory is looked at, in milliseconds. */
const LOOK_EVERY_MS = 50

/** Exports everything again and again while entries are read by slug. No core is kept for anyone. */
export async function measureExport(bench: Bench): Promise<readonly ExportCost[]> {
  if (!bench.isAsked('export')) return []
  const { databases, store, model, effort, say } = bench
  say('exports, and reads beside them …')
  const { targeting } = await makePlan(store, model)
  databases.unpin()
  const env = { ...store.env, DAYBOOK_SERVICE_TOKEN: TOKEN, ENABLE_CMS_EXPORT: 'true' }
  await using server = await Server.start(startArgs(store), env, { place: 'anywhere' })
  await using reading = new Child('anywhere', [here('load.ts')])
  const load: Load = { urls: [server.url], seconds: WARMING_SECONDS, connections: 4, paths: targeting.entries }
  // What is read of the store is kept, as much as may be: that is no memory of exports.
  await reading.ask<Loaded>(load)
  const before = await server.memory()
  const watch = new MemoryWatch(server)
  const reads = reading.ask<Loaded>({ ...load, seconds: effort.seconds * effort.rounds, rate: READS_WHILE_EXPORTING })
  const { lines, seconds } = await exportWhile(server.url, reads)
  const peak = await watch.end()
  const { statuses, failures, p50, p99 } = await reads
  if (failures > 0 || Object.keys(statuses).some((status) => status !== '200')) {
    throw new WrongAnswer(`export: reads by status ${JSON.stringify(statuses)}, ${failures} failed`)
  }
  return [exportResult({ perSecond: lines / seconds, growth: peak - before, reads: { p50, p99 } })]
}

/** Exports once, and again until the reads are done; counts lines, header and counts among them. */
async function exportWhile(url: string, reads: Promise<unknown>): Promise<{ lines: number; seconds: number }> {
  let isOver = false
  void reads.finally(() => {
    isOver = true
  })
  const startedAt = performance.now()
  let lines = 0
  do lines += await exportOnce(url)
  while (!isOver)
  return { lines, seconds: (performance.now() - startedAt) / 1000 }
}

/** By Node's own client, which leaves the cores to the others. */
async function exportOnce(url: string): Promise<number> {
  const asked = get(`${url}/api/export`, { headers: { authorization: `Bearer ${TOKEN}` } })
  const [response] = (await once(asked, 'response')) as [IncomingMessage]
  if (response.statusCode !== 200) throw new WrongAnswer(`export: answers ${response.statusCode}`)
  let lines = 0
  response.on('data', (chunk: Buffer) => {
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) lines += 1
  })
  await once(response, 'end')
  return lines
}

/** Looks at a server's memory until it is told to end. */
class MemoryWatch {
  #isOver = false
  readonly #peak: Promise<number>

  constructor(server: Server) {
    this.#peak = this.#run(server)
  }

  async #run(server: Server): Promise<number> {
    let peak = 0
    for (; !this.#isOver; await sleep(LOOK_EVERY_MS)) peak = Math.max(peak, await server.memory())
    return peak
  }

  /** The most there was, in bytes. */
  end(): Promise<number> {
    this.#isOver = true
    return this.#peak
  }
}
