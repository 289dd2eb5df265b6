import { workerData } from 'node:worker_threads'
import { handleTasks } from '../../threads/messages.ts'
// Nothing else is loaded: every module would stand in memory once more.
import { PreparedStatements } from './sqlite-connection.ts'
import { openReadOnlyFile } from './sqlite-file.ts'

/** A statement with its parameters, and whether all of its rows are wanted. */
export interface ThreadRequest {
  readonly sql: string
  readonly parameters: readonly unknown[]
  readonly method: 'all' | 'get'
}

/** Pages that the thread keeps, in KiB: SQLite's usual. The system's own cache has the others. */
const CACHE_KIB = 2000

const openReader = () => openReadOnlyFile(String(workerData), CACHE_KIB)
const statements = new PreparedStatements(openReader(), openReader)

handleTasks(({ sql, parameters, method }: ThreadRequest) => statements.get(sql)[method](...parameters))
