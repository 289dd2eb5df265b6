import type NativeDatabase from 'better-sqlite3'
import type { NativeStatement } from 'better-sqlite3'
import { DaybookError } from '../../errors.ts'
import type { Connection } from '../connection.ts'
import { UniqueViolation } from '../database.ts'
import type { Statement, StatementValues } from '../statement.ts'
import { parseUniqueIndexName } from '../tables/tables.ts'
import { getSqliteCode } from './sqlite-file.ts'

/** The most prepared statements kept on one connection; a large one holds some 50 KiB. */
const MAX_FILE_STATEMENTS = 100

/**
 * A statement in the form that SQLite plans once. While it plans, it looks at parameters that something equals, and at those of LIMIT and
 * OFFSET; it then plans anew each time that one of them is bound (`sqlite3_prepare_v2`, point 3), which takes as long as reading a page. It does
 * not look below COLLATE, and all text compares by BINARY anyway.
 */
const plannedOnce = (text: string): string =>
  text.replace(/(?<=(?:=|\b(?:is|from|limit|offset|in \()) ?)\?/gi, '? COLLATE BINARY')

/**
 * The statements of one connection, each prepared once. When there are too many, the connection is opened anew: that frees all of them at
 * once, where those that are only dropped hold their memory until V8, which does not see it, happens to collect them.
 */
export class PreparedStatements {
  #native: NativeDatabase
  readonly #open: (() => NativeDatabase) | undefined
  readonly #statements = new Map<string, NativeStatement>()

  /** @param renew opens the connection as it was; without it, statements are dropped, as on one that may be in a transaction */
  constructor(native: NativeDatabase, renew?: () => NativeDatabase) {
    this.#native = native
    this.#open = renew
  }

  /** The connection, as long as no statement is asked for. */
  get native(): NativeDatabase {
    return this.#native
  }

  get(text: string): NativeStatement {
    let found = this.#statements.get(text)
    if (!found) {
      if (this.#statements.size >= MAX_FILE_STATEMENTS) this.#empty()
      found = this.#native.prepare(plannedOnce(text))
      this.#statements.set(text, found)
    }
    return found
  }

  #empty(): void {
    const old = this.#native
    if (this.#open) this.#native = this.#open()
    this.#statements.clear()
    if (this.#open) old.close()
  }
}

/** One connection with its prepared statements. */
export class SqliteConnection implements Connection {
  protected readonly statements: PreparedStatements
  /** How many statements have run. */
  statementCount = 0
  /** Whether one of them may have changed something. */
  hasChanged = false

  /** @param renew see {@link PreparedStatements} */
  constructor(native: NativeDatabase, renew?: () => NativeDatabase) {
    this.statements = new PreparedStatements(native, renew)
  }

  get native(): NativeDatabase {
    return this.statements.native
  }

  async all<Row>(statement: Statement<Row>, values: StatementValues = {}): Promise<readonly Row[]> {
    return this.execute(statement, (prepared) => prepared.all(...statement.bind(values))) as Row[]
  }

  async get<Row>(statement: Statement<Row>, values: StatementValues = {}): Promise<Row | undefined> {
    return this.execute(statement, (prepared) => prepared.get(...statement.bind(values))) as Row | undefined
  }

  async run(statement: Statement, values: StatementValues = {}): Promise<number> {
    return this.execute(statement, (prepared) => prepared.run(...statement.bind(values)).changes)
  }

  protected execute<Result>({ sql }: Statement, execute: (prepared: NativeStatement) => Result): Result {
    this.statementCount += 1
    try {
      const prepared = this.statements.get(sql)
      const result = execute(prepared)
      // One that fails changes nothing.
      if (!prepared.readonly) this.hasChanged = true
      return result
    } catch (error) {
      throw translateSqliteError(error)
    }
  }
}

/** Translates an error of SQLite into one of Daybook; others pass unchanged. */
export function translateSqliteError(error: unknown): unknown {
  const code = getSqliteCode(error)
  if (code === 'SQLITE_CONSTRAINT_UNIQUE' || code === 'SQLITE_CONSTRAINT_PRIMARYKEY') {
    return new UniqueViolation(violatedField(error as Error), error)
  }
  if (code === 'SQLITE_FULL') return new DaybookError('INSUFFICIENT_STORAGE', undefined, {}, error)
  const isOut = /^SQLITE_(?:BUSY|LOCKED|IOERR|CORRUPT|READONLY|CANTOPEN|NOTADB)/.test(code)
  return isOut ? new DaybookError('SERVICE_UNAVAILABLE', undefined, {}, error) : error
}

/** `UNIQUE constraint failed: posts.slug`, or `… failed: index 'posts$unique$title'`. */
function violatedField({ message }: Error): NonNullable<ReturnType<typeof parseUniqueIndexName>> {
  const [, index = ''] = /index '([^']*)'/.exec(message) ?? []
  return parseUniqueIndexName(index) ?? { field: /failed: [^,]*\.(\w+)/.exec(message)?.[1] ?? 'id' }
}
