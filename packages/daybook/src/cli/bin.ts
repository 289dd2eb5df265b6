#!/usr/bin/env node
import { enableCompileCache } from 'node:module'

// Keeps compiled code in the folder for temporary files: later starts take half the time. Only code that is imported after it benefits.
enableCompileCache()

const { runProgram } = await import('./program.ts')
await runProgram(process.argv.slice(2))
