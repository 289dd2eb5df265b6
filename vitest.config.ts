import { globSync, readFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

// Hundreds of processes and threads load the same sources: each is compiled once, by whichever comes first.
process.env.NODE_COMPILE_CACHE ??= join(tmpdir(), 'node-compile-cache')

/** The files that take longest. Vitest learns that from a run; in a fresh clone it begins with the largest files. */
const LONG = [
  'packages/daybook/test/crash/deliveries.test.ts',
  'docs/test/examples.test.ts',
  'packages/studio/test/hard/service-faults.browser.test.ts',
  'packages/daybook/test/crash/kill-migration.test.ts',
  'packages/daybook/test/http/writes/linearizable.test.ts',
  'packages/daybook/test/cli/transfer/restore.test.ts',
  'packages/daybook/test/cli/start/workers.test.ts',
  'packages/daybook/test/cli/transfer/migrate-content.test.ts',
  'packages/daybook/test/auth/stored-accounts.test.ts',
  'packages/daybook/test/cli/copy/copy.test.ts',
  'packages/daybook/test/http/responses/both-stores.test.ts',
  'packages/daybook/test/http/responses/both-stores-extremes.test.ts',
  'packages/daybook/test/http/access/non-interference.test.ts',
  'packages/create-daybook/test/install.test.ts',
  'packages/daybook/test/postgres/faults.test.ts',
  'packages/daybook/test/cli/copy/copy-interrupted.test.ts',
  'packages/daybook/test/cli/start/drain.test.ts',
  'packages/daybook/test/journal/session-streams.test.ts',
  'packages/daybook/test/fuzz/fuzz.test.ts',
  'packages/daybook/test/http/docs/docs-page.browser.test.ts',
]

/** Begins with the long files: one that begins late runs alone in the end, and leaves a core idle. */
class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification): boolean => LONG.some((file) => moduleId.endsWith(`/${file}`))
    const sorted = await super.sort(files)
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))]
  }
}

const FILES = [
  'packages/*/test/**/*.test.ts',
  'examples/*/test/**/*.test.ts',
  'docs/test/**/*.test.ts',
  'scripts/test/**/*.test.ts',
]
/** Tests that `npm run test:quick` leaves out: they need a browser, the built command, PostgreSQL or an installed package. */
const SLOW = [
  '**/*.browser.test.ts',
  '{docs,examples,scripts}/**',
  'packages/create-daybook/**',
  'packages/daybook/test/{cli,crash,deploy,fuzz,postgres,support}/**',
  'packages/daybook/test/hooks/all-write-paths.test.ts',
  'packages/daybook/test/http/responses/both-stores{,-extremes}.test.ts',
  'packages/daybook/test/node/loading.test.ts',
]
const isQuick = process.env.DAYBOOK_TESTS === 'quick'
const EXCLUDED = ['**/node_modules/**', ...(isQuick ? SLOW : [])]
const QUICK_PASSWORDS = 'packages/daybook/test/support/auth/quick-passwords.ts'
const DROP_STORES = 'packages/daybook/test/support/stores/drop-after-each-file.ts'
/** A file that changes its process by mocks, clocks or variables has one of its own. */
const CHANGES_ITS_PROCESS = /\bvi\b.*from 'vitest'|\/stores\/pair\.ts'|process\.(?:env|chdir|on)/

/** A file that puts something in the place of a module needs Vite, which is slower to call through than Node's own import. */
const MOCKS_A_MODULE = /\bvi\.mock\(/

const sourceOf = (file: string): string => readFileSync(file, 'utf8')
const files = globSync(FILES, { exclude: EXCLUDED })
const together = files.filter((file) => !CHANGES_ITS_PROCESS.test(sourceOf(file)))
const mocking = files.filter((file) => MOCKS_A_MODULE.test(sourceOf(file)))

/** What tests of browsers and commands need before they begin. */
const BUILDS = [
  'packages/client/test/support/browser-run.ts',
  'packages/daybook/test/support/built/built-run.ts',
  'packages/studio/test/support/built.ts',
]

/** Modules are imported by Node itself, as they are for users. */
const NATIVE = { viteModuleRunner: false, nodeLoader: false } as const

const COMMON = {
  // The room for new objects is cleared seldom, and by one thread: on a busy core, several take three times as long.
  execArgv: ['--no-parallel-scavenge', '--max-semi-space-size=32'],
  setupFiles: [QUICK_PASSWORDS],
  // Beside two busy programs everything takes ten times as long. Only a test that hangs takes all of it; a test that does
  // thousands of things says itself how long it may take.
  testTimeout: 180_000,
  hookTimeout: 180_000,
  expect: { poll: { timeout: 60_000 } },
}

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          ...COMMON,
          name: 'together',
          include: together,
          isolate: false,
          setupFiles: [QUICK_PASSWORDS, DROP_STORES],
          experimental: NATIVE,
        },
      },
      {
        test: {
          ...COMMON,
          name: 'alone',
          include: FILES,
          exclude: [...EXCLUDED, ...together, ...mocking],
          experimental: NATIVE,
        },
      },
      { test: { ...COMMON, name: 'mocking', include: mocking, experimental: { viteModuleRunner: true } } },
    ],
    globalSetup: ['packages/daybook/test/support/postgres/postgres-run.ts', ...(isQuick ? [] : BUILDS)],
    pool: 'forks',
    experimental: NATIVE,
    sequence: { sequencer: LongFirst },
    // Many tests wait: for a clock, a database, another process. Meanwhile others have their core.
    maxWorkers: availableParallelism() + 2,
  },
})
