import { cpus, loadavg, totalmem } from 'node:os'
import type { Rule } from './databases/rules.ts'
import { CAN_PIN, CORE_COUNT, HAS_ROOM } from './load/cores.ts'
import type { CrowdResult, ProbeResult } from './load/crowd.ts'
import type { Demand, Kind } from './load/kinds.ts'
import type { Loaded } from './load/load.ts'
import { type Judge, judgeOf, type Sample } from './load/measure.ts'

/** The machine that figures come from. */
export interface Machine {
  readonly nproc: number
  readonly processor: string
  readonly memoryGiB: number
  readonly system: string
  readonly node: string
  readonly pinned: boolean
  readonly date: string
  /** Processes that wanted a core, on average over the minute before the first measurement. */
  readonly loadBefore: number
}

/** Looks at the machine. */
export function thisMachine(): Machine {
  return {
    nproc: CORE_COUNT,
    processor: cpus()[0]?.model ?? 'unknown',
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    system: `${process.platform} ${process.arch}`,
    node: process.version,
    pinned: CAN_PIN,
    date: new Date().toISOString().slice(0, 10),
    loadBefore: Math.round((loadavg()[0] ?? 0) * 100) / 100,
  }
}

/** One kind of work, Daybook beside its floor. */
export interface Comparison {
  readonly work: string
  /** What the floor is. */
  readonly beside: string
  readonly floor: Sample
  readonly daybook: Sample
  /** Daybook's requests a second by those of the floor. */
  readonly ratio: number
  /** The floor's processor time of a request by that of Daybook. */
  readonly cpuRatio: number
  readonly judge: Judge
  /** The least of what the judge looks at. */
  readonly target: number
  readonly met: boolean
}

/** Compares Daybook with a floor. @param target the least share of the floor's speed */
export function compare(
  kind: Kind,
  { beside, target }: { readonly beside: string; readonly target: number },
  floor: Sample,
  daybook: Sample,
): Comparison {
  const ratio = daybook.perSecond / floor.perSecond
  const cpuRatio = floor.cpu / daybook.cpu
  const judge = judgeOf(kind, [floor, daybook])
  const met = (judge === 'throughput' ? ratio : cpuRatio) >= target
  return { work: kind.title, beside, floor, daybook, ratio, cpuRatio, judge, target, met }
}

/** Compares Daybook with a floor as a demand says. */
export function compareAsDemanded(kind: Kind, demand: Demand, floor: Sample, daybook: Sample): Comparison {
  const { floor: beside, keeping, target } = demand
  const title = kind.writes || kind.status === 304 ? kind.title : `${kind.title}; ${keeping}`
  return compare({ ...kind, title }, { beside, target }, floor, daybook)
}

/** One kind of work on a small store and on a large one. */
export interface Growth {
  readonly work: string
  readonly small: Sample
  readonly large: Sample
  /** How many times as long a request takes on the large store, by requests a second. */
  readonly factor: number
  /** The same by processor time, that of the database included. */
  readonly cpuFactor: number
  readonly judge: Judge
  readonly target: number
  readonly met: boolean
}

/** How many times as long a request may take on a large store as on a small one. */
const MAX_GROWTH = 1.3

/** Compares Daybook on a small store with itself on a large one. */
export function growth(kind: Kind, small: Sample, large: Sample): Growth {
  const factor = small.perSecond / large.perSecond
  const cpuFactor = (large.cpu + large.databaseCpu) / (small.cpu + small.databaseCpu)
  const judge = judgeOf(kind, [small, large])
  const met = (judge === 'throughput' ? factor : cpuFactor) <= MAX_GROWTH
  return { work: kind.title, small, large, factor, cpuFactor, judge, target: MAX_GROWTH, met }
}

/** Three nodes on one database, each asked itself and through a proxy; and one of them alone. */
export interface Nodes {
  readonly work: string
  readonly one: Sample
  readonly straight: Sample
  readonly proxied: Sample
  /** Requests a second through the proxy by those of nodes that are asked themselves. */
  readonly ratio: number
  /** The nodes' processor time of a request that came straight by that of one through the proxy. */
  readonly cpuRatio: number
  readonly judge: Judge
  readonly target: number
  readonly met: boolean
}

const MIN_BY_PROXY = 0.9

