import { PostgresNames } from '../../packages/daybook/src/store/postgres/postgres-names.ts'
import { PostgresTexts } from '../../packages/daybook/src/store/postgres/postgres-texts.ts'
import { connectPool } from './postgres-pool.ts'
import type { ReplayStore } from './replay-store.ts'

/** Daybook's database. A statement is kept prepared by its name where Daybook does that, too. */
export function openPostgresReplay(address: string): ReplayStore {
  const texts = new PostgresTexts(new PostgresNames())
  const pool = connectPool(address)
  return {
    prepare: ({ sql, isKept }) => {
      const { text, name } = texts.translate(sql)
      const all = async (...values: unknown[]): Promise<readonly unknown[]> =>
        (await pool.query(isKept ? { name, text, values } : { text, values })).rows
      return { all, get: async (...values) => (await all(...values))[0] }
    },
  }
}
