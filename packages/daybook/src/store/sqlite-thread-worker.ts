import { parentPort, workerData } from 'node:worker_threads'
// Nothing else is loaded: every module would stand in memory once more.
import { open, PreparedStatements } from './sqlite-file.ts'

/** A statement with its parameters, and whether all of its rows are wanted. */
export interface ThreadRequest {
  readonly sql: string
  readonly parameters: readonly unknown[]
  readonly method: 'all' | 'get'
}

/** The rows of `all`, the row of `get`, or why there are none. */
export type ThreadAnswer = { readonly result: unknown } | { readonly message: string; readonly code: string }

const native = open(String(workerData))
native.pragma('query_only = ON')
const statements = new PreparedStatements(native)

parentPort?.on('message', (request: ThreadRequest) => parentPort?.postMessage(answer(request)))

function answer({ sql, parameters, method }: ThreadRequest): ThreadAnswer {
  try {
    return { result: statements.get(sql)[method](...parameters) }
  } catch (error) {
    // A structured clone of an error loses its code.
    const { message, code } = error as { readonly message?: unknown; readonly code?: unknown }
    return { message: String(message), code: typeof code === 'string' ? code : '' }
  }
}
