import { plannedOnce } from '../../packages/daybook/src/store/sqlite/sqlite-file.ts'
import type { ReplayStore } from './replay-store.ts'
import { openFile } from './sqlite-file.ts'

/** Daybook's file in this process, without anything that waits. */
export function openSqliteReplay(file: string): ReplayStore {
  const reader = openFile(file)
  reader.pragma('query_only = ON')
  return { prepare: ({ sql }) => reader.prepare(plannedOnce(sql)) }
}
