import { Pool } from 'pg'
import { TYPES } from '../../packages/daybook/src/store/postgres/postgres-connection.ts'
import { DEFAULT_CONNECTIONS } from '../../packages/daybook/src/store/postgres/postgres-options.ts'

/** As many connections as Daybook has, with the same types. */
export const connectPool = (connectionString: string): Pool =>
  new Pool({ connectionString, max: DEFAULT_CONNECTIONS, types: TYPES })
