import { build, param, prepare } from '../compile.ts'
import type { ReadSource } from '../connection.ts'
import type { GlobalRow } from './rows.ts'

/** Reads globals. */
export class GlobalReader {
  readonly #source: ReadSource

  constructor(source: ReadSource) {
    this.#source = source
  }

  /** The global with this key; `undefined`: it was never written. */
  byKey(key: string): Promise<GlobalRow | undefined> {
    return this.#source.connection.get(GLOBAL_BY_KEY, { key })
  }
}

const GLOBAL_BY_KEY = prepare(build.selectFrom('daybook$globals').selectAll().where('key', '=', param<string>('key')))
