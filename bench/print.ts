import { CORE_COUNT, HAS_ROOM } from './load/cores.ts'
import type { Sample } from './load/measure.ts'
import type {
  AggregateTime,
  Amount,
  CatchUpCost,
  Comparison,
  DocumentTime,
  ExportCost,
  Growth,
  ImportCost,
  Latency,
  LiveCost,
  ManyCost,
  Nodes,
  OverloadCost,
  Pair,
  Pairs,
  Report,
  RestoreCost,
  RuleCost,
  Start,
  UploadCost,
} from './report.ts'

const whole = (number: number): string => Math.round(number).toLocaleString('en')
const share = (number: number): string => `${Math.round(number * 100)} %`
const time = (microseconds: number): string => `${whole(microseconds)} us`
/** Nothing where the database has no processes of its own. */
const databaseTimes = (...samples: readonly Sample[]): string =>
  samples.some(({ databaseCpu }) => databaseCpu > 0)
    ? samples.map(({ databaseCpu }) => time(databaseCpu)).join(', ')
    : ''
const verdict = (met: boolean): string => (met ? 'met' : 'NOT MET')

/** Other programs may use this much of the cores before the figures are doubtful. */
const QUIET = 0.1

/** What to think of the figures, when something else used the machine meanwhile. */
function noise(samples: readonly Sample[]): string {
  const most = Math.max(0, ...samples.map(({ others }) => others))
  if (most <= QUIET) return ''
  return `\nDOUBTFUL: other programs used up to ${share(most)} of the cores meanwhile; measure again on a quiet machine.`
}

/** Lines up columns that hold anything; the first one to the left, the others to the right. */
function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [header, ...rows].map((row) => row.filter((_, column) => rows.some((one) => one[column] !== '')))
  const widths = all[0]?.map((_, column) => Math.max(...all.map((row) => (row[column] ?? '').length))) ?? []
  const line = (row: readonly string[]): string =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('  ')
      .trimEnd()
  return all.map(line).join('\n')
}

function comparisonTable(comparisons: readonly Comparison[]): string {
  const header = ['work', 'floor', 'floor/s', 'daybook/s', 'ratio', 'CPU ratio', 'judge', 'target', '', 'floor p99']
  return table(
    [...header, 'daybook p99', 'floor CPU', 'daybook CPU', 'cores busy', 'database CPU'],
    comparisons.map(({ work, beside, floor, daybook, ratio, cpuRatio, judge, target, met }) => [
      work,
      beside,
      whole(floor.perSecond),
      whole(daybook.perSecond),
      ratio.toFixed(2),
      cpuRatio.toFixed(2),
      judge,
      `>= ${target}`,
      verdict(met),
      `${floor.p99.toFixed(1)} ms`,
      `${daybook.p99.toFixed(1)} ms`,
      time(floor.cpu),
      time(daybook.cpu),
      `${share(floor.busy)}, ${share(daybook.busy)}`,
      databaseTimes(floor, daybook),
    ]),
  )
}

function growthTable(rows: readonly Growth[], entries: number): string {
  return table(
    ['work', '1,000/s', `${whole(entries)}/s`, 'factor', 'CPU factor', 'judge', 'target', '', 'CPU', 'database CPU'],
    rows.map(({ work, small, large, factor, cpuFactor, judge, target, met }) => [
      work,
      whole(small.perSecond),
      whole(large.perSecond),
      factor.toFixed(2),
      cpuFactor.toFixed(2),
      judge,
      `<= ${target}`,
      verdict(met),
      `${time(small.cpu)}, ${time(large.cpu)}`,
      databaseTimes(small, large),
    ]),
  )
}

function pairTable({ title, rows }: Pairs): string {
  return table(
    [title, 'with', 'without/s', 'with/s', 'ratio', 'CPU ratio', 'judge', 'target', '', 'CPU', 'database CPU'],
    rows.map(({ work, what, without, with: own, ratio, cpuRatio, judge, target, met }) => [
      work,
      what,
      whole(without.perSecond),
      whole(own.perSecond),
      ratio.toFixed(2),
      cpuRatio.toFixed(2),
      judge,
      `>= ${target}`,
      verdict(met),
      `${time(without.cpu)}, ${time(own.cpu)}`,
      databaseTimes(without, own),
    ]),
  )
}

function ruleTable(rows: readonly RuleCost[]): string {
  return table(
    ['with a read rule', 'rule', 'without/s', 'with/s', 'costs', 'target', '', 'CPU', 'database CPU'],
    rows.map(({ work, rule, without, with: own, factor, target, met }) => [
      work,
      rule,
      whole(without.perSecond),
      whole(own.perSecond),
      `${factor.toFixed(2)} times`,
      `<= ${target}`,
      verdict(met),
      `${time(without.cpu)}, ${time(own.cpu)}`,
      databaseTimes(without, own),
    ]),
  )
}

