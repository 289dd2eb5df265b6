export { postgres } from './postgres.ts'
export type { PostgresOptions } from './postgres-options.ts'
