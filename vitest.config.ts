import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: [
      'packages/*/test/**/*.test.ts',
      'examples/*/test/**/*.test.ts',
      'docs/test/**/*.test.ts',
      'scripts/test/**/*.test.ts',
    ],
    globalSetup: ['packages/daybook/test/support/postgres-run.ts'],
    pool: 'forks',
    // Most tests wait: for a disk, a database, another process.
    maxWorkers: '100%',
    // Beside two busy programs everything takes ten times as long. Only a test that hangs takes all of it; a test that does
    // thousands of things says itself how long it may take.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 60_000 } },
  },
})
