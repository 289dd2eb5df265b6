// Preloaded into a process that is measured: says at its end how much memory it held at most, in KiB, on descriptor 3.
import { writeSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'

if (isMainThread) process.on('exit', () => writeSync(3, String(process.resourceUsage().maxRSS)))
