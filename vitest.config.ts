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
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
})
