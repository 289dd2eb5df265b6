import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { DaybookError, disk } from 'daybook'

// Runs in a process with a limit on the size of files: stores a large file and then a small one, and prints the outcome.
const [, , data = ''] = process.argv
const store = await disk().open({ data })
const { signal } = new AbortController()
const take = (size: number): Promise<void> => store.stage('new', Readable.from([Buffer.alloc(size)]), signal)

const refused = await take(1024 * 1024).catch((error) => (error instanceof DaybookError ? error.code : String(error)))
const left = await readdir(join(data, 'uploads', '.incoming'))
await take(1024)
const isPublished = await store.publish('new', 'small', { type: 'text/plain', disposition: 'inline' })
const keys: string[] = []
for await (const { key } of store.list('')) keys.push(key)
process.stdout.write(JSON.stringify({ refused, left, taken: isPublished, keys }))
