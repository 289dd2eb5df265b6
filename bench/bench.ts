import type { Model } from '../packages/daybook/src/model/model.ts'
import type { BenchStore, Databases, Say } from './databases/databases.ts'
import { type Child, here, Server, type ServerOptions } from './load/child.ts'
import type { Keeping } from './load/kinds.ts'
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

const UNKEPT = here('../databases/unkept.config.ts')

/** What `daybook start` runs with. */
interface StartOptions {
  /** @default the sources */
  readonly cli?: string
  /** @default the reference example */
  readonly config?: string
  /** @default 'silent' */
  readonly log?: 'silent' | 'info'
}

/** What Node runs to serve a store as a user would. */
export function startArgs(
  { options }: BenchStore,
  { cli = SOURCES, config = CONFIG, log = 'silent' }: StartOptions = {},
): readonly string[] {
  return [cli, 'start', '--port', '0', '--log', log, '--config', config, ...options]
}

/** The same, that keeps answers, or none. */
export const keepingArgs = (store: BenchStore, keeping: Keeping): readonly string[] =>
  startArgs(store, { config: keeping === 'kept' ? CONFIG : UNKEPT })

/** Starts Daybook on a store. */
export function startDaybook(
  { profiling }: Bench,
  store: BenchStore,
  { keeping = 'kept', ...options }: ServerOptions & { readonly keeping?: Keeping } = {},
): Promise<Server> {
  const env = { ...store.env, DAYBOOK_SERVICE_TOKEN: TOKEN }
  return Server.start([...profiling, ...keepingArgs(store, keeping)], env, options)
}
