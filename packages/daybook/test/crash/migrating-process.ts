// Runs migrations on a store until it is killed: node migrating-process.ts CONFIG DATA COUNT
// Each of the COUNT migrations adds 1 to every note. A line says that a page has been begun.
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { MigrationLock, pendingMigrations, runMigrations } from '../../src/content/migrations/run-migrations.ts'
import { compileModel } from '../../src/model/compile.ts'
import { openUnprepared } from '../../src/service.ts'

/** Short, so that the process after one that was killed waits for moments. */
const LEASE_MS = 400

const [configFile = '', data = '', count = '1'] = process.argv.slice(2)
const { default: config } = await import(pathToFileURL(configFile).href)
const { engine, close } = await openUnprepared(compileModel(config), config, data, { isServing: false })
const { signal } = new AbortController()
const lock = await MigrationLock.take(engine.store, { onWait: () => {}, signal, leaseMs: LEASE_MS })
const files = Array.from({ length: Number(count) }, (_, index) => ({
  name: `add-${String(index).padStart(3, '0')}`,
  hash: 'same',
  migration: {
    run: async ({ content }: Parameters<Parameters<typeof import('daybook').defineMigration>[0]['run']>[0]) => {
      let seen = 0
      await content.each('notes', {}, async (note) => {
        if (seen++ % 200 === 0) {
          process.stdout.write('page\n')
          await sleep(5)
        }
        return { count: Number(note.count) + 1 }
      })
    },
  },
}))
const pending = pendingMigrations(files, await engine.store.read.system.migrations())
await runMigrations(pending, { engine, lock, log: () => {}, signal, dryRun: false })
await lock.release()
await close()
