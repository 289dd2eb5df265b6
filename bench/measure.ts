import { cpus } from 'node:os'
import type { Child, Server } from './child.ts'
import type { Kind } from './kinds.ts'
import type { Load, Loaded } from './load.ts'
import type { Targeting } from './plan.ts'

/** What a server did under one kind of load. */
export interface Sample {
  /** Requests a second. */
  readonly perSecond: number
  /** Processor time of one request, in microseconds. */
  readonly cpu: number
  /** How much of its core the server used, from 0 to 1. */
  readonly busy: number
  /** How much of its core the load generator used, from 0 to 1. */
  readonly loadBusy: number
  /** How much of all cores other programs used meanwhile, from 0 to 1. */
  readonly others: number
  /** In milliseconds. */
  readonly p50: number
  /** In milliseconds. */
  readonly p99: number
}

/** A server that takes part, and what to ask it. */
export interface Side {
  readonly name: string
  readonly server: Server
  readonly targeting: Targeting
}

/** How long and how often to measure. */
export interface Effort {
  /** Of one measurement. */
  readonly seconds: number
  /** Measurements of each side. */
  readonly rounds: number
}

/** An answer that should not have come: the figures would mean nothing. */
export class WrongAnswer extends Error {
  override readonly name = 'WrongAnswer'
}

/** The credential that new posts are sent with. */
export const TOKEN = 'bench-token-of-the-service-principal'

/** How many numbers of new posts one measurement may use up. */
const NUMBERS = 1_000_000
let nextNumber = 100 * NUMBERS

function loadOf({ connections, load }: Kind, { server, targeting }: Side, seconds: number): Load {
  nextNumber += NUMBERS
  return { url: server.url, connections, seconds, ...load(targeting, TOKEN, nextNumber) }
}

async function measure(generator: Child, kind: Kind, side: Side, seconds: number): Promise<Sample> {
  const cores = coreTimes()
  const before = await side.server.cpu()
  const loaded = await generator.ask<Loaded>(loadOf(kind, side, seconds))
  const used = (await side.server.cpu()) - before
  const { working, all } = sinceThen(cores)
  demandStatus(kind, side, loaded)
  const { requests, p50, p99, busy } = loaded
  const own = used / 1000 + busy * loaded.seconds * 1000
  return {
    perSecond: requests / loaded.seconds,
    cpu: used / requests,
    busy: used / 1e6 / loaded.seconds,
    loadBusy: busy,
    others: Math.max(0, working - own) / all,
    p50,
    p99,
  }
}

/** Time of all cores, in milliseconds. */
interface CoreTimes {
  readonly working: number
  readonly all: number
}

function coreTimes(): CoreTimes {
  const times = cpus().map((core) => core.times)
  const idle = times.reduce((sum, one) => sum + one.idle, 0)
  const all = times.reduce((sum, one) => sum + one.user + one.nice + one.sys + one.irq + one.idle, 0)
  return { working: all - idle, all }
}

function sinceThen(before: CoreTimes): CoreTimes {
  const now = coreTimes()
  return { working: now.working - before.working, all: now.all - before.all }
}

function demandStatus({ title, status }: Kind, { name }: Side, { statuses, failures }: Loaded): void {
  const others = Object.keys(statuses).filter((code) => Number(code) !== status)
  if (others.length === 0 && failures === 0) return
  throw new WrongAnswer(`${title}, ${name}: answers by status ${JSON.stringify(statuses)}, ${failures} failed`)
}

/** The middle value of each figure. */
function medianOf(samples: readonly Sample[]): Sample {
  const middle = (figure: keyof Sample): number => median(samples.map((sample) => sample[figure]))
  return {
    perSecond: middle('perSecond'),
    cpu: middle('cpu'),
    busy: middle('busy'),
    loadBusy: middle('loadBusy'),
    others: middle('others'),
    p50: middle('p50'),
    p99: middle('p99'),
  }
}

/** The middle of some numbers. */
export function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((one, other) => one - other)
  const half = sorted.length / 2
  return ((sorted[Math.floor(half)] ?? 0) + (sorted[Math.ceil(half) - 1] ?? 0)) / 2
}

/** Loads two servers in turn, round after round, so that whatever else the machine does meets both alike. */
export async function race(
  generator: Child,
  kind: Kind,
  sides: readonly [Side, Side],
  { seconds, rounds }: Effort,
): Promise<readonly [Sample, Sample]> {
  const [first, second] = sides
  const samples: [Sample[], Sample[]] = [[], []]
  for (const side of sides) await measure(generator, kind, side, Math.min(3, seconds))
  for (let round = 0; round < rounds; round++) {
    samples[0].push(await measure(generator, kind, first, seconds))
    samples[1].push(await measure(generator, kind, second, seconds))
  }
  return [medianOf(samples[0]), medianOf(samples[1])]
}

/** Which of two figures tells how fast the sides are. */
export type Judge = 'throughput' | 'processor time'

/** A core that is used as much as this has no more to give. */
const FULL = 0.9

/**
 * Requests a second tell, where the servers were the slow part: their cores were full, or they waited for the disk.
 * Else the load generator was, and processor time tells.
 */
export function judgeOf({ writes }: Kind, samples: readonly Sample[]): Judge {
  return writes || samples.every(({ busy }) => busy >= FULL) ? 'throughput' : 'processor time'
}
