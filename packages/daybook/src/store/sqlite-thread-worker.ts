import { workerData } from 'node:worker_threads'
import { answerTasks } from '../threads/answer-tasks.ts'
// Nothing else is loaded: every module would stand in memory once more.
import { open, PreparedStatements } from './sqlite-file.ts'

/** A statement with its parameters, and whether all of its rows are wanted. */
export interface ThreadRequest {
  readonly sql: string
  readonly parameters: readonly unknown[]
  readonly method: 'all' | 'get'
}

const native = open(String(workerData))
native.pragma('query_only = ON')
const statements = new PreparedStatements(native)

answerTasks(({ sql, parameters, method }: ThreadRequest) => statements.get(sql)[method](...parameters))
