import { type PostgresOptions, postgres } from 'daybook/postgres'

/** Timeouts for a busy machine, for tests that are not about timeouts. */
export const PATIENT_DATABASE: PostgresOptions = { answerMs: 5000 }

/** Like `postgres()`, with {@link PATIENT_DATABASE}. */
export const patientPostgres = (url: string | undefined, options: PostgresOptions = {}): ReturnType<typeof postgres> =>
  postgres(url, { ...PATIENT_DATABASE, ...options })
