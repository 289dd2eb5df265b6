import type NativeDatabase from 'better-sqlite3'
import type { NativeStatement } from 'better-sqlite3'
import { DaybookError } from '../../errors.ts'
import type { Connection } from '../connection.ts'
import { UniqueViolation } from '../database.ts'
import type { Statement, StatementValues } from '../statement.ts'
import { parseUniqueIndexName } from '../tables/tables.ts'
import { getSqliteCode } from './sqlite-file.ts'

/** The maximum number of prepared statements on a connection; a large one holds some 50 KiB. */
const MAX_FILE_STATEMENTS = 100

/**
 * Rewrites a statement so that SQLite plans it once. Its planner looks at parameters in equalities and in LIMIT and OFFSET, and then plans
 * again each time one of them is bound (`sqlite3_prepare_v2`, point 3), which takes as long as reading a page. It does not look below
 * COLLATE, and all text compares by BINARY anyway.
 */
const planOnce = (text: string): string =>
  text.replace(/(?<=(?:=|\b(?:is|from|limit|offset|in \()) ?)\?/gi, '? COLLATE BINARY')

/**
 * The prepared statements of one connection. When there are too many, the connection is reopened, which frees all of them at once. Dropped
 * statements would hold native memory, which V8 does not see, until the next garbage collection.
 */
export class PreparedStatements {
  #native: NativeDatabase
  readonly #reopen: (() => NativeDatabase) | undefined
  readonly #statements = new Map<string, NativeStatement>()

  /** @param reopen opens the same connection again; without it, statements are dropped, as on a connection that may be in a transaction */
  constructor(native: NativeDatabase, reopen?: () => NativeDatabase) {
    this.#native = native
    this.#reopen = reopen
  }

  /** The connection, which a call of {@link get} may replace. */
  get native(): NativeDatabase {
    return this.#native
  }

  get(text: string): NativeStatement {
    const cached = this.#statements.get(text)
    if (cached) return cached
    if (this.#statements.size >= MAX_FILE_STATEMENTS) this.#clear()
    const statement = this.#native.prepare(planOnce(text))
    this.#statements.set(text, statement)
    return statement
  }

  #clear(): void {
    const previous = this.#native
    if (this.#reopen) this.#native = this.#reopen()
    this.#statements.clear()
    if (this.#reopen) previous.close()
  }
}

export class SqliteConnection implements Connection {
  protected readonly statements: PreparedStatements
  statementCount = 0
  /** True if a statement may have changed something. */
  hasChanged = false

  /** @param renew see {@link PreparedStatements} */
  constructor(native: NativeDatabase, reopen?: () => NativeDatabase) {
    this.statements = new PreparedStatements(native, reopen)
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
      // A failed statement changes nothing.
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
