import type { Connection } from '../../../src/store/connection.ts'
import type { Database } from '../../../src/store/database.ts'
import type { Statement, StatementValues } from '../../../src/store/statement.ts'
import { Store } from '../../../src/store/store.ts'

export interface NotedStatement {
  readonly sql: string
  readonly parameters: readonly unknown[]
}

/** Receives each statement that reads, with its connection. */
type Note = (statement: NotedStatement, by: 'reader' | 'background') => void

/** Opens a store that reports the statements that it reads with. */
export function notedStore(database: Database, note: Note): Store {
  return new Store({
    dialect: database.dialect,
    reader: noted(database.reader, (statement) => note(statement, 'reader')),
    background: noted(database.background, (statement) => note(statement, 'background')),
    statementCount: 0,
    transaction: (work) => database.transaction(work),
    alter: (work) => database.alter(work),
    onGrowth: (listener, after) => database.onGrowth(listener, after),
    snapshot: () => database.snapshot(),
    close: () => database.close(),
  })
}

function noted(connection: Connection, tell: (statement: NotedStatement) => void): Connection {
  const note = (statement: Statement, values: StatementValues = {}): void =>
    tell({ sql: statement.sql, parameters: statement.bind(values) })
  return {
    all: (statement, values) => {
      note(statement, values)
      return connection.all(statement, values)
    },
    get: (statement, values) => {
      note(statement, values)
      return connection.get(statement, values)
    },
    run: (statement, values) => connection.run(statement, values),
  }
}
