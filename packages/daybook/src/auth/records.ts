/** A stored record of authentication: an account, a session or a token, as JSON. */
export interface AuthRecord {
  readonly id: string
  readonly [field: string]: unknown
}

/** How a record is kept. */
export interface RecordOptions {
  /** Texts that it is found by, by name. */
  readonly keys?: Readonly<Record<string, string>>
  /** Names of keys that no other record of its kind may share. */
  readonly unique?: readonly string[]
  /** When it is worth nothing any more, in milliseconds since 1970; it is thrown away some time later. @default never */
  readonly until?: number
}

/** Which records of a kind are listed. */
export interface RecordPage {
  /** Only those whose ids come after this one. */
  readonly after?: string
  /** @default all */
  readonly limit?: number
}

/** Finds records. */
export interface RecordReader {
  get(kind: string, id: string): Promise<AuthRecord | undefined>
  /** Those of which a key has this value, in order of their ids. */
  find(kind: string, key: string, value: string): Promise<readonly AuthRecord[]>
  /** Those of a kind, in order of their ids. @default all */
  list(kind: string, page?: RecordPage): Promise<readonly AuthRecord[]>
  /** How many there are of a kind. */
  count(kind: string): Promise<number>
}

/** Changes records, inside one transaction; it finds what it has changed. */
export interface RecordWriter extends RecordReader {
  /**
   * Adds a record, or puts it in the place of that with its id.
   *
   * @throws {DuplicateKeyError} when another one has a unique key of it
   */
  put(kind: string, record: AuthRecord, options?: RecordOptions): Promise<void>
  /** Answers whether there was one. */
  delete(kind: string, id: string): Promise<boolean>
  /** Reports, once the transaction is committed, that sessions or tokens may have ended or changed. */
  noteSessionChange(): Promise<void>
}

/** The records that an adapter keeps in the service's own database. */
export interface AuthRecords extends RecordReader {
  /**
   * Runs `work` alone among all writers of all nodes; all of it is durable when this resolves, none of it when it rejects. `work` may run
   * more than once, as when it shares a commit with a write that fails.
   *
   * @param options `exclusive`: it shares its commit with no other write, as one that waits for other code
   */
  transaction<T>(work: (writer: RecordWriter) => Promise<T>, options?: { readonly exclusive?: boolean }): Promise<T>
  /**
   * Calls `listener` after each transaction that notes a session change: at once on its own node, within a second on all others; also
   * without a change. The returned function stops that.
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