/** Compares nodes behind a proxy with the same nodes without; throughput tells only if each process has a core. */
export function nodesResult(kind: Kind, [one, straight, proxied]: readonly [Sample, Sample, Sample]): Nodes {
  const ratio = proxied.perSecond / straight.perSecond
  const cpuRatio = straight.cpu / proxied.cpu
  const judge = HAS_ROOM ? judgeOf(kind, [straight, proxied]) : 'processor time'
  const met = (judge === 'throughput' ? ratio : cpuRatio) >= MIN_BY_PROXY
  return { work: kind.title, one, straight, proxied, ratio, cpuRatio, judge, target: MIN_BY_PROXY, met }
}

/** One kind of work in another way, such as with a session, beside the same without that. */
export interface Pair {
  readonly work: string
  /** What the other way is. */
  readonly what: string
  readonly without: Sample
  readonly with: Sample
  /** Requests a second with it by those without. */
  readonly ratio: number
  /** Processor time of a request without it by that of one with it, that of the database included. */
  readonly cpuRatio: number
  readonly judge: Judge
  readonly target: number
  readonly met: boolean
}

/** Pairs of one subject. */
export interface Pairs {
  /** What they have in common. */
  readonly title: string
  readonly rows: readonly Pair[]
}

/**
 * Holds requests with something against those without.
 *
 * @param what what they have
 * @param target the least of requests a second, or of processor time, by those without
 */
export function pairOf(kind: Kind, what: string, target: number, without: Sample, own: Sample): Pair {
  const ratio = own.perSecond / without.perSecond
  const cpuRatio = (without.cpu + without.databaseCpu) / (own.cpu + own.databaseCpu)
  const judge = judgeOf(kind, [without, own])
  const met = (judge === 'throughput' ? ratio : cpuRatio) >= target
  return { work: kind.title, what, without, with: own, ratio, cpuRatio, judge, target, met }
}

/** One kind of list with a read rule, beside the same without one. */
export interface RuleCost {
  readonly work: string
  readonly rule: string
  readonly without: Sample
  readonly with: Sample
  /** Processor time of a request with the rule by that without, that of the database included. */
  readonly factor: number
  /** The most of it. */
  readonly target: number
  readonly met: boolean
}

/** Holds lists with a read rule against those without. */
export function ruleResult(kind: Kind, { name, most }: Rule, without: Sample, own: Sample): RuleCost {
  const factor = (own.cpu + own.databaseCpu) / (without.cpu + without.databaseCpu)
  return { work: kind.title, rule: name, without, with: own, factor, target: most, met: factor <= most }
}

/** Something that was counted, and the most that it may be. */
export interface Amount {
  readonly what: string
  readonly value: number
  readonly unit: string
  readonly target: number
  readonly met: boolean
}

/** Holds an amount against the most that it may be. */
export const amountOf = (what: string, value: number, unit: string, target: number): Amount => ({
  what,
  value,
  unit,
  target,
  met: value <= target,
})

/** How long a start took. */
export interface Start {
  readonly what: string
  readonly milliseconds: number
  readonly target: number
  readonly met: boolean
}

const MAX_START_MS = 700

/** Holds a start against what it may take. */
export function startResult(what: string, milliseconds: number): Start {
  return { what, milliseconds, target: MAX_START_MS, met: milliseconds <= MAX_START_MS }
}

/** How long the OpenAPI document of many collections took. */
export interface DocumentTime {
  readonly what: string
  readonly milliseconds: number
  readonly target: number
  readonly met: boolean
}

const MAX_DOCUMENT_MS = 20

/** Holds the time of a document against what it may take. */
export function documentResult(what: string, milliseconds: number): DocumentTime {
  return { what, milliseconds, target: MAX_DOCUMENT_MS, met: milliseconds <= MAX_DOCUMENT_MS }
}

/** How long a list with aggregates took, in milliseconds. */
export interface AggregateTime {
  readonly what: string
  /** The first one after a change. */
  readonly first: number
  /** The next one, which is kept. */
  readonly again: number
  /** The most of the first one; absent: it grows with the entries. */
  readonly target: number | undefined
  readonly met: boolean
}

const MAX_COUNT_MS = 30

/** Holds counts that each write keeps against what they may take. */
export function aggregateResult(what: string, first: number, again: number, isKept: boolean): AggregateTime {
  const target = isKept ? MAX_COUNT_MS : undefined
  return { what, first, again, target, met: target === undefined || first <= target }
}

/** What bringing in a folder of Markdown files took. */
export interface ImportCost {
  readonly files: number
  /** The median of the runs. */
  readonly seconds: number
  /** The most memory that the process held in any run, in MB of 1,000,000 bytes. */
  readonly megabytes: number
  readonly targets: { readonly seconds: number; readonly megabytes: number }
  readonly met: boolean
}

const MAX_IMPORT = { seconds: 30, megabytes: 300 }