function nodesTable({ work, one, straight, proxied, ratio, cpuRatio, judge, target, met }: Nodes): string {
  const rows = Object.entries({ 'one node': one, 'three nodes': straight, 'three nodes by proxy': proxied })
  const figures = table(
    [work, 'requests/s', 'p99', 'nodes CPU', 'proxy CPU', 'database CPU', 'cores busy', 'load busy'],
    rows.map(([name, sample]) => [
      name,
      whole(sample.perSecond),
      `${sample.p99.toFixed(1)} ms`,
      time(sample.cpu),
      sample.proxyCpu > 0 ? time(sample.proxyCpu) : '',
      databaseTimes(sample),
      share(sample.busy),
      share(sample.loadBusy),
    ]),
  )
  const ratios = `by proxy to straight: ratio ${ratio.toFixed(2)}, CPU ratio ${cpuRatio.toFixed(2)}`
  return `${figures}\n${ratios}; judge: ${judge}, >= ${target} ${verdict(met)}\n${room}`
}

const room = HAS_ROOM
  ? `${CORE_COUNT} cores: each of the three nodes, the proxy, the load and the database had its own.`
  : `${CORE_COUNT} cores for three nodes, a proxy, the load and the database: the nodes shared one, so requests a second say little, and the nodes' processor time counts.`

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

/** Amounts beside what they may be. */
export function printedAmounts(amounts: readonly Amount[]): string {
  return table(
    ['memory and package', '', 'target', ''],
    amounts.map(({ what, value, unit, target, met }) => [
      what,
      `${whole(value)} ${unit}`.trimEnd(),
      `<= ${target} ${unit}`.trimEnd(),
      verdict(met),
    ]),
  )
}

function documentTable(documents: readonly DocumentTime[]): string {
  return table(
    ['OpenAPI document of 100 collections', 'median', 'target', ''],
    documents.map(({ what, milliseconds, target, met }) => [
      what,
      `${milliseconds.toFixed(1)} ms`,
      `<= ${target} ms`,
      verdict(met),
    ]),
  )
}

function aggregateTable(aggregates: readonly AggregateTime[]): string {
  return table(
    ['aggregates', 'first after a change', 'again', 'target', ''],
    aggregates.map(({ what, first, again, target, met }) => [
      what,
      printTime(first),
      printTime(again),
      target === undefined ? '' : `<= ${target} ms`,
      target === undefined ? '' : verdict(met),
    ]),
  )
}

const printTime = (ms: number): string => (Number.isFinite(ms) ? `${ms.toFixed(1)} ms` : '503')

function importTable(imports: readonly ImportCost[]): string {
  return table(
    ['import', 'median', 'peak memory', 'targets', ''],
    imports.map(({ files, seconds, megabytes, targets, met }) => [
      `${whole(files)} files`,
      `${seconds.toFixed(1)} s`,
      `${whole(megabytes)} MB`,
      `<= ${targets.seconds} s, ${targets.megabytes} MB`,
      verdict(met),
    ]),
  )
}

function exportTable(exports: readonly ExportCost[]): string {
  const figures = table(
    ['export', 'lines/s', 'more memory', 'target', ''],
    exports.map(({ perSecond, mebibytes, target }) => [
      'everything',
      whole(perSecond),
      `${whole(mebibytes)} MiB`,
      `<= ${target} MiB`,
      verdict(mebibytes <= target),
    ]),
  )
  return `${figures}\n\n${latencyTable(exports.map(({ reads }) => reads))}`
}

function restoreTable(restores: readonly RestoreCost[]): string {
  return table(
    ['restore', 'entries/s', 'peak memory', 'target', ''],
    restores.map(({ entries, perSecond, megabytes, target, met }) => [
      `${whole(entries)} entries`,
      whole(perSecond),
      `${whole(megabytes)} MB`,
      `>= ${target}/s`,
      verdict(met),
    ]),
  )
}

function manyTable(many: readonly ManyCost[]): string {
  return table(
    ['many at once', 'seconds', 'processor', 'more memory', 'longest read', 'longest write', 'target', ''],
    many.map(({ name, entries, seconds, processor, mebibytes, reading, writing, target, met }) => [
      `${name} ${whole(entries)} entries`,
      seconds.toFixed(2),
      `${processor.toFixed(2)} s`,
      `${whole(mebibytes)} MiB`,
      `${whole(reading * 1000)} ms`,
      `${whole(writing * 1000)} ms`,
      `<= ${target} s, 64 MiB`,
      verdict(met),
    ]),
  )
}

function liveTable(live: readonly LiveCost[]): string {
  return table(
    ['live events', 'heard', 'p50', 'p99', 'longest', 'of a core', 'target', ''],
    live.map(({ listeners, writes, heard, p50, p99, most, busy, target, met }) => [
      `${whole(writes)} writes to ${whole(listeners)} listeners`,
      `${(heard * 100).toFixed(1)} %`,
      `${whole(p50)} ms`,
      `${whole(p99)} ms`,
      `${whole(most)} ms`,
      busy.toFixed(2),
      `p99 <= ${target} ms`,
      verdict(met),
    ]),
  )
}

