// npm run test:quick: on SQLite, without a browser and without the built command, the tests that depend on uncommitted
// changes; with arguments, the tests in these files and folders.
import { startVitest } from 'vitest/node'

process.env.DAYBOOK_TESTS = 'quick'
process.env.DAYBOOK_STORES ??= 'sqlite'

const paths = process.argv.slice(2)
const run = await startVitest('test', paths, { watch: false, changed: paths.length === 0, passWithNoTests: true })
await run.close()
