import { availableParallelism, cpus, loadavg, totalmem } from 'node:os'
import { CAN_PIN } from './child.ts'
import type { Kind } from './kinds.ts'
import { type Judge, judgeOf, type Sample } from './measure.ts'
import type { SearchTimes } from './search-time.ts'

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
    nproc: availableParallelism(),
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
  readonly floor: Sample
  readonly daybook: Sample
  /** Daybook's requests a second by those of the floor. */
  readonly ratio: number
  /** The floor's processor time of a request by that of Daybook. */
  readonly cpuRatio: number
  readonly judge: Judge
  readonly target: number
  readonly met: boolean
}

/** Compares Daybook with its floor. */
export function compare(kind: Kind, floor: Sample, daybook: Sample): Comparison {
  const ratio = daybook.perSecond / floor.perSecond
  const cpuRatio = floor.cpu / daybook.cpu
  const judge = judgeOf(kind, [floor, daybook])
  const met = (judge === 'throughput' ? ratio : cpuRatio) >= kind.target
  return { work: kind.title, floor, daybook, ratio, cpuRatio, judge, target: kind.target, met }
}

/** One kind of work on a small store and on a large one. */
export interface Growth {
  readonly work: string
  readonly small: Sample
  readonly large: Sample
  /** How many times as long a request takes on the large store, by requests a second. */
  readonly factor: number
  /** The same by processor time. */
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
  const cpuFactor = large.cpu / small.cpu
  const judge = judgeOf(kind, [small, large])
  const met = (judge === 'throughput' ? factor : cpuFactor) <= MAX_GROWTH
  return { work: kind.title, small, large, factor, cpuFactor, judge, target: MAX_GROWTH, met }
}

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

const MAX_SEARCH_MS = 50
const MAX_READ_BESIDE_MS = 25

/** Holds searches, and reads beside them, against what they may take. */
export function searchResult({ search, reads }: SearchTimes): readonly Latency[] {
  const latency = (what: string, { p50, p99 }: SearchTimes['search'], target: number): Latency => ({
    what,
    p50,
    p99,
    target,
    met: p99 <= target,
  })
  return [
    latency('search for the commonest word', search, MAX_SEARCH_MS),
    latency('entry by slug, beside searches', reads, MAX_READ_BESIDE_MS),
  ]
}

/** Everything that one run found. */
export interface Report {
  readonly machine: Machine
  readonly entries: number
  readonly seconds: number
  readonly rounds: number
  readonly comparisons: readonly Comparison[]
  readonly growth: readonly Growth[]
  readonly latencies: readonly Latency[]
  readonly starts: readonly Start[]
}

const whole = (number: number): string => Math.round(number).toLocaleString('en')
const share = (number: number): string => `${Math.round(number * 100)} %`
const verdict = (met: boolean): string => (met ? 'met' : 'NOT MET')

/** Other programs may use this much of the cores before the figures are doubtful. */
const QUIET = 0.1

/** What to think of the figures, when something else used the machine meanwhile. */
function noise({ comparisons, growth: sizes }: Report): string {
  const samples = [
    ...comparisons.flatMap((one) => [one.floor, one.daybook]),
    ...sizes.flatMap((one) => [one.small, one.large]),
  ]
  const most = Math.max(0, ...samples.map(({ others }) => others))
  if (most <= QUIET) return ''
  return `\nDOUBTFUL: other programs used up to ${share(most)} of the cores meanwhile; measure again on a quiet machine.`
}

/** Lines up columns; the first one to the left, the others to the right. */
function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [header, ...rows]
  const widths = header.map((_, column) => Math.max(...all.map((row) => (row[column] ?? '').length)))
  const line = (row: readonly string[]): string =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('  ')
      .trimEnd()
  return all.map(line).join('\n')
}

function comparisonTable(comparisons: readonly Comparison[]): string {
  const header = ['work', 'floor/s', 'daybook/s', 'ratio', 'CPU ratio', 'judge', 'target', '', 'floor p99']
  return table(
    [...header, 'daybook p99', 'floor CPU', 'daybook CPU', 'cores busy'],
    comparisons.map(({ work, floor, daybook, ratio, cpuRatio, judge, target, met }) => [
      work,
      whole(floor.perSecond),
      whole(daybook.perSecond),
      ratio.toFixed(2),
      cpuRatio.toFixed(2),
      judge,
      `>= ${target}`,
      verdict(met),
      `${floor.p99.toFixed(1)} ms`,
      `${daybook.p99.toFixed(1)} ms`,
      `${whole(floor.cpu)} us`,
      `${whole(daybook.cpu)} us`,
      `${share(floor.busy)}, ${share(daybook.busy)}`,
    ]),
  )
}

function growthTable(rows: readonly Growth[], entries: number): string {
  return table(
    ['work', '1,000/s', `${whole(entries)}/s`, 'factor', 'CPU factor', 'judge', 'target', ''],
    rows.map(({ work, small, large, factor, cpuFactor, judge, target, met }) => [
      work,
      whole(small.perSecond),
      whole(large.perSecond),
      factor.toFixed(2),
      cpuFactor.toFixed(2),
      judge,
      `<= ${target}`,
      verdict(met),
    ]),
  )
}

function startTable(starts: readonly Start[]): string {
  return table(
    ['start to first answer', 'median', 'target', ''],
    starts.map(({ what, milliseconds, target, met }) => [
      what,
      `${whole(milliseconds)} ms`,
      `<= ${target} ms`,
      verdict(met),
    ]),
  )
}

function latencyTable(latencies: readonly Latency[]): string {
  return table(
    ['time to answer', 'median', 'p99', 'target', ''],
    latencies.map(({ what, p50, p99, target, met }) => [
      what,
      `${p50.toFixed(1)} ms`,
      `${p99.toFixed(1)} ms`,
      `<= ${target} ms`,
      verdict(met),
    ]),
  )
}

/** The report as people read it. */
export function printed(report: Report): string {
  const { machine, entries, seconds, rounds, comparisons, starts } = report
  const { nproc, processor, memoryGiB, system, node, pinned, date, loadBefore } = machine
  const parts = [
    `${date}, ${processor}, nproc ${nproc}, ${memoryGiB} GiB, ${system}, Node ${node}, ` +
      `${pinned ? 'servers pinned to one core, load to another' : 'nothing pinned'}, load before ${loadBefore}\n` +
      `${whole(entries)} entries; medians of ${rounds} rounds of ${seconds} s, the sides in turn${noise(report)}`,
  ]
  if (comparisons.length > 0) parts.push(comparisonTable(comparisons))
  if (report.growth.length > 0) parts.push(growthTable(report.growth, entries))
  if (report.latencies.length > 0) parts.push(latencyTable(report.latencies))
  if (starts.length > 0) parts.push(startTable(starts))
  return parts.join('\n\n')
}
