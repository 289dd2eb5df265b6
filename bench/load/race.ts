import { cpus } from 'node:os'
import { type Bench, WrongResponseError } from '../bench.ts'
import { type ReportLine, roundFigure } from '../report.ts'
import type { Addresses } from '../stores/addresses.ts'
import { TOKEN } from '../stores/fill.ts'
import type { Child, Server } from './child.ts'
import type { Load, LoadResult } from './load.ts'

export interface Work {
  readonly title: string
  readonly connections: number
  /** Selects the addresses to read. Absent: the work creates posts. */
  readonly paths?: (addresses: Addresses) => readonly string[]
}

export interface Side {
  readonly name: string
  readonly server: Server
  readonly addresses: Addresses
}

export interface Sample {
  readonly perSecond: number
  /** Processor time of one request, in microseconds. */
  readonly cpu: number
  /** The same of the database's own processes. */
  readonly databaseCpu: number
  /** The used share of the server's core, from 0 to 1. */
  readonly busy: number
  /** The share of all cores that other programs used, from 0 to 1. */
  readonly otherPrograms: number
  /** In milliseconds. */
  readonly p99: number
}

export const WARM_UP_SECONDS = 3
/** The numbers of new posts that one measurement may use. */
const NUMBERS = 1_000_000
let firstNumber = 100 * NUMBERS

export function nextPosts({ targets }: Addresses): NonNullable<Load['posts']> {
  firstNumber += NUMBERS
  return { token: TOKEN, first: firstNumber, targets }
}

/** Loads servers in turn, round after round, so that disturbances by other programs meet all of them; returns medians. */
export async function race(
  { generator, stores, seconds, rounds }: Omit<Bench, 'store'>,
  work: Work,
  sides: readonly Side[],
): Promise<readonly Sample[]> {
  const measureSide = (side: Side, duration: number): Promise<Sample> =>
    measure(generator, () => stores.cpu(), work, side, duration)
  for (const side of sides) await measureSide(side, Math.min(WARM_UP_SECONDS, seconds))
  const samples: Sample[][] = sides.map(() => [])
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, side] of sides.entries()) samples[index]?.push(await measureSide(side, seconds))
  }
  return samples.map(medianSample)
}

async function measure(
  generator: Child,
  databaseCpu: () => Promise<number>,
  { title, connections, paths }: Work,
  { name, server, addresses }: Side,
  seconds: number,
): Promise<Sample> {
  const requests = paths ? { paths: paths(addresses) } : { posts: nextPosts(addresses) }
  const [coresBefore, serverBefore, databaseBefore] = [readCores(), await server.cpu(), await databaseCpu()]
  const result = await generator.request<LoadResult>({ url: server.url, connections, seconds, ...requests })
  const [serverUsed, databaseUsed] = [(await server.cpu()) - serverBefore, (await databaseCpu()) - databaseBefore]
  const cores = readCores()
  const { p99 } = requireStatus(`${title}, ${name}`, result, paths ? 200 : 201)
  const benchMs = (serverUsed + databaseUsed) / 1000 + result.processorMs
  const workingMs = cores.working - coresBefore.working
  return {
    perSecond: result.requests / result.seconds,
    cpu: serverUsed / result.requests,
    databaseCpu: databaseUsed / result.requests,
    busy: serverUsed / 1e6 / result.seconds,
    otherPrograms: Math.max(0, workingMs - benchMs) / (cores.total - coresBefore.total),
    p99,
  }
}

/** Returns the times of all responses. @throws {WrongResponseError} if one has another status */
export function requireStatus(
  what: string,
  { byStatus, failures }: LoadResult,
  status: number,
): { readonly p50: number; readonly p99: number } {
  const { [status]: expected, ...unexpected } = byStatus
  if (failures === 0 && expected && Object.keys(unexpected).length === 0) return expected
  throw new WrongResponseError(`${what}: responses by status ${JSON.stringify(byStatus)}, ${failures} failures`)
}

/** Reads the time of all cores, in milliseconds. */
function readCores(): { readonly working: number; readonly total: number } {
  const times = cpus().map((core) => core.times)
  const idle = times.reduce((sum, core) => sum + core.idle, 0)
  const total = times.reduce((sum, core) => sum + core.user + core.nice + core.sys + core.irq + core.idle, 0)
  return { working: total - idle, total }
}

function medianSample(samples: readonly Sample[]): Sample {
  const medianFigure = (figure: keyof Sample): number => median(samples.map((sample) => sample[figure]))
  return {
    perSecond: medianFigure('perSecond'),
    cpu: medianFigure('cpu'),
    databaseCpu: medianFigure('databaseCpu'),
    busy: medianFigure('busy'),
    otherPrograms: medianFigure('otherPrograms'),
    p99: medianFigure('p99'),
  }
}

export function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b)
  const half = sorted.length / 2
  return ((sorted[Math.floor(half)] ?? 0) + (sorted[Math.ceil(half) - 1] ?? 0)) / 2
}

/** A core that is used as much as this has no capacity left. */
const FULL = 0.9

/**
 * Compares the speed of two servers. Requests a second count where the servers were the bottleneck: their cores were full, or
 * they waited for the disk. Otherwise the load generator or the database was, and the processor time of a request counts.
 *
 * @returns a ratio above 1 if the second server is faster
 */
export function compareSamples(
  { title, paths }: Work,
  reference: readonly [name: string, Sample],
  measured: readonly [name: string, Sample],
): ReportLine {
  const [before, after] = [reference[1], measured[1]]
  const isThroughput = !paths || (before.busy >= FULL && after.busy >= FULL)
  const ratio = isThroughput
    ? after.perSecond / before.perSecond
    : (before.cpu + before.databaseCpu) / (after.cpu + after.databaseCpu)
  return {
    work: `${title}, ${measured[0]}`,
    ratio: roundFigure(ratio),
    by: isThroughput ? 'requests' : 'processor time',
    ...figuresOf('', after),
    ...figuresOf(`${reference[0]} `, before),
    'other programs %': Math.round(Math.max(before.otherPrograms, after.otherPrograms) * 100),
  }
}

export function figuresOf(prefix: string, { perSecond, cpu, databaseCpu, p99 }: Sample): Record<string, number> {
  return {
    [`${prefix}requests/s`]: roundFigure(perSecond),
    [`${prefix}CPU µs`]: roundFigure(cpu),
    ...(databaseCpu > 0 ? { [`${prefix}database µs`]: roundFigure(databaseCpu) } : {}),
    [`${prefix}p99 ms`]: roundFigure(p99),
  }
}
