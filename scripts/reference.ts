import { writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { makeReference, readCode } from './reference/reference.ts'

// Writes what the docs have from the code; `npm run docs-check` says whether it is up to date.
const checkout = resolve(process.argv[2] ?? fileURLToPath(new URL('..', import.meta.url)))
const { pages, undocumented } = await makeReference(checkout, await readCode())
const changed = pages.filter(({ text, generated }) => text !== generated)
for (const { file, generated } of changed) await writeFile(join(checkout, file), generated)
for (const { file } of changed) process.stdout.write(`${file} written\n`)
for (const what of undocumented) process.stderr.write(`${what} has no doc comment. Write one.\n`)
process.exitCode = undocumented.length === 0 ? 0 : 1
