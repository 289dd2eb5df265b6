import { parentPort, workerData } from 'node:worker_threads'
import type { NativeStatement } from 'better-sqlite3'
import { open } from './sqlite.ts'

/** A statement with its parameters, and whether all of its rows are wanted. */
export interface ThreadRequest {
  readonly sql: string
  readonly parameters: readonly unknown[]
  readonly method: 'all' | 'get'
}

/** The rows of `all`, the row of `get`, or why there are none. */
export type ThreadAnswer = { readonly result: unknown } | { readonly message: string; readonly code: string }

/** The most prepared statements kept. */
const MAX_STATEMENTS = 500

const native = open(String(workerData))
native.pragma('query_only = ON')
const statements = new Map<string, NativeStatement>()

parentPort?.on('message', (request: ThreadRequest) => parentPort?.postMessage(answer(request)))

function answer({ sql, parameters, method }: ThreadRequest): ThreadAnswer {
  try {
    return { result: prepared(sql)[method](...parameters) }
  } catch (error) {
    // A structured clone of an error loses its code.
    const { message, code } = error as { readonly message?: unknown; readonly code?: unknown }
    return { message: String(message), code: typeof code === 'string' ? code : '' }
  }
}

function prepared(sql: string): NativeStatement {
  let found = statements.get(sql)
  if (!found) {
    if (statements.size >= MAX_STATEMENTS) statements.clear()
    found = native.prepare(sql)
    statements.set(sql, found)
  }
  return found
}
