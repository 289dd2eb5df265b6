export { postgres } from '../store/postgres.ts'
export type { PostgresOptions } from '../store/postgres-options.ts'
