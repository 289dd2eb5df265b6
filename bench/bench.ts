import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Child, Server } from './load/child.ts'
import type { Place } from './load/cores.ts'
import { TOKEN } from './stores/fill.ts'
import type { BenchStore, Stores } from './stores/stores.ts'

export interface Bench {
  readonly stores: Stores
  /** The seeded store. */
  readonly store: BenchStore
  /** The number of posts in the seeded store. */
  readonly entries: number
  /** The length of one measurement, in seconds. */
  readonly seconds: number
  /** The number of measurements of each side. */
  readonly rounds: number
  readonly generator: Child
  /** A folder that is removed after the run. */
  readonly scratch: string
  readonly say: (line: string) => void
}

const CONFIG = fileURLToPath(new URL('bench.config.ts', import.meta.url))
export const CHECKOUT: string = fileURLToPath(new URL('..', import.meta.url))

interface DaybookOptions {
  /** The folder of the checkout that is started. @default this one */
  readonly checkout?: string
  /** True to keep responses in memory, as by default. @default true */
  readonly isCached?: boolean
  /** @default 'server' */
  readonly place?: Place
  readonly env?: NodeJS.ProcessEnv
}

/** Starts Daybook on a store as a user does: `daybook start` from the sources, with a silent log. */
export function startDaybook(
  store: BenchStore,
  { checkout = CHECKOUT, isCached = true, place = 'server', env = {} }: DaybookOptions = {},
): Promise<Server> {
  const cli = join(checkout, 'packages/daybook/src/cli/bin.ts')
  const args = [cli, 'start', '--port', '0', '--log', 'silent', '--config', CONFIG, ...store.options]
  const limits = isCached ? {} : { responseCacheBytes: 0 }
  const variables = {
    ...store.env,
    DAYBOOK_SERVICE_TOKEN: TOKEN,
    BENCH_CHECKOUT: checkout,
    BENCH_LIMITS: JSON.stringify(limits),
    ...env,
  }
  return Server.start(args, variables, place)
}

/** A response that does not belong to the work: the figures would mean nothing. */
export class WrongResponseError extends Error {
  override readonly name = 'WrongResponseError'
}
