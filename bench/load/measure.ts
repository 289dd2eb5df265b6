import { cpus } from 'node:os'
import type { Metered } from '../databases/databases.ts'
import type { Child, Server } from './child.ts'
import { HAS_ROOM } from './cores.ts'
import type { Kind } from './kinds.ts'
import type { Load, Loaded } from './load.ts'
import type { Targeting } from './plan.ts'

/** What a server did under one kind of load. */
export interface Sample {
  /** Requests a second. */
  readonly perSecond: number
  /** Processor time of one request, in microseconds. */
  readonly cpu: number
  /** The same of the database's own processes; 0 where the database is part of the server. */
  readonly databaseCpu: number
  /** The same of the proxy; 0 where there is none. */
  readonly proxyCpu: number
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

/** Servers that take part, mostly one, and what to ask them. */
export interface Side {
  readonly name: string
  /** They share the work. */
  readonly servers: readonly Server[]
  /** What stands before them. */
  readonly proxy?: Server
  readonly database: Metered
  readonly targeting: Targeting
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>>
  /** Waits until the servers have done what a load leaves behind. */
  readonly settle?: () => Promise<void>
}

/** Where a side is asked. */
export const urlsOf = ({ servers, proxy }: Side): readonly string[] => (proxy ? [proxy] : servers).map(({ url }) => url)

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

function loadOf({ connections, load }: Kind, side: Side, seconds: number): Load {
  nextNumber += NUMBERS
  const asked = load(side.targeting, TOKEN, nextNumber)
  return { urls: urlsOf(side), connections, seconds, ...asked, headers: side.headers ?? {} }
}

/** Processor time that the parts of a side used, in microseconds. */
interface Used {
  readonly servers: number
  readonly database: number
  readonly proxy: number
}

async function usedBy({ servers, database, proxy }: Side): Promise<Used> {
  const times = await Promise.all(servers.map((server) => server.cpu()))
  return {
    servers: times.reduce((sum, one) => sum + one, 0),
    database: await database.cpu(),
    proxy: (await proxy?.cpu()) ?? 0,
  }
}

async function measure(generator: Child, kind: Kind, side: Side, seconds: number): Promise<Sample> {
  const cores = coreTimes()
  const before = await usedBy(side)
  const loaded = await generator.ask<Loaded>(loadOf(kind, side, seconds))
  const now = await usedBy(side)
  const { working, all } = sinceThen(cores)
  requireStatus(kind, side, loaded)
  const { requests, p50, p99, busy } = loaded
  const servers = now.servers - before.servers
  const database = now.database - before.database
  const proxy = now.proxy - before.proxy
  const own = (servers + database + proxy) / 1000 + busy * loaded.seconds * 1000
  return {
    perSecond: requests / loaded.seconds,
    cpu: servers / requests,
    databaseCpu: database / requests,
    proxyCpu: proxy / requests,
    busy: servers / 1e6 / loaded.seconds / coresOf(side),
    loadBusy: busy,
    others: Math.max(0, working - own) / all,
    p50,
    p99,
  }
}

/** How many cores the servers of a side have. */
const coresOf = ({ servers }: Side): number => (HAS_ROOM ? servers.length : 1)

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

function requireStatus({ title, status }: Kind, { name }: Side, { statuses, failures }: Loaded): void {
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
    databaseCpu: middle('databaseCpu'),
    proxyCpu: middle('proxyCpu'),
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

/** Loads sides in turn, round after round, so that whatever else the machine does meets all alike. */
export async function race<const Sides extends readonly Side[]>(
  generator: Child,
  kind: Kind,
  sides: Sides,
  { seconds, rounds }: Effort,
): Promise<{ readonly [Place in keyof Sides]: Sample }> {
  const loaded = async (side: Side, duration: number): Promise<Sample> => {
    const sample = await measure(generator, kind, side, duration)
    await side.settle?.()
    return sample
  }
  for (const side of sides) await loaded(side, Math.min(3, seconds))
  const samples: Sample[][] = sides.map(() => [])
  for (let round = 0; round < rounds; round++) {
    for (const [place, side] of sides.entries()) samples[place]?.push(await loaded(side, seconds))
  }
  return samples.map(medianOf) as { readonly [Place in keyof Sides]: Sample }
}

/** Which figure tells how fast the sides are. */
export type Judge = 'throughput' | 'processor time'

/** A core that is used as much as this has no more to give. */
const FULL = 0.9

/**
 * Requests a second tell, where the servers were the slow part: their cores were full, or they waited for the disk.
 * Else the load generator was, or a database of its own, and processor time tells.
 */
export function judgeOf({ writes }: Kind, samples: readonly Sample[]): Judge {
  return writes || samples.every(({ busy }) => busy >= FULL) ? 'throughput' : 'processor time'
}
