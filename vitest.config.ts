import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'

// Hundreds of processes and threads load the same sources: each is compiled once, by whichever comes first.
process.env.NODE_COMPILE_CACHE ??= join(tmpdir(), 'node-compile-cache')

export default defineConfig({
  test: {
    include: [
      'packages/*/test/**/*.test.ts',
      'examples/*/test/**/*.test.ts',
      'docs/test/**/*.test.ts',
      'scripts/test/**/*.test.ts',
    ],
    globalSetup: ['packages/daybook/test/support/postgres/postgres-run.ts'],
    pool: 'forks',
    // Many tests wait: for a clock, a database, another process. Meanwhile another one has their core.
    maxWorkers: availableParallelism() + 1,
    // Beside two busy programs everything takes ten times as long. Only a test that hangs takes all of it; a test that does
    // thousands of things says itself how long it may take.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 60_000 } },
  },
})
