import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const PRELOAD = join(import.meta.dirname, 'preload.ts')
const BIN = join(import.meta.dirname, '../../../dist/cli/bin.js')

/** What Node runs as `daybook`: the built package, which starts in a third of the time that its sources take. */
export const DAYBOOK: readonly string[] = ['--import', PRELOAD, BIN]

/** For `NODE_OPTIONS`: also what is started by name, and what imports `daybook`, is the built package. */
export const AS_BUILT: string = `--import=${pathToFileURL(PRELOAD)}`
