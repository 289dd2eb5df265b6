/** A stored record of authentication, such as an account, a session or a token, as JSON. */
export interface AuthRecord {
  readonly id: string
  readonly [field: string]: unknown
}

/** Options of a stored record. */
export interface RecordOptions {
  /** The keys by which it is found, by name. */
  readonly keys?: Readonly<Record<string, string>>
  /** The names of keys that are unique among records of its kind. */
  readonly unique?: readonly string[]
  /** The time at which it expires, in milliseconds since 1970. It is deleted some time later. @default never */
  readonly until?: number
}

/** A page of the records of a kind. */
export interface RecordPage {
  /** The id after which the page begins. */
  readonly after?: string
  /** @default all */
  readonly limit?: number
}

export interface RecordReader {
  get(kind: string, id: string): Promise<AuthRecord | undefined>
  /** Finds records by a key, in order of their ids. */
  find(kind: string, key: string, value: string): Promise<readonly AuthRecord[]>
  /** Lists records of a kind, in order of their ids. @default all */
  list(kind: string, page?: RecordPage): Promise<readonly AuthRecord[]>
  count(kind: string): Promise<number>
}

/** Changes records inside one transaction, and reads its own changes. */
export interface RecordWriter extends RecordReader {
  /**
   * Adds a record, or replaces the one with its id.
   *
   * @throws {DuplicateKeyError} if another record has one of its unique keys
   */
  put(kind: string, record: AuthRecord, options?: RecordOptions): Promise<void>
  /** Deletes a record. Returns false if there was none. */
  delete(kind: string, id: string): Promise<boolean>
  /** Reports after the commit that sessions or tokens may have ended or changed. */
  noteSessionChange(): Promise<void>
}

/** The records of an adapter in the service's database. */
export interface AuthRecords extends RecordReader {
  /**
   * Runs `work` as the only writer of all nodes. Its changes are durable when this resolves; if it rejects, there are none. `work` may run
   * more than once, for example if it shares a commit with a write that fails.
   *
   * @param options `exclusive`: it shares its commit with no other write, because it waits for other code
   */
  transaction<T>(work: (writer: RecordWriter) => Promise<T>, options?: { readonly exclusive?: boolean }): Promise<T>
  /**
   * Calls `listener` after each transaction that notes a session change, at once on its own node and within a second on all others. It may
   * also be called without a change.
   *
   * @returns a function that stops the calls
   */
  onSessionChange(listener: () => void): () => void
}

/** Another record has that key. */
export class DuplicateKeyError extends Error {
  override readonly name = 'DuplicateKey'
  readonly key: string

  constructor(key: string) {
    super(`taken: ${key}`)
    this.key = key
  }
}
