import { type PostgresOptions, postgres } from 'daybook/postgres'

/** Timeouts for a busy machine, for tests that are not about timeouts. */
export const SLOW_MACHINE_DATABASE: PostgresOptions = { responseMs: 5000 }

/** Like `postgres()`, with {@link SLOW_MACHINE_DATABASE}. */
export const slowMachinePostgres = (
  url: string | undefined,
  options: PostgresOptions = {},
): ReturnType<typeof postgres> => postgres(url, { ...SLOW_MACHINE_DATABASE, ...options })