function catchUpTable(catchUps: readonly CatchUpCost[]): string {
  return table(
    ['changes feed', 'changes/s', 'of a core', 'target', ''],
    catchUps.map(({ changes, perSecond, busy, target, met }) => [
      `catching up with ${whole(changes)}`,
      whole(perSecond),
      busy.toFixed(2),
      `>= ${whole(target)}`,
      verdict(met),
    ]),
  )
}

function uploadTable(uploads: readonly UploadCost[]): string {
  return table(
    ['uploads', 'MiB/s', 'ratio', 'CPU ratio', 'more memory', 'target', ''],
    uploads.map(({ atOnce, perSecond, ratio, cpuRatio, mebibytes, target, met }) => [
      `${atOnce} of 1 GiB at once`,
      whole(perSecond / 2 ** 20),
      ratio.toFixed(2),
      cpuRatio.toFixed(2),
      `${whole(mebibytes)} MiB`,
      `>= ${target}, <= 64 MiB`,
      verdict(met),
    ]),
  )
}

function overloadTable(overloads: readonly OverloadCost[]): string {
  return table(
    ['overload', 'goodput', 'fewest answers', 'served p99', 'refused', 'refused p99', 'probe p99', 'targets', ''],
    overloads.map(({ what, goodput, fewest, servedP99, refused, refusedP99, probeP99, targets, met }) => [
      what,
      goodput.toFixed(2),
      whole(fewest),
      `${whole(servedP99)} ms`,
      whole(refused),
      `${whole(refusedP99)} ms`,
      `${whole(probeP99)} ms`,
      `>= ${targets.goodput}, refused <= ${targets.refusedMs} ms, probe <= ${targets.probeMs} ms`,
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

function costTables({ restores, many, live, catchUps, uploads }: Report): readonly string[] {
  return [
    ...(restores.length > 0 ? [restoreTable(restores)] : []),
    ...(many.length > 0 ? [manyTable(many)] : []),
    ...(live.length > 0 ? [liveTable(live)] : []),
    ...(catchUps.length > 0 ? [catchUpTable(catchUps)] : []),
    ...(uploads.length > 0 ? [uploadTable(uploads)] : []),
  ]
}

/** What figures were measured on, and how. */
type Circumstances = Pick<Report, 'machine' | 'database' | 'entries' | 'seconds' | 'rounds'>

function headOf({ machine, database, entries, seconds, rounds }: Circumstances, samples: readonly Sample[]): string {
  const { nproc, processor, memoryGiB, system, node, pinned, date, loadBefore } = machine
  return (
    `${database}; ${date}, ${processor}, nproc ${nproc}, ${memoryGiB} GiB, ${system}, Node ${node}, ` +
    `${pinned ? 'servers pinned to one core, load to another' : 'nothing pinned'}, load before ${loadBefore}\n` +
    `${whole(entries)} entries; medians of ${rounds} rounds of ${seconds} s, the sides in turn${noise(samples)}`
  )
}

const samplesOf = (pairs: readonly Pick<Pair, 'without' | 'with'>[]): readonly Sample[] =>
  pairs.flatMap((one) => [one.without, one.with])

/** Pairs alone, as people read them. */
export const printedPairs = (circumstances: Circumstances, pairs: Pairs): string =>
  `${headOf(circumstances, samplesOf(pairs.rows))}\n\n${pairTable(pairs)}`

/** The report as people read it. */
export function printed(report: Report): string {
  const { entries, comparisons, growth, nodes, starts, imports } = report
  const samples = [
    ...comparisons.flatMap((one) => [one.floor, one.daybook]),
    ...growth.flatMap((one) => [one.small, one.large]),
    ...samplesOf([...report.pairs.flatMap(({ rows }) => rows), ...report.rules]),
    ...(nodes ? [nodes.one, nodes.straight, nodes.proxied] : []),
  ]
  const parts = [headOf(report, samples)]
  if (comparisons.length > 0) parts.push(comparisonTable(comparisons))
  if (growth.length > 0) parts.push(growthTable(growth, entries))
  parts.push(...report.pairs.filter(({ rows }) => rows.length > 0).map(pairTable))
  if (report.rules.length > 0) parts.push(ruleTable(report.rules))
  if (nodes) parts.push(nodesTable(nodes))
  if (report.latencies.length > 0) parts.push(latencyTable(report.latencies))
  if (starts.length > 0) parts.push(startTable(starts))
  if (report.amounts.length > 0) parts.push(printedAmounts(report.amounts))
  if (report.documents.length > 0) parts.push(documentTable(report.documents))
  if (report.aggregates.length > 0) parts.push(aggregateTable(report.aggregates))
  if (imports.length > 0) parts.push(importTable(imports))
  if (report.exports.length > 0) parts.push(exportTable(report.exports))
  parts.push(...costTables(report))
  if (report.overloads.length > 0) parts.push(overloadTable(report.overloads))
  return parts.join('\n\n')
}
