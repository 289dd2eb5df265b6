import { vi } from 'vitest'

/**
 * How long a test waits for what is due, in milliseconds. Only what never comes takes that long, so it is generous: two
 * busy programs beside the tests make everything ten times slower.
 */
export const WAIT_TIMEOUT_MS = 60_000

/** How long a test may take that does thousands of things, in milliseconds. */
export const LARGE_TEST_MS = 900_000

/** RateLimits of a service whose machine may be slow, where it is not the limits that are tested. */
export const SLOW_MACHINE_LIMITS = { authMs: WAIT_TIMEOUT_MS } as const

/** Checks again and again, until the check holds. */
export const eventually = <T>(check: () => T | Promise<T>): Promise<T> =>
  vi.waitFor(check, { timeout: WAIT_TIMEOUT_MS, interval: 50 })
