import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

const FILE = fileURLToPath(new URL('../package-lock.json', import.meta.url))

type Entry = Readonly<Record<string, unknown>>

interface Lockfile {
  readonly packages: Readonly<Record<string, Entry>>
  readonly [key: string]: unknown
}

/**
 * An entry as it is committed. Without `engines`: npm holds those against the Node that npm runs on, and not against the one that
 * it installs for the project, so that it warns where nothing is wrong. Without a registry's address: everybody has their own.
 */
function tidy({ engines: _, ...entry }: Entry): Entry {
  if (!String(entry.resolved).startsWith('http')) return entry
  const { resolved: __, ...rest } = entry
  return rest
}

/** A lockfile as it is committed. */
export function tidyLockfile(text: string): string {
  const lockfile = JSON.parse(text) as Lockfile
  const entries = Object.entries(lockfile.packages)
  // The first is the checkout itself, as its package.json has it.
  const packages = Object.fromEntries(entries.map(([path, entry]) => [path, path === '' ? entry : tidy(entry)]))
  return `${JSON.stringify({ ...lockfile, packages }, null, 2)}\n`
}

if (import.meta.main) {
  const text = await readFile(FILE, 'utf8')
  const tidied = tidyLockfile(text)
  if (process.argv.includes('--write')) await writeFile(FILE, tidied)
  else if (tidied !== text) {
    process.stderr.write('lockfile: it holds engines or addresses of a registry. Run: npm run lockfile -- --write\n')
    process.exitCode = 1
  } else process.stdout.write('lockfile: ok\n')
}
