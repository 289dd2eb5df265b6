import type { Model } from '../packages/daybook/src/model/model.ts'
import type { BenchStore, Databases, Say } from './databases/databases.ts'
import { type Child, here, Server } from './load/child.ts'
import type { Place } from './load/cores.ts'
import { type Effort, TOKEN } from './load/measure.ts'

/** What all parts of a run share. */
export interface Bench {
  readonly model: Model
  readonly databases: Databases
  /** The seeded store that is asked. */
  readonly store: BenchStore
  /** How many posts it holds. */
  readonly entries: number
  readonly effort: Effort
  readonly generator: Child
  /** A folder that goes with the run. */
  readonly scratch: string
  /** What Node is told besides on Daybook's side. */
  readonly profiling: readonly string[]
  isAsked(name: string): boolean
  readonly say: Say
}

/** Daybook as it is in the repository. */
export const SOURCES: string = here('../../packages/daybook/src/cli/bin.ts')

/** The reference example, which takes the database that DATABASE_URL names. */
export const CONFIG: string = here('../../examples/blog/daybook.config.ts')

/** What Node runs to serve a store as a user would. */
export function startArgs({ options }: BenchStore, { cli = SOURCES, config = CONFIG } = {}): readonly string[] {
  return [cli, 'start', '--port', '0', '--log', 'silent', '--config', config, ...options]
}

/** Starts Daybook on a store. */
export function startDaybook({ profiling }: Bench, store: BenchStore, place?: Place): Promise<Server> {
  return Server.start([...profiling, ...startArgs(store)], { ...store.env, DAYBOOK_SERVICE_TOKEN: TOKEN }, place)
}
