export type StoreName = 'sqlite' | 'postgres'

export interface BenchStore {
  /** The file or the URL of the database. */
  readonly address: string
  /** The options of `daybook start` that name the store. */
  readonly options: readonly string[]
  readonly env: NodeJS.ProcessEnv
}

/** The stores of a run. Seeded stores remain for later runs; all others are removed at the end. */
export interface Stores extends AsyncDisposable {
  readonly name: StoreName
  /** The name and version of the database. */
  readonly version: string
  /** Opens the store with this number of posts; it is filled if no earlier run did that. */
  openSeeded(entries: number): Promise<BenchStore>
  /** Copies a store, so that it can be changed. No process may use the store during the copy. */
  copy(store: BenchStore): Promise<BenchStore>
  makeEmpty(): Promise<BenchStore>
  /** The user and system time of the database's own processes so far, in microseconds; 0 if it has none. */
  cpu(): Promise<number>
}

export interface StoresOptions {
  /** The folder of seeded stores. */
  readonly root: string
  /** The folder of this run, which is removed at the end. */
  readonly scratch: string
  /** Fills an empty store with this number of posts. */
  readonly fill: (store: BenchStore, entries: number) => Promise<void>
}

/** The name of the seeded store of a size. Raise the version when the content of seeded stores changes. */
export const seededName = (entries: number): string => `seeded_3_${entries}`