/** Holds an import against what it may take. */
export function importResult(files: number, seconds: number, peak: number): ImportCost {
  const megabytes = peak / 1e6
  const met = seconds <= MAX_IMPORT.seconds && megabytes <= MAX_IMPORT.megabytes
  return { files, seconds, megabytes, targets: MAX_IMPORT, met }
}

/** What exports took, while entries were read beside them. */
export interface ExportCost {
  /** Lines a second. */
  readonly perSecond: number
  /** How much more memory the server held than before, in MiB. */
  readonly mebibytes: number
  readonly reads: Latency
  readonly target: number
  readonly met: boolean
}

const MAX_EXPORT_GROWTH = 64

/** Holds an export, and reads beside it, against what they may take. */
export function exportResult({
  perSecond,
  growth,
  reads,
}: {
  readonly perSecond: number
  /** In bytes. */
  readonly growth: number
  readonly reads: Pick<Loaded, 'p50' | 'p99'>
}): ExportCost {
  const mebibytes = growth / 2 ** 20
  const latency = latencyOf('entry by slug, beside an export', reads, MAX_READ_BESIDE_MS)
  const met = mebibytes <= MAX_EXPORT_GROWTH && latency.met
  return { perSecond, mebibytes, reads: latency, target: MAX_EXPORT_GROWTH, met }
}

/** What restoring an export took. */
export interface RestoreCost {
  readonly entries: number
  /** Entries a second, the check of the file included and the start of the command left out; the median of the runs. */
  readonly perSecond: number
  /** The most memory that the process held in any run, in MB of 1,000,000 bytes. */
  readonly megabytes: number
  readonly target: number
  readonly met: boolean
}

const MIN_RESTORED = 3000

/** Holds a restore against what it is to reach. */
export function restoreResult(entries: number, seconds: number, peak: number): RestoreCost {
  const perSecond = entries / seconds
  return { entries, perSecond, megabytes: peak / 1e6, target: MIN_RESTORED, met: perSecond >= MIN_RESTORED }
}

/** What writing many entries at once took. */
export interface ManyCost {
  readonly name: string
  readonly entries: number
  readonly seconds: number
  /** The processor time that Daybook used, without that of a database server, in seconds. */
  readonly processor: number
  /** How much more memory the process held meanwhile than before. */
  readonly mebibytes: number
  /** The longest that a read took meanwhile, in seconds. */
  readonly reading: number
  /** The longest that another write took meanwhile, in seconds. */
  readonly writing: number
  /** In seconds. */
  readonly target: number
  readonly met: boolean
}

const MAX_MANY_SECONDS = 5
const MAX_MANY_GROWTH = 64

/**
 * Holds a write of many entries against what it may take.
 *
 * @param bytes how much more memory the process held
 */
export function manyResult({
  bytes,
  ...cost
}: Omit<ManyCost, 'mebibytes' | 'target' | 'met'> & { readonly bytes: number }): ManyCost {
  const mebibytes = bytes / 2 ** 20
  const met = cost.seconds <= MAX_MANY_SECONDS && mebibytes <= MAX_MANY_GROWTH
  return { ...cost, mebibytes, target: MAX_MANY_SECONDS, met }
}

/** How long changes take to reach listeners of live events. */
export interface LiveCost {
  readonly listeners: number
  readonly writes: number
  /** The share of all events that were heard, from 0 to 1. */
  readonly heard: number
  /** In milliseconds, from sending the write to receiving the event. */
  readonly p50: number
  readonly p99: number
  readonly most: number
  /** How much of a core the server used. */
  readonly busy: number
  /** In milliseconds. */
  readonly target: number
  readonly met: boolean
}

const MAX_LIVE_P99 = 250

/** Holds live events against how soon they are to come. */
export function liveResult(cost: Omit<LiveCost, 'target' | 'met'>): LiveCost {
  return { ...cost, target: MAX_LIVE_P99, met: cost.p99 <= MAX_LIVE_P99 && cost.heard >= 1 }
}

/** How fast a reader of the changes feed catches up. */
export interface CatchUpCost {
  readonly changes: number
  readonly perSecond: number
  /** How much of a core the server used. */
  readonly busy: number
  /** Changes a second. */
  readonly target: number
  readonly met: boolean
}

const MIN_CAUGHT_UP = 20_000

/** Holds catching up against what it is to reach. */
export function catchUpResult(changes: number, seconds: number, busy: number): CatchUpCost {
  const perSecond = changes / seconds
  return { changes, perSecond, busy, target: MIN_CAUGHT_UP, met: perSecond >= MIN_CAUGHT_UP }
}

