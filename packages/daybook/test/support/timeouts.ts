import { vi } from 'vitest'

/**
 * The timeout of waiting for a condition, in milliseconds. It is generous, because two other busy programs make everything ten times
 * slower, and only a condition that never holds takes this long.
 */
export const WAIT_TIMEOUT_MS = 60_000

/** The timeout of a test with thousands of operations, in milliseconds. */
export const LARGE_TEST_MS = 900_000

/** Limits for a slow machine, for tests that are not about limits. */
export const SLOW_MACHINE_LIMITS = { authMs: WAIT_TIMEOUT_MS } as const

export const eventually = <T>(check: () => T | Promise<T>): Promise<T> =>
  vi.waitFor(check, { timeout: WAIT_TIMEOUT_MS, interval: 50 })
