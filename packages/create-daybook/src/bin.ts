#!/usr/bin/env node
import { whyTooOld } from './node-version.ts'

const fault = whyTooOld(process.versions.node)
if (fault === undefined) {
  const { main } = await import('./main.ts')
  process.exitCode = await main(process.argv.slice(2))
} else {
  process.stderr.write(`create-daybook: ${fault}\n`)
  process.exitCode = 1
}
