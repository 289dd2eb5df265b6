// Runs `daybook migrate --apply` until it is killed: node migrating-process.ts CONFIG DATA
// It prints a line when it begins to apply its plan.
import { pathToFileURL } from 'node:url'
import { findMigrations } from '../../src/cli/migration-files.ts'
import { applyPlan, makeMigrationPlan } from '../../src/cli/migration-plan.ts'
import { compileModel } from '../../src/model/compile.ts'
import { openUnprepared } from '../../src/service/open-content.ts'

/** Short, so that the next process waits only briefly for the lease of a killed one. */
const LEASE_MS = 300

const [configFile = '', data = ''] = process.argv.slice(2)
const { default: config } = await import(pathToFileURL(configFile).href)
const { context: engine, close } = await openUnprepared(compileModel(config), config, data, { isServing: false })
const plan = await makeMigrationPlan(engine, findMigrations(configFile))
process.stdout.write('begins\n')
const { signal } = new AbortController()
await applyPlan({ context: engine, signal, dryRun: false, leaseMs: LEASE_MS, log: () => {} }, plan)
await close()