/** Files of a gibibyte that are uploaded at once, beside a bare server that writes them to the same disk. */
export interface UploadCost {
  /** How many files. */
  readonly atOnce: number
  /** Daybook's bytes a second by those of the floor. */
  readonly ratio: number
  /** The floor's processor time by Daybook's. */
  readonly cpuRatio: number
  /** In bytes. */
  readonly perSecond: number
  /** How much more memory the process held meanwhile than before, at most. */
  readonly mebibytes: number
  /** Of the ratio. */
  readonly target: number
  readonly met: boolean
}

const MIN_UPLOAD_RATIO = 0.5
const MAX_UPLOAD_GROWTH = 64

/** Holds uploads against what they may take. @param bytes how much more memory the process held */
export function uploadResult({
  bytes,
  ...cost
}: Omit<UploadCost, 'mebibytes' | 'target' | 'met'> & { readonly bytes: number }): UploadCost {
  const mebibytes = bytes / 2 ** 20
  const met = cost.ratio >= MIN_UPLOAD_RATIO && mebibytes <= MAX_UPLOAD_GROWTH
  return { ...cost, mebibytes, target: MIN_UPLOAD_RATIO, met }
}

/** A time that most requests of a kind keep below. */
export interface Latency {
  readonly what: string
  /** In milliseconds. */
  readonly p50: number
  /** In milliseconds. */
  readonly p99: number
  readonly target: number
  readonly met: boolean
}

/** How long searches took, and reads by slug beside them. */
export interface SearchTimes {
  readonly search: Pick<Loaded, 'p50' | 'p99'>
  readonly reads: Pick<Loaded, 'p50' | 'p99'>
}

const MAX_SEARCH_MS = 50
const MAX_READ_BESIDE_MS = 25

/** Holds searches, and reads beside them, against what they may take. */
export function searchResult({ search, reads }: SearchTimes): readonly Latency[] {
  return [
    latencyOf('search for the commonest word', search, MAX_SEARCH_MS),
    latencyOf('entry by slug, beside searches', reads, MAX_READ_BESIDE_MS),
  ]
}

function latencyOf(what: string, { p50, p99 }: Pick<Loaded, 'p50' | 'p99'>, target: number): Latency {
  return { what, p50, p99, target, met: p99 <= target }
}

/** What came of asking for more than a server can answer. */
export interface OverloadCost {
  readonly what: string
  /** Answers of 200 a second by those that a busy server gives. */
  readonly goodput: number
  /** The fewest answers that a client got. */
  readonly fewest: number
  readonly servedP99: number
  readonly refused: number
  readonly refusedP99: number
  readonly probeP99: number
  readonly targets: typeof OVERLOAD
  readonly met: boolean
}

/** Times are in milliseconds. */
const OVERLOAD = { goodput: 0.9, refusedMs: 50, probeMs: 100 }

/** Holds a server under too much load against what it is to keep up. */
export function overloadResult(what: string, peak: number, crowd: CrowdResult, probe: ProbeResult): OverloadCost {
  const goodput = crowd.served / crowd.seconds / peak
  const [refusedP99, probeP99] = [crowd.refusedMs.p99, probe.ms.p99]
  const met = goodput >= OVERLOAD.goodput && refusedP99 <= OVERLOAD.refusedMs && probeP99 <= OVERLOAD.probeMs
  const { fewest, refused, servedMs } = crowd
  return { what, goodput, fewest, servedP99: servedMs.p99, refused, refusedP99, probeP99, targets: OVERLOAD, met }
}

/** Everything that one run found. */
export interface Report {
  readonly machine: Machine
  /** Name and version of what kept the content. */
  readonly database: string
  readonly entries: number
  readonly seconds: number
  readonly rounds: number
  readonly comparisons: readonly Comparison[]
  readonly growth: readonly Growth[]
  readonly pairs: readonly Pairs[]
  readonly rules: readonly RuleCost[]
  readonly nodes?: Nodes | undefined
  readonly latencies: readonly Latency[]
  readonly starts: readonly Start[]
  /** Memory, and what the published package takes. */
  readonly amounts: readonly Amount[]
  readonly documents: readonly DocumentTime[]
  readonly aggregates: readonly AggregateTime[]
  readonly imports: readonly ImportCost[]
  readonly exports: readonly ExportCost[]
  readonly restores: readonly RestoreCost[]
  readonly many: readonly ManyCost[]
  readonly live: readonly LiveCost[]
  readonly catchUps: readonly CatchUpCost[]
  readonly uploads: readonly UploadCost[]
  readonly overloads: readonly OverloadCost[]
}
