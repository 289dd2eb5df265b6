import { type PostgresOptions, postgres } from 'daybook/postgres'

/** RateLimits of a database whose machine may be busy, where it is not the limits that are tested. */
export const PATIENT_DATABASE: PostgresOptions = { answerMs: 5000 }

/** PostgreSQL on a machine that may be busy: it is given up later than usual. */
export const patientPostgres = (url: string | undefined, options: PostgresOptions = {}): ReturnType<typeof postgres> =>
  postgres(url, { ...PATIENT_DATABASE, ...options })
