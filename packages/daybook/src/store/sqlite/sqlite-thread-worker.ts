import { workerData } from 'node:worker_threads'
import { handleTasks } from '../../threads/messages.ts'
// Imports as little as possible: each module of a thread takes memory again.
import { PreparedStatements } from './sqlite-connection.ts'
import { openReadOnlyFile } from './sqlite-file.ts'

/** A statement with its parameters and the method to run it. */
export interface ThreadRequest {
  readonly sql: string
  readonly parameters: readonly unknown[]
  readonly method: 'all' | 'get'
}

/** The size of the thread's page cache, in KiB: SQLite's default. The operating system caches the rest. */
const CACHE_KIB = 2000

const openReader = () => openReadOnlyFile(String(workerData), CACHE_KIB)
const statements = new PreparedStatements(openReader(), openReader)

handleTasks(({ sql, parameters, method }: ThreadRequest) => statements.get(sql)[method](...parameters))
