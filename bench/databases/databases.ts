import type { Model } from '../../packages/daybook/src/model/model.ts'
import type { Database } from '../../packages/daybook/src/store/database.ts'

/** What keeps the content. */
export type EngineName = 'sqlite' | 'postgres'

/** Says what goes on. */
export type Say = (line: string) => void

/** Something that uses processor time. */
export interface Metered {
  /** User and system time so far, in microseconds; that of its threads and its own processes included. */
  cpu(): Promise<number>
}

/** A store that Daybook serves. */
export interface BenchStore {
  /** What the floor opens: a file or a URL. */
  readonly address: string
  /** Options of `daybook start` that name it. */
  readonly options: readonly string[]
  /** What the environment has to say besides. */
  readonly env: NodeJS.ProcessEnv
  /** Opens it as Daybook does. */
  open(): Promise<Database>
}

/** The stores of a run. Seeded ones are kept for other runs, all others go in the end. */
export interface Databases extends Metered, AsyncDisposable {
  readonly engine: EngineName
  /** Name and version of the engine. */
  readonly version: string
  /** A store with so many posts, written by Daybook; one that an earlier run left is used again when it still fits. */
  seeded(entries: number): Promise<BenchStore>
  /** A copy that may be written to. Nothing else may use the store meanwhile. */
  copyOf(store: BenchStore): Promise<BenchStore>
  /** A store that holds nothing. */
  blank(): Promise<BenchStore>
  /** The address of a database for the floor's own rows. */
  forFloor(): Promise<string>
  /** Lets a server of the engine use all cores from now on. */
  unpin(): void
}

/** What stores are made with. */
export interface Ground {
  /** The folder of what is kept for other runs. */
  readonly root: string
  /** The folder of this run, that goes in the end. */
  readonly scratch: string
  readonly model: Model
  readonly say: Say
}
