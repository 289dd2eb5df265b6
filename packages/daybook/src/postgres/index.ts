export { type PostgresOptions, postgres } from '../store/postgres.ts'
