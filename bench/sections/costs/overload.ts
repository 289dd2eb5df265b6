import { type Bench, startDaybook } from '../../bench.ts'
import { Child, here } from '../../load/child.ts'
import type { Crowd, CrowdResult, Probe, ProbeResult } from '../../load/crowd.ts'
import { WrongAnswer } from '../../load/measure.ts'
import { makePlan } from '../../load/plan.ts'
import { type OverloadCost, overloadResult } from '../../report.ts'

/** Clients that keep the server busy, and no busier. */
const BUSY = 16
/** Clients that come all at once, and how long they take to. */
const CROWD = 512
const ARRIVAL_SECONDS = 2
/** Clients that share the requests of a flood: more than a process lets wait. */
const FLOOD = 2048
/** Clients that share them when each waits as long as it is told to: enough to send them all. */
const PATIENT = 3072
/** How long they take to come. */
const PATIENT_SECONDS = 6
/** The requests of a flood by those that the server can answer. */
const TIMES = 10
/** A list that takes milliseconds, as most of what overloads a process does. */
const LARGE_LIST = '/api/posts?limit=100&include=author,tags&where[publishedOn][gte]=2020-01-01'
const PROBED = ['/api/health', '/api/ready']

/** Asks for more than the server can answer: a crowd that comes at once, then ten times what it can answer. */
export async function measureOverload(bench: Bench): Promise<readonly OverloadCost[]> {
  if (!bench.isAsked('overload')) return []
  const { store, model, effort, say } = bench
  say('overload …')
  const { targeting } = await makePlan(store, model)
  await using server = await startDaybook(bench, store, { keeping: 'nothing kept' })
  await using generator = new Child('load', [here('crowd.ts')])
  await using prober = new Child('load', [here('crowd.ts')])
  const seconds = effort.seconds + ARRIVAL_SECONDS
  const common = { url: server.url, paths: [targeting.include], arrivalSeconds: ARRIVAL_SECONDS, seconds }
  const busy: Crowd = { ...common, connections: BUSY, arrivalSeconds: 0.1, seconds: effort.seconds }
  const runOnce = async (what: string, crowd: Crowd): Promise<OverloadCost> => {
    const peak = await generator.ask<CrowdResult>({ ...busy, paths: crowd.paths })
    const perSecond = peak.served / peak.seconds
    const rate = crowd.rate === undefined ? {} : { rate: crowd.rate * perSecond }
    const probe: Probe = { url: server.url, probed: PROBED, seconds: crowd.seconds }
    const [result, probed] = await Promise.all([
      generator.ask<CrowdResult>({ ...crowd, ...rate }),
      prober.ask<ProbeResult>(probe),
    ])
    if (result.failures + probed.failures > 0) {
      throw new WrongAnswer(`overload: ${result.failures} requests failed, ${probed.failures} probes`)
    }
    return overloadResult(what, perSecond, result, probed)
  }
  const run = async (what: string, crowd: Crowd): Promise<OverloadCost> => {
    const results: OverloadCost[] = []
    for (let round = 0; round < effort.rounds; round += 1) results.push(await runOnce(what, crowd))
    return middle(results)
  }
  await generator.ask<CrowdResult>(busy)
  return [
    await run(`${CROWD} clients in ${ARRIVAL_SECONDS} s`, { ...common, connections: CROWD }),
    await run(`${TIMES} times the load`, {
      ...common,
      paths: [LARGE_LIST],
      connections: PATIENT,
      arrivalSeconds: PATIENT_SECONDS,
      seconds: effort.seconds + PATIENT_SECONDS,
      rate: TIMES,
      isPatient: true,
    }),
    await run(`${TIMES} times, asked again at once`, { ...common, connections: FLOOD, rate: TIMES }),
  ]
}

/** The one that has the median goodput. */
const middle = (results: readonly OverloadCost[]): OverloadCost =>
  results.toSorted((a, b) => a.goodput - b.goodput)[results.length >> 1] as OverloadCost
